//! What is done again after an edit, another answer or a commit, and what is not.

use crate::workshop::{Workshop, all_but, of_the_regular};
use charrette_testkit::panel::FEATURE;

#[test]
fn an_edited_synthesis_is_debated_again_and_everything_after_it_done_again() {
    let workshop = Workshop::regular();
    workshop.everybody_echoes();
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop.replies(answers.split("post-design:").next().unwrap());
    let output = workshop.begin(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    workshop.calls();
    let edited = workshop.read("approach-synthesis.txt") + "\nCount in the proxy, if it can.\n";
    workshop.edit("approach-synthesis.txt", &edited);
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    let before = ["research/", "aggregator", "clarifier", "scoper", "sketch/", "synthesist", "validator"];
    assert_eq!(workshop.calls(), all_but(&before));
    assert_eq!(workshop.read("approach-synthesis.txt"), edited);
    // Again without an edit: nothing.
    assert_eq!(workshop.resume(&[]).code, Some(3));
    assert_eq!(workshop.calls(), [""; 0]);
}

#[test]
fn where_the_same_is_said_again_nobody_after_it_is_called() {
    let workshop = Workshop::regular();
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop.replies(answers.split("post-design:").next().unwrap());
    assert_eq!(workshop.begin(&[]).code, Some(3));
    workshop.calls();
    workshop
        .edit("approach-synthesis.txt", &(workshop.read("approach-synthesis.txt") + "\nOne more line.\n"));
    assert_eq!(workshop.resume(&[]).code, Some(3));
    assert_eq!(workshop.calls(), of_the_regular(&["debate/", "planner"]));
    // Neither a commit nor another branch is an input of anything.
    workshop.sandbox.commit("in between");
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(output.stderr.contains("Warning: Checkpoint is stale (saved at "), "{output:?}");
    assert!(output.stderr.contains("Proceeding with existing checkpoint data."), "{output:?}");
    workshop.sandbox.git(["switch", "-q", "main"]);
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert_eq!(workshop.calls(), [""; 0]);
    // A lost file is made again, and nothing else.
    std::fs::remove_file(workshop.artifact("plan-draft.txt")).unwrap();
    assert_eq!(workshop.resume(&[]).code, Some(3));
    assert_eq!(workshop.calls(), ["planner claude"]);
}

#[test]
fn another_answer_reaches_those_who_design_unless_it_is_a_plain_yes() {
    let workshop = Workshop::regular();
    let answers = std::fs::read_to_string(workshop.answers()).unwrap();
    workshop.replies(answers.split("post-design:").next().unwrap());
    assert_eq!(workshop.begin(&[]).code, Some(3));
    workshop.calls();
    assert_eq!(workshop.answer("pre-design: {scope: \"Yes.\"}\n").code, Some(0));
    assert_eq!(workshop.resume(&[]).code, Some(3));
    assert_eq!(workshop.calls(), [""; 0], "another way to say yes");
    assert_eq!(workshop.read("answers/pre-design"), "Nothing to add.\n");
    assert_eq!(workshop.answer("pre-design: {scope: \"Health checks count too.\"}\n").code, Some(0));
    let output = workshop.design(&[FEATURE, "--resume"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert_eq!(workshop.read("answers/pre-design"), "- **scope**: Health checks count too.\n");
    assert_eq!(workshop.calls(), of_the_regular(&["sketch/", "planner", "writer"]));
}
