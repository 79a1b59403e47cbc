//! A design at a real pseudo-terminal: the preview, both gates, a pause, and the last page, at two widths.

use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::Pty;
use charrette_testkit::panel::{FEATURE, PanelVariant, REQUEST};

fn at_terminal(workshop: &Workshop, args: &[&str], columns: u16) -> Pty {
    let all = std::iter::once("design").chain(args.iter().copied());
    Pty::start(workshop.command(BINARY, all), columns)
}

/// The screen from the last line that begins so, with what differs from run to run made the same.
fn from(workshop: &Workshop, pty: &Pty, start: &str) -> String {
    let screen = pty.screen().replace(&workshop.sandbox.work().display().to_string(), "[REPOSITORY]");
    let lines: Vec<&str> = screen.lines().collect();
    let first = lines.iter().rposition(|line| line.starts_with(start));
    let first = first.unwrap_or_else(|| panic!("no line begins with {start}:\n{screen}"));
    let steady = |line: &&str| match line.rsplit_once('(') {
        Some((before, time)) if time.ends_with("s)") => format!("{before}(Ns)"),
        // The last column of what each seat cost.
        _ => match line.rsplit_once(' ') {
            Some((before, time)) if time.ends_with('s') && time.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("{} Ns", before.trim_end())
            }
            _ => (*line).to_owned(),
        },
    };
    lines[first..].iter().map(steady).collect::<Vec<_>>().join("\n")
}

/// A run in which nobody asks anything in between.
fn quiet_panel() -> Workshop {
    let workshop = Workshop::brief();
    workshop.set_variant(PanelVariant::NothingUnclear);
    workshop
}

#[test]
fn the_first_gate_is_answered_paused_and_resumed_and_the_last_one_approved() {
    let workshop = quiet_panel();
    let mut pty = at_terminal(&workshop, &[REQUEST, "--auto"], 80);
    pty.answer("[Run / Cancel] > ", "\r");
    pty.answer("Is this correct?", "\r");
    pty.answer("Does this align", "suggest alternative: count per key\r");
    pty.answer("Are any of these incorrect?", "stop\r");
    assert_eq!(pty.wait_for_exit(), Some(3), "{}", pty.screen());
    assert!(pty.has_cooked_modes());
    insta::assert_snapshot!("paused_80", from(&workshop, &pty, "── pre-design"));
    let answers = &workshop.document()["gates"]["pre-design"]["answers"];
    assert_eq!(answers["approach"], "suggest alternative: count per key");

    let mut pty = at_terminal(&workshop, &[FEATURE, "--resume", "--yes"], 120);
    for question in ["Are any of these", "Are you comfortable", "Is anything missing or", "Should we resolve"]
    {
        pty.answer(question, "\r");
    }
    pty.answer("review any specific file", "review: tasks.md\r");
    pty.answer("> ", "\r");
    for question in ["Do you agree", "additional risks", "Is anything missing that", "Any concerns"] {
        pty.answer(question, "\r");
    }
    pty.answer("(yes / no / revise)", "yes\r");
    assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
    insta::assert_snapshot!("approved_120", from(&workshop, &pty, FEATURE));
    assert!(pty.raw_output().contains("resumed: "), "{}", pty.raw_output());
    let told = workshop.read("answers/pre-design");
    assert!(told.contains("Does this align with your expectations?"), "{told}");
    assert!(told.contains("**Resolution**: suggest alternative: count per key\n"), "{told}");
}

#[test]
fn an_edit_while_a_gate_is_open_is_shown_before_it_is_confirmed() {
    const QUESTIONS: [&str; 6] = [
        "Is this correct?",
        "Does this align",
        "Are any of these",
        "Are you comfortable",
        "Is anything missing or",
        "Should we resolve",
    ];
    let workshop = quiet_panel();
    let mut pty = at_terminal(&workshop, &[REQUEST, "--auto", "--yes"], 120);
    pty.wait_for(QUESTIONS[0]);
    workshop.edit(
        "context-summary.md",
        &workshop.read("context-summary.md").replace("Every client", "Every tenant"),
    );
    pty.send("\r");
    for question in &QUESTIONS[1..] {
        pty.answer(question, "\r");
    }
    // What was made from it is made again, and the person is asked again.
    pty.wait_for("Every tenant");
    pty.answer(QUESTIONS[0], "stop\r");
    assert_eq!(pty.wait_for_exit(), Some(3), "{}", pty.screen());
    assert_eq!(workshop.gate("pre-design"), "pending");
    let why = workshop.run(BINARY, ["status", FEATURE, "--why"]);
    assert!(!why.stdout.contains("context-summary.md changed"), "{why:?}");
}

#[test]
fn a_file_that_is_deleted_while_a_gate_is_open_is_made_again() {
    let workshop = quiet_panel();
    let mut pty = at_terminal(&workshop, &[REQUEST, "--auto", "--yes"], 120);
    pty.wait_for("Is this correct?");
    std::fs::remove_file(workshop.artifact("context-summary.md")).unwrap();
    pty.send("\r");
    for question in [
        "Does this align",
        "Are any of these",
        "Are you comfortable",
        "Is anything missing or",
        "Should we resolve",
    ] {
        pty.answer(question, "\r");
    }
    pty.answer("review any specific file", "stop\r");
    assert_eq!(pty.wait_for_exit(), Some(3), "{}", pty.screen());
    assert_eq!(workshop.gate("pre-design"), "answered");
}

#[test]
fn a_run_that_is_there_is_offered_before_anything_happens() {
    let workshop = quiet_panel();
    assert_eq!(workshop.design(&[REQUEST, "--auto"]).code, Some(3));
    for (answer, code, says) in [("cancel\r", 0, ""), ("\u{1b}", 0, ""), ("resume\r", 3, "resuming design")] {
        let mut pty = at_terminal(&workshop, &[REQUEST, "--auto"], 80);
        pty.answer("[Resume / start Fresh / Cancel] > ", answer);
        if code == 3 {
            pty.answer("[Run / Cancel] > ", "\r");
            pty.answer("Is this correct?", "stop\r");
        }
        assert_eq!(pty.wait_for_exit(), Some(code), "{}", pty.screen());
        assert!(pty.raw_output().contains(says), "{}", pty.raw_output());
    }
}
