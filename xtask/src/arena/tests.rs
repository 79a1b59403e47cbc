//! A round from its folder to the tally, with documents written by hand instead of designed.

use super::blind::{BlindArgs, blind};
use super::folder::{Arena, ArenaRecord, DOCUMENTS, Order, Side, write_json};
use super::{lone, tally};
use crate::driver::{GivenAnswer, clone_at, git};
use crate::programs::create_repository;
use std::path::{Path, PathBuf};

const PANEL_DESIGN: &str = "# Design: limits\n\n> **Status:** Approved\n> **Spec ID:** limits\n\n## Overview\nOne layer asks a bucket (FINDING_2, accepted 3-0).\n\n## Decisions\n\n### D1: Memory\nDECISION_1, voted 2-1 against SQLite. Restarts are rare.\n\n### How they were decided\n\n3 distinct vendors sat, 3 voted.\n\n| Contested | Votes |\n|---|---|\n| DECISION_1 | 2 to 1 |\n";
const LONE_DESIGN: &str = "# Design: limits\n\n## Overview\nOne table of counters, `PATH/src/app.py:1`.\n\n## Decisions\n\n### D1: SQLite\nCounts survive.\n";

fn arena(root: &Path) -> PathBuf {
    let source = root.join("source");
    fs_err::create_dir_all(source.join("src")).unwrap();
    fs_err::write(source.join("src/app.py"), "def app(): pass\n").unwrap();
    create_repository(&source).unwrap();
    let commit = git(&source, &["rev-parse", "HEAD"]).unwrap();
    let folder = root.join("round");
    for side in Side::ALL {
        clone_at(&source, &commit, &folder.join(side.name()).join("repository")).unwrap();
    }
    fs_err::write(folder.join("request.md"), "Limit the requests of each client.\n").unwrap();
    let record = ArenaRecord { version: 1, name: "limits".to_owned(), repository: source, commit };
    write_json(&folder.join("arena.json"), &record).unwrap();
    let arena = Arena::open(&folder).unwrap();
    let design = LONE_DESIGN.replace("PATH", &arena.repository(Side::Lone).display().to_string());
    for (side, design) in [(Side::Panel, PANEL_DESIGN), (Side::Lone, design.as_str())] {
        let documents = arena.documents(side);
        fs_err::create_dir_all(&documents).unwrap();
        for (name, _) in DOCUMENTS {
            let text = if name == "design.md" { design } else { "# X\n\n## Overview\nText.\n" };
            fs_err::write(documents.join(name), text).unwrap();
        }
        fs_err::write(documents.join("summary.md"), "# Summary\n").unwrap();
    }
    let given = GivenAnswer {
        gate: "clarify".to_owned(),
        key: "q1".to_owned(),
        question: "Which requests?".to_owned(),
        answer: "All of them.".to_owned(),
        recommended: true,
        approval: false,
    };
    arena.add_answers(&[given.clone(), given]).unwrap();
    assert_eq!(arena.answers().unwrap().len(), 1);
    folder
}

fn args(folder: &Path, seed: u64) -> BlindArgs {
    BlindArgs { folder: folder.to_owned(), seed: Some(seed), with_leftovers: false }
}

fn read_all(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        text.push_str(&fs_err::read_to_string(entry.unwrap().path()).unwrap());
    }
    text
}

#[test]
fn a_round_is_judged_blind_and_tallied() {
    let root = tempfile::tempdir().unwrap();
    let folder = arena(root.path());
    lone::prepare(&folder).unwrap();
    let prompt = fs_err::read_to_string(folder.join("lone/prompt.md")).unwrap();
    for told in [
        "Limit the requests of each client.",
        "Which requests?",
        "All of them.",
        "lone/repository",
        "lone/answer",
    ] {
        assert!(prompt.contains(told), "{told}\n{prompt}");
    }
    assert!(!prompt.contains('{'), "{prompt}");

    let seed = (0..64).find(|seed| Order::from_seed(*seed).a == Side::Lone).unwrap();
    blind(&args(&folder, seed)).unwrap();
    let (a, b) = (read_all(&folder.join("blind/A")), read_all(&folder.join("blind/B")));
    assert!(a.contains("Counts survive.") && a.contains("`src/app.py:1`"), "{a}");
    assert!(
        b.contains("Against SQLite. Restarts are rare.") && b.contains("One layer asks a bucket."),
        "{b}"
    );
    for text in [&a, &b] {
        for trace in
            ["voted", "FINDING", "DECISION", "Status", "Spec ID", "vendors", "Summary", "lone/", "panel/"]
        {
            assert!(!text.contains(trace), "{trace}\n{text}");
        }
    }
    let judge = fs_err::read_to_string(folder.join("blind/judge.md")).unwrap();
    for told in [
        "Limit the requests of each client.",
        "All of them.",
        "blind/A",
        "blind/B",
        "blind/repository",
        "VERDICT:",
    ] {
        assert!(judge.contains(told), "{told}\n{judge}");
    }
    for hidden in ["panel", "lone", "charrette", "seed", "{"] {
        let told = judge.replace(&root.path().display().to_string(), "");
        assert!(!told.contains(hidden), "{hidden}\n{judge}");
    }
    assert!(folder.join("blind/repository/src/app.py").is_file());

    let verdict = "| criterion | A | B |\n|---|---|---|\n| correctness | 7 | 9 |\n| completeness | 7 | 8 |\n| security | 7 | 8 |\n| buildability | 7 | 8 |\n| clarity | 7 | 8 |\n\n## Faults of A\n\n- [major] x\n\n## Faults of B\n\nVERDICT: B\nCONFIDENCE: 80\n";
    fs_err::write(folder.join("blind/verdict-ada.md"), verdict).unwrap();
    let report = root.path().join("report.md");
    tally::tally(std::slice::from_ref(&folder), Some(&report)).unwrap();
    let report = fs_err::read_to_string(report).unwrap();
    assert!(report.contains("| correctness | 9 | 7 | 9.0 | 7.0 |"), "{report}");
    assert!(
        report.contains(
            "The panel has the majority: 1 to 0 verdicts; mean confidence that the panel is better: 80 %."
        ),
        "{report}"
    );

    let refused = blind(&args(&folder, seed)).unwrap_err().to_string();
    assert!(refused.starts_with("ada has judged already"), "{refused}");
    fs_err::write(folder.join("blind/verdict-bob.md"), "B is nicer.\n").unwrap();
    let refused = tally::tally(&[folder], None).unwrap_err().to_string();
    assert!(
        refused.contains("verdict-bob.md: no row for correctness") && refused.contains("no line VERDICT:"),
        "{refused}"
    );
}

#[test]
fn traces_that_are_left_stop_the_round() {
    let root = tempfile::tempdir().unwrap();
    let folder = arena(root.path());
    let tasks = folder.join("lone/answer/tasks.md");
    fs_err::write(&tasks, "# Tasks\n\n```text\nHOLDS\n```\n").unwrap();
    let refused = blind(&args(&folder, 1)).unwrap_err().to_string();
    assert!(refused.contains("lone tasks.md:4: HOLDS"), "{refused}");
    assert!(!folder.join("blind").exists());
    blind(&BlindArgs { with_leftovers: true, ..args(&folder, 1) }).unwrap();
}
