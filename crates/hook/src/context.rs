//! What a session is told at its start: runs here, what waits, the command to type.

use crate::answer::Answer;
use charrette_model::escape::printable;
use charrette_store::active::ActiveRun;

/// Most runs that are named.
const MAX_NAMED: usize = 5;

pub(crate) fn of_session(runs: &[ActiveRun]) -> Answer {
    let told: Vec<String> = runs.iter().filter_map(sentence).take(MAX_NAMED).collect();
    if told.is_empty() {
        return Answer::Allow;
    }
    let mut text = format!("charrette in this repository: {}", told.join(" "));
    if runs.iter().any(ActiveRun::is_driven) {
        text.push_str(
            " While a run is driven here, hooks deny switching branches, rewriting the branch, pushing to the main branch \
             and writing to the files of the run; other work is free.",
        );
    }
    Answer::Context { event: "SessionStart", text }
}

fn sentence(run: &ActiveRun) -> Option<String> {
    let feature = run.feature.as_deref().unwrap_or(&run.document);
    let name = printable(&format!("{} {feature}", run.command)).to_string();
    let feature = printable(feature);
    let waits = printable(&run.waits.join(", ")).to_string();
    if run.is_driven() {
        let pid = run.driver.as_ref().map(|driver| driver.pid).unwrap_or_default();
        let phase =
            run.phase.as_deref().map(|phase| format!(", phase {}", printable(phase))).unwrap_or_default();
        let branch = run
            .branch
            .as_deref()
            .map(|branch| format!(", on branch {}", printable(branch)))
            .unwrap_or_default();
        let waits =
            if waits.is_empty() { String::new() } else { format!("; it waits for a person at {waits}") };
        return Some(format!(
            "{name} is driven by process {pid}{phase}{branch}{waits} (charrette status; charrette stop {feature})."
        ));
    }
    if waits.is_empty() {
        return None;
    }
    Some(format!("{name} waits for a person at {waits}: charrette answer {feature}."))
}
