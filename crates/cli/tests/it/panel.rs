//! The plumbing of the panel: decisions, ballots, findings, votes, verdicts.

use crate::charrette_with;
use charrette_testkit::Sandbox;
use serde_json::{Value, json};

fn run_json(args: &[&str], stdin: &str) -> (Option<i32>, Value) {
    let output = charrette_with(&Sandbox::new(), args, stdin.as_bytes());
    (output.code, output.json())
}

fn decision(n: usize, impact: &str) -> String {
    format!(
        "### DECISION_{n}: Cache {n}\n\n- **Chosen**: LRU\n- **Alternative**: no cache\n- **Tension**: speed or simplicity\n- **Impact**: {impact}\n- **Affected files**: src/cache.rs, src/main.rs\n\n"
    )
}

#[test]
fn contested_decisions_are_read_by_priority_or_refused_with_their_line() {
    let (code, found) = run_json(&["decisions", "check"], &(decision(1, "Low") + &decision(2, "High")));
    assert_eq!(code, Some(0), "{found}");
    assert_eq!(
        found["contested"][0],
        json!({"n": 2, "title": "Cache 2", "chosen": "LRU", "alternative": "no cache", "tension": "speed or simplicity", "impact": "High", "affected_files": ["src/cache.rs", "src/main.rs"]})
    );
    assert_eq!(
        run_json(&["decisions", "check", "-"], "  NO_CONTESTED_DECISIONS\n"),
        (Some(0), json!({"contested": [], "errors": []}))
    );
    let (code, found) = run_json(&["decisions", "check"], &decision(1, "Huge"));
    assert_eq!(code, Some(1));
    assert_eq!(found["errors"][0]["line"], 6, "{found}");
    let (code, found) =
        run_json(&["decisions", "check"], &(1..=500).map(|n| decision(n, "High")).collect::<String>());
    assert_eq!((code, found["contested"].as_array().unwrap().len()), (Some(0), 500));
}

fn defense(side: &str) -> Value {
    json!({"status": "OK", "text": format!("<claim>It works.</claim><evidence>See src/cache.rs:12.</evidence><strongest_concession>It is more code.</strongest_concession><counter_to_opposition>It is little.</counter_to_opposition><risk_if_wrong>We remove it.</risk_if_wrong>\nRECOMMEND: {side}\n")})
}

#[test]
fn a_ballot_is_anonymous_with_positions_by_parity() {
    let debated = |n: usize| json!({"n": n, "title": "Cache", "chosen": "LRU", "alternative": "none", "thesis": defense("THESIS"), "antithesis": defense("ANTI_THESIS")});
    let failed = json!({"n": 3, "title": "Cache", "chosen": "LRU", "alternative": "none", "thesis": {"status": "TIMEOUT", "text": ""}, "antithesis": defense("THESIS")});
    let (code, built) =
        run_json(&["ballot", "build"], &json!({"decisions": [debated(1), debated(2), failed]}).to_string());
    assert_eq!(code, Some(0));
    assert_eq!(
        built["positions"],
        json!({"1": {"A": "THESIS", "B": "ANTI_THESIS"}, "2": {"A": "ANTI_THESIS", "B": "THESIS"}})
    );
    let ballot = built["ballot"].as_str().unwrap();
    assert!(ballot.starts_with("## Dialectic Ballot") && !ballot.contains("RECOMMEND"), "{ballot}");
    for tool in ["cursor", "codex", "claude"] {
        assert!(!ballot.to_lowercase().contains(tool), "{ballot}");
    }
    let off: Vec<(u64, &str, &str)> = built["off_ballot"]
        .as_array()
        .unwrap()
        .iter()
        .map(|off| {
            (off["n"].as_u64().unwrap(), off["side"].as_str().unwrap(), off["token"].as_str().unwrap())
        })
        .collect();
    assert!(off.iter().any(|(n, _, token)| *n == 3 && *token == "no_output"), "{off:?}");
}

#[test]
fn judges_decide_by_majority_of_those_who_voted() {
    let tally = |judges: &[(&str, &str)]| {
        let judges: Vec<Value> = judges
            .iter()
            .map(|(status, text)| json!({"name": "judge", "status": status, "text": text}))
            .collect();
        let (code, tally) =
            run_json(&["ballot", "tally"], &json!({"decisions": [{"n": 1}], "judges": judges}).to_string());
        assert_eq!(code, Some(0));
        let decision = &tally["decisions"][0];
        (
            decision["disposition"].as_str().unwrap().to_owned(),
            decision["resolution"].clone(),
            decision["eligible"].as_u64().unwrap(),
        )
    };
    let (yes, no) = ("DECISION_1: THESIS — sound", "**decision_1: anti_thesis - simpler**");
    assert_eq!(tally(&[("OK", yes), ("OK", no), ("OK", no)]), ("voted".to_owned(), json!("ANTI_THESIS"), 3));
    assert_eq!(tally(&[("OK", yes), ("OK", yes)]), ("voted".to_owned(), json!("THESIS"), 2));
    assert_eq!(tally(&[("OK", yes), ("OK", no)]), ("fallback-to-synthesis".to_owned(), json!(null), 2));
    assert_eq!(tally(&[("OK", yes), ("TIMEOUT", yes)]), ("fallback-to-synthesis".to_owned(), json!(null), 1));
    assert_eq!(tally(&[("OK", yes), ("OK", "I like both.")]).2, 1);
}

