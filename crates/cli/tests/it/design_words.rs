//! Words of the person: every answer, with its question, reaches every seat that comes after it, as binding.

use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::panel::FEATURE;
use std::collections::BTreeMap;

/// Steps of the seats that rearrange what others wrote, and read no words of the person.
const WITHOUT_PERSON: [&str; 2] = ["merger", "illustrator"];

/// Steps of a design, in the order of the flow.
const ORDER: [&[&str]; 15] = [
    &["research/dependencies", "research/requirements", "research/tasks"],
    &["aggregator"],
    &["clarifier"],
    &["scoper"],
    &["sketch/codex-innovation", "sketch/codex-pragmatic", "sketch/cursor-arch", "sketch/cursor-edge"],
    &["synthesist"],
    &["debate/1-antithesis", "debate/1-thesis", "debate/2-antithesis", "debate/2-thesis"],
    &["judge/judge-claude", "judge/judge-codex", "judge/judge-cursor"],
    &["inquirer", "investigate/investigator-1", "investigate/investigator-2"],
    &["planner"],
    &[
        "review/reviewer-arch",
        "review/reviewer-edge",
        "review/reviewer-innovation",
        "review/reviewer-pragmatic",
        "merger",
        "vote/voter-claude",
        "vote/voter-codex",
        "vote/voter-cursor",
        "reviser",
    ],
    &["walk/walker-1", "walk/walker-2", "mender", "walk/walker-again"],
    &["discusser"],
    &["finisher", "illustrator", "writer"],
    &["validator"],
];

/// Steps after the one that is named, without those that read no words of the person.
fn steps_after(last: &str) -> Vec<&'static str> {
    let at = ORDER.iter().position(|steps| steps.contains(&last)).unwrap();
    let later = ORDER[at + 1..].iter().flat_map(|steps| steps.iter().copied());
    later.filter(|step| !WITHOUT_PERSON.contains(step)).collect()
}

/// The part of a prompt that binds.
fn binding(prompt: &str) -> &str {
    let (_, binding) = prompt.split_once("\n# What the person asked for and decided\n").unwrap_or_default();
    binding.split("\n# What colleagues wrote\n").next().unwrap_or_default()
}

/// Asserts that question and answer bind these seats and no others, and that the answer stands nowhere as material.
fn assert_reaches(prompts: &BTreeMap<String, String>, question: &str, answer: &str, expected: &[&str]) {
    for (step, prompt) in prompts {
        let is_bound = binding(prompt).contains(answer) && binding(prompt).contains(question);
        assert_eq!(
            is_bound,
            expected.contains(&step.as_str()),
            "{answer} in the prompt of {step}:\n{prompt}"
        );
        let material = prompt.split("\n# What the repository says\n").nth(1).unwrap_or_default();
        assert!(!material.contains(answer), "{answer} is material in the prompt of {step}");
        assert!(!prompt.contains("not addressed to you"), "{step}");
    }
    assert!(expected.iter().all(|step| prompts.contains_key(*step)), "{:?}", prompts.keys());
}

