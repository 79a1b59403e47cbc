//! Bounded rounds.

use charrette_model::implement::rounds::{
    GiveUpReason, NextMove, Round, RoundHistory, RoundLimits, RoundOutcome, normalise_failure,
};

fn round(agent: &str, tree: &str, outcome: RoundOutcome, evidence: &str) -> Round {
    Round { agent: agent.to_owned(), tree: tree.to_owned(), outcome, evidence: evidence.to_owned() }
}

fn next(rounds: &[Round], agents_left: bool) -> NextMove {
    RoundHistory { rounds: rounds.to_vec() }.next_move(RoundLimits::default(), agents_left)
}

#[test]
fn two_repairs_then_another_agent_then_a_person() {
    let red = |agent, tree, why| round(agent, tree, RoundOutcome::Red, why);
    let mut rounds = Vec::new();
    assert_eq!(next(&rounds, true), NextMove::Begin);
    rounds.push(red("claude", "a", "first fails"));
    assert_eq!(next(&rounds, true), NextMove::Repair(1));
    rounds.push(red("claude", "b", "second fails"));
    assert_eq!(next(&rounds, true), NextMove::Repair(2));
    rounds.push(round("claude", "c", RoundOutcome::Rejected, "1. major: the bound"));
    assert_eq!(next(&rounds, true), NextMove::NextAgent(GiveUpReason::RoundsUsed));
    assert_eq!(next(&rounds, false), NextMove::AskPerson(GiveUpReason::RoundsUsed));
    rounds.push(red("codex", "d", "fourth fails"));
    assert_eq!(next(&rounds, true), NextMove::AskPerson(GiveUpReason::RoundsUsed));
    *rounds.last_mut().unwrap() = round("codex", "d", RoundOutcome::Passed, "");
    assert_eq!(next(&rounds, true), NextMove::Accept);
    let none = RoundLimits { repairs: 0, other_agents: 0 };
    let history = RoundHistory { rounds: vec![red("claude", "a", "x")] };
    assert_eq!(history.next_move(none, true), NextMove::AskPerson(GiveUpReason::RoundsUsed));
}

#[test]
fn repetition_ends_a_turn_early() {
    let red = |tree, why| round("claude", tree, RoundOutcome::Red, why);
    assert_eq!(
        next(&[red("a", "x fails"), red("a", "y fails")], true),
        NextMove::NextAgent(GiveUpReason::SameTree)
    );
    assert_eq!(
        next(
            &[
                red("a", "test x failed in 0.12s at /tmp/w1/src/a.rs:12"),
                red("b", "test x failed in 3.4s at /home/u/w2/src/a.rs:14")
            ],
            true
        ),
        NextMove::NextAgent(GiveUpReason::SameFailure)
    );
    assert_eq!(
        next(&[red("a", "x fails"), round("claude", "b", RoundOutcome::Rejected, "x fails")], true),
        NextMove::Repair(2),
        "a finding is another thing than a red command"
    );
    let other = round("codex", "c", RoundOutcome::Red, "x fails");
    assert_eq!(
        next(&[red("a", "x fails"), red("b", "x fails"), other], true),
        NextMove::AskPerson(GiveUpReason::SameFailure)
    );
}

#[test]
fn no_change_and_no_answer_count_as_rounds_and_repeat_nothing() {
    let idle = || round("claude", "a", RoundOutcome::Unchanged, "nothing was changed");
    assert_eq!(next(&[idle()], true), NextMove::Repair(1));
    assert_eq!(next(&[idle(), idle()], true), NextMove::Repair(2));
    assert_eq!(next(&[idle(), idle(), idle()], true), NextMove::NextAgent(GiveUpReason::RoundsUsed));
    let red = round("claude", "a", RoundOutcome::Red, "x");
    assert_eq!(next(&[red, round("claude", "", RoundOutcome::NoAnswer, "")], true), NextMove::Repair(2));
}

#[test]
fn failures_are_compared_without_what_changes() {
    let one = "\u{1b}[31mFAIL\u{1b}[0m tests/a.py::test_b (12 ms)\nassert 3 == 4\n/tmp/x/src/a.rs:12:5: error\nrun 3f2a9bc81\n";
    let two = "assert 5 == 6\n/work/other/src/a.rs:90:1: error\nFAIL tests/a.py::test_b (7 ms)\nrun 9d0c1ab22\n----\n";
    assert_eq!(normalise_failure(one), normalise_failure(two));
    assert_ne!(normalise_failure("test a failed"), normalise_failure("test b failed"));
    assert_eq!(normalise_failure("\n---\n 12 \n"), "");
}
