//! Repeated and reused steps after an edit, a changed answer or a commit.

use crate::workshop::{Workshop, regular_calls, regular_calls_except};
use charrette_testkit::panel::FEATURE;

#[test]
fn an_edited_synthesis_is_debated_again_and_everything_after_it_done_again() {
    let workshop = Workshop::regular();
    workshop.echo_prompt_digests();
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop.write_gate_answers(answers.split("post-design:").next().unwrap());
    let output = workshop.start(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    workshop.calls();
    let edited = workshop.read("approach-synthesis.txt") + "\nCount in the proxy, if it can.\n";
    workshop.edit("approach-synthesis.txt", &edited);
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    let before = ["research/", "aggregator", "clarifier", "scoper", "sketch/", "synthesist", "validator"];
    assert_eq!(workshop.calls(), regular_calls_except(&before));
    assert_eq!(workshop.read("approach-synthesis.txt"), edited);
    // Again without an edit: nothing.
    assert_eq!(workshop.resume(&[]).code, Some(3));
    assert_eq!(workshop.calls(), [""; 0]);
}

#[test]
fn unchanged_answers_do_not_repeat_later_steps() {
    let workshop = Workshop::regular();
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop.write_gate_answers(answers.split("post-design:").next().unwrap());
    assert_eq!(workshop.start(&[]).code, Some(3));
    workshop.calls();
    workshop
        .edit("approach-synthesis.txt", &(workshop.read("approach-synthesis.txt") + "\nOne more line.\n"));
    assert_eq!(workshop.resume(&[]).code, Some(3));
    assert_eq!(workshop.calls(), regular_calls(&["debate/", "inquirer", "investigate/", "planner"]));
    // A commit is no input of anything.
    workshop.sandbox.commit("in between");
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stderr.contains("Warning: Checkpoint is stale (saved at "), "{output:?}");
    assert!(output.stderr.contains("Proceeding with existing checkpoint data."), "{output:?}");
    // On another branch than its own, the run is refused, with the way back.
    workshop.sandbox.git(["switch", "-q", "main"]);
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(4), "{output:?}");
    assert!(output.stderr.contains("Return to its branch: git switch ada-l/"), "{output:?}");
    workshop.sandbox.git(["switch", "-q", "-"]);
    assert_eq!(workshop.resume(&[]).code, Some(3));
    assert_eq!(workshop.calls(), [""; 0]);
    // A lost file is made again, and nothing else.
    std::fs::remove_file(workshop.artifact("plan-draft.txt")).unwrap();
    assert_eq!(workshop.resume(&[]).code, Some(3));
    assert_eq!(workshop.calls(), ["planner claude"]);
}

#[test]
fn a_changed_gate_answer_repeats_the_design_steps() {
    let workshop = Workshop::regular();
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop.write_gate_answers(answers.split("post-design:").next().unwrap());
    assert_eq!(workshop.start(&[]).code, Some(3));
    workshop.calls();
    assert_eq!(workshop.answer("pre-design: {scope: \"Yes.\"}\n").code, Some(0));
    assert_eq!(workshop.resume(&[]).code, Some(3));
    assert_eq!(workshop.calls(), [""; 0], "another way to say yes");
    assert_eq!(
        workshop.read("answers/pre-design"),
        "The person confirmed the summary of the research in every part.\n"
    );
    assert_eq!(workshop.answer("pre-design: {scope: \"Health checks count too.\"}\n").code, Some(0));
    let output = workshop.design(&[FEATURE, "--resume"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    let decided = workshop.read("answers/pre-design");
    assert!(decided.contains("**Question**: The following is explicitly out of scope:"), "{decided}");
    assert!(decided.contains("**Resolution**: Health checks count too.\n**Source**: user\n"), "{decided}");
    // Every seat after the gate is bound by the answer, but for those that rearrange what others wrote.
    let unbound = ["research/", "aggregator", "clarifier", "scoper", "merger", "illustrator", "validator"];
    assert_eq!(workshop.calls(), regular_calls_except(&unbound));
}