#[test]
fn every_answer_binds_every_later_seat() {
    let workshop = Workshop::regular();
    workshop.keep_prompts();
    let usual = workshop.answer_text("research/tasks");
    let asks = usual
        .replace("\"decision\": \"PROCEED\"", "\"decision\": \"CLARIFY\"")
        .replace("\"issues\": []", "\"issues\": [\"Which clients are meant?\"]");
    workshop.set_answer("research/tasks", &asks);
    workshop.set_answer("research/tasks.2", &usual);
    workshop.replace_gate_answer("All requests with a key.", "Word of 1c.");
    workshop.replace_gate_answer("Yes, with a limit of 0.", "Word of the scope.");
    workshop.replace_gate_answer("approach: \"yes\"", "approach: \"yes, with a word beside it\"");
    workshop.replace_gate_answer("Yes, as a token bucket does.", "Word of the second discussion.");
    workshop.replace_gate_answer("risks: \"no additional\"", "risks: \"yes: a word at the end\"");
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop
        .write_gate_answers(&format!("{answers}clarify/tasks-1:\n  tasks-1: \"Word for a researcher.\"\n"));
    let output = workshop.start(&[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let closing =
        output.stdout.split_once("Decided by you (6)\n").map(|(_, after)| after).unwrap_or_default();
    let decided: Vec<&str> = closing.lines().take_while(|line| !line.is_empty()).collect();
    for answer in ["Which requests: Word of 1c.", "Switching it off: Word of the scope."] {
        assert!(decided.contains(&format!("  - {answer}").as_str()), "{}", output.stdout);
    }
    let prompts = workshop.prompts();
    let reaches = |question: &str, answer: &str, expected: &[&str]| {
        assert_reaches(&prompts, question, answer, expected);
    };
    let researcher = [&["research/tasks", "aggregator"][..], &steps_after("aggregator")].concat();
    reaches("Which clients are meant?", "Word for a researcher.", &researcher);
    reaches("Are all requests with a key limited", "Word of 1c.", &steps_after("clarifier"));
    reaches("**Question**: ", "Word of the scope.", &steps_after("scoper"));
    reaches("**Question**: ", "yes, with a word beside it", &steps_after("scoper"));
    let second = ["finisher", "writer", "validator"];
    reaches("**Question**: ", "Word of the second discussion.", &second);
    reaches("**Question**: ", "yes: a word at the end", &["validator"]);
}

#[test]
fn feedback_for_a_revision_binds_those_who_revise() {
    let workshop = Workshop::regular();
    workshop.keep_prompts();
    workshop
        .replace_gate_answer("approval: \"yes\"", "approval: \"revise\"\n  feedback: \"Word of feedback.\"");
    let output = workshop.start(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    let prompts = workshop.prompts();
    for step in ["finisher", "writer"] {
        assert!(binding(&prompts[step]).contains("Word of feedback."), "{step}:\n{}", prompts[step]);
    }
    assert!(prompts["illustrator"].contains("Word of feedback."), "{}", prompts["illustrator"]);
    for step in ["planner", "reviser", "walk/walker-1"] {
        assert!(!prompts[step].contains("Word of feedback."), "{step}");
    }
    assert!(workshop.document()["gates"]["post-design"]["round"].as_u64() >= Some(2), "{FEATURE}");
}

/// Lines of a prompt. The order of files that share a row of the table is that of the flow.
fn sorted_lines(prompt: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = prompt.lines().filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn the_prompt_of_a_seat_can_be_shown_for_a_run() {
    let workshop = Workshop::regular();
    workshop.keep_prompts();
    let output = workshop.start(&[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    let prompts = workshop.prompts();
    for (seat, step) in [
        ("aggregator", "aggregator"),
        ("scoper", "scoper"),
        ("debate-2-antithesis", "debate/2-antithesis"),
        ("judge-codex", "judge/judge-codex"),
        ("investigator-2", "investigate/investigator-2"),
        ("planner", "planner"),
        ("voter-claude", "vote/voter-claude"),
        ("walker-1", "walk/walker-1"),
        ("reviser", "reviser"),
        ("validator", "validator"),
    ] {
        let shown = workshop.run(BINARY, ["roles", "show", seat, "--rendered", "--run", FEATURE]);
        assert_eq!(shown.code, Some(0), "{shown:?}");
        assert_eq!(sorted_lines(&shown.stdout), sorted_lines(&prompts[step]), "{seat}");
    }
    let unknown = workshop.run(BINARY, ["roles", "show", "planer", "--rendered", "--run", FEATURE]);
    assert!(
        unknown.code == Some(2) && unknown.stderr.contains("Its seats: researcher-requirements"),
        "{unknown:?}"
    );
    let none = workshop.run(BINARY, ["roles", "show", "planner", "--rendered", "--run", "nothing"]);
    assert!(none.code == Some(1) && none.stderr.contains("No checkpoint found"), "{none:?}");
    assert_eq!(workshop.run(BINARY, ["roles", "show", "planner", "--run", FEATURE]).code, Some(2));
}