#[test]
fn findings_are_read_as_written() {
    let review = "1. [security] Tokens are logged in src/auth.rs:40-44.\n   Suggested revision: redact them.\n\n2. [OUT_OF_SCOPE] [code-quality] src/old.rs:1-9 is dead code.\n   Revision: remove it later.\n";
    let (code, found) = run_json(&["findings", "parse", "--reviewer", "Cursor-Arch"], review);
    assert_eq!((code, &found["status"]), (Some(0), &json!("findings")), "{found}");
    assert_eq!(found["findings"].as_array().unwrap().len(), 2, "{found}");
    assert_eq!(
        (&found["findings"][0]["focus"], &found["findings"][0]["out_of_scope"]),
        (&json!("security"), &json!(false))
    );
    assert_eq!(found["findings"][0]["paths"], json!(["src/auth.rs:40-44"]));
    assert_eq!(found["findings"][1]["out_of_scope"], true);
    assert_eq!(
        run_json(&["findings", "parse", "--reviewer", "X"], "NO_ISSUES_FOUND\n").1,
        json!({"status": "no-issues", "findings": [], "errors": []})
    );
    assert_eq!(
        run_json(&["findings", "parse", "--reviewer", "X"], "Looks good to me!").1["status"],
        "invalid"
    );
}

#[test]
fn votes_need_two_and_nothing_is_accepted_by_default() {
    let outcome = |voters: &[(&str, &str)]| {
        let voters: Vec<Value> = voters.iter().enumerate().map(|(n, (agent, text))| json!({"name": format!("v{n}"), "agent": agent, "status": "OK", "text": text})).collect();
        let (_, tally) = run_json(&["findings", "tally"], &json!({"items": [{"id": "FINDING_1", "proposers": ["Cursor-Arch", "Codex-Edge"]}], "voters": voters}).to_string());
        (tally["items"][0]["outcome"].as_str().unwrap().to_owned(), tally["scoreboard"].clone())
    };
    let (yes, no, pass) =
        ("FINDING_1: YES — real", "- **finding_1**: no - wrong", "FINDING_1: EXONERATE — not here");
    let (accepted, scoreboard) = outcome(&[("claude", yes), ("codex", yes), ("cursor", no)]);
    assert_eq!(accepted, "accepted");
    assert_eq!(
        scoreboard.as_array().unwrap().iter().map(|row| row["score"].as_i64().unwrap()).collect::<Vec<_>>(),
        [1, 1]
    );
    assert_eq!(outcome(&[("claude", yes), ("codex", no), ("cursor", no)]).0, "neutral");
    assert_eq!(outcome(&[("claude", pass), ("codex", no), ("cursor", no)]).0, "exonerated");
    assert_eq!(outcome(&[("claude", no), ("codex", no)]).0, "rejected");
    assert_eq!(outcome(&[("claude", yes)]).0, "undecided");
    assert_eq!(outcome(&[]).0, "undecided");
    assert_eq!(
        outcome(&[("embedded", yes), ("embedded", yes), ("embedded", yes)]).0,
        "undecided",
        "together they are one voter"
    );
    assert_eq!(outcome(&[("claude", "```\nFINDING_1: YES — quoted\n```"), ("codex", yes)]).0, "undecided");
}

#[test]
fn a_verdict_is_a_word_of_the_set_and_nothing_else() {
    for (review, verdict) in [
        ("## Verdict: APPROVE\n", json!("APPROVE")),
        ("**Verdict:** revise.\n", json!("REVISE")),
        ("# Verdict\n\n**REVISE** because of 1.\n", json!("REVISE")),
        ("\u{feff}- Verdict:APPROVE\r\n", json!("APPROVE")),
        ("Verdict: APPROVE\n## Verdict: REVISE\n", json!("REVISE")),
        ("Verdict: APPROVE | REVISE\n", json!(null)),
        ("I cannot APPROVE this.\n", json!(null)),
        ("```\nVerdict: APPROVE\n```\n", json!(null)),
        ("Verdict: APPROVED\n", json!(null)),
        ("", json!(null)),
    ] {
        let (code, found) = run_json(&["verdict", "--set", "APPROVE,REVISE"], review);
        assert_eq!(found["verdict"], verdict, "{review:?}");
        assert_eq!(code, Some(i32::from(verdict.is_null())), "{review:?}");
    }
    let (_, found) = run_json(
        &["verdict", "--set", "PASS,FAIL"],
        "## Verdict: FAIL\n\n- [CRITICAL] leaks\n- [MINOR] typo\n",
    );
    assert_eq!(
        found,
        json!({"verdict": "FAIL", "line": 1, "findings": [{"severity": "CRITICAL", "text": "leaks"}, {"severity": "MINOR", "text": "typo"}]})
    );
}

#[test]
fn input_of_another_shape_is_a_usage_error() {
    for args in [&["ballot", "build"][..], &["ballot", "tally"], &["findings", "tally"]] {
        let output = charrette_with(&Sandbox::new(), args, b"{\"decisions\": 3}");
        assert_eq!(output.code, Some(2), "{args:?}");
        assert!(output.stderr.starts_with("error: invalid JSON on standard input: "), "{}", output.stderr);
    }
    assert_eq!(charrette_with(&Sandbox::new(), &["verdict", "--set", ",", "-"], b"").code, Some(2));
}
