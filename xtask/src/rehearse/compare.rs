//! Compares what a run asked with what its replay asks, step by step.

use super::cassette::RecordedCall;
use super::inputs::{PromptInput, parse_inputs};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Maximum number of lines that are shown of a refusal.
const PROBLEM_LINES: usize = 20;

/// Differences of a replay.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) steps: Vec<StepComparison>,
    /// True if the replay came to its end: then a step that was not asked is gone, else it was not reached.
    pub(super) is_complete: bool,
}

/// Differences of one step.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StepComparison {
    pub(super) step: String,
    pub(super) seat: String,
    pub(super) presence: Presence,
    /// Words of the first prompt, before and now.
    pub(super) words: (usize, usize),
    /// Differences of the first prompt.
    pub(super) asked_differently: bool,
    /// Inputs whose text is another.
    pub(super) changed_inputs: Vec<String>,
    /// Inputs that were quoted and are not now.
    pub(super) lost_inputs: Vec<String>,
    pub(super) new_inputs: Vec<String>,
    /// Agent and problem of each answer that was sent back now and not then.
    pub(super) refusals: Vec<(String, String)>,
    /// Agents that took the step, if they are others.
    pub(super) agents: Option<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Presence {
    Both,
    New,
    Gone,
}

/// Compares the calls of a run with those of its replay. Prompts must not contain places of this machine.
pub(super) fn compare(before: &[RecordedCall], now: &[RecordedCall], is_complete: bool) -> Comparison {
    let (before, now) = (by_step(before), by_step(now));
    let mut names: Vec<&str> = before.iter().map(|(step, _)| *step).collect();
    names.extend(
        now.iter().map(|(step, _)| *step).filter(|step| !before.iter().any(|(known, _)| known == step)),
    );
    let steps = names.iter().map(|step| compare_step(step, find(&before, step), find(&now, step)));
    Comparison { steps: steps.collect(), is_complete }
}

/// Calls by step, in the order of the first call of each.
fn by_step(calls: &[RecordedCall]) -> Vec<(&str, Vec<&RecordedCall>)> {
    let mut steps: Vec<(&str, Vec<&RecordedCall>)> = Vec::new();
    for call in calls {
        match steps.iter_mut().find(|(step, _)| *step == call.step) {
            Some((_, calls)) => calls.push(call),
            None => steps.push((&call.step, vec![call])),
        }
    }
    steps
}

/// The calls of a step; empty if there are none.
fn find<'a, 'b>(steps: &'b [(&str, Vec<&'a RecordedCall>)], step: &str) -> &'b [&'a RecordedCall] {
    steps.iter().find(|(known, _)| *known == step).map(|(_, calls)| calls.as_slice()).unwrap_or_default()
}

fn compare_step(step: &str, before: &[&RecordedCall], now: &[&RecordedCall]) -> StepComparison {
    let (first_before, first_now) = (before.first(), now.first());
    let presence = match (first_before, first_now) {
        (Some(_), None) => Presence::Gone,
        (None, _) => Presence::New,
        (Some(_), Some(_)) => Presence::Both,
    };
    let prompt =
        |call: Option<&&RecordedCall>| call.map(|call| call.prompt.as_str()).unwrap_or_default().to_owned();
    let (old, new) = (prompt(first_before), prompt(first_now));
    let inputs = InputDifference::find(&parse_inputs(&old), &new);
    let is_both = presence == Presence::Both;
    let agent = |call: Option<&&RecordedCall>| call.map(|call| call.agent.clone()).unwrap_or_default();
    let agents = (agent(first_before), agent(first_now));
    StepComparison {
        step: step.to_owned(),
        seat: first_now.or(first_before).map(|call| call.seat.clone()).unwrap_or_default(),
        presence,
        words: (count_words(&old), count_words(&new)),
        asked_differently: is_both && old.trim() != new.trim(),
        changed_inputs: if is_both { inputs.changed } else { Vec::new() },
        lost_inputs: if is_both { inputs.lost } else { Vec::new() },
        new_inputs: if is_both { inputs.new } else { Vec::new() },
        refusals: refusals(before, now),
        agents: (is_both && agents.0 != agents.1).then_some(agents),
    }
}

#[derive(Default)]
struct InputDifference {
    changed: Vec<String>,
    lost: Vec<String>,
    new: Vec<String>,
}

impl InputDifference {
    fn find(before: &[PromptInput], prompt: &str) -> InputDifference {
        let by_name = |inputs: &[PromptInput]| -> BTreeMap<String, PromptInput> {
            inputs.iter().map(|input| (input.name.clone(), input.clone())).collect()
        };
        // The same text under another title is the same input.
        let has_text = |inputs: &BTreeMap<String, PromptInput>, input: &PromptInput| {
            input.digest.is_some() && inputs.values().any(|other| other.digest == input.digest)
        };
        let (before, now) = (by_name(before), by_name(&parse_inputs(prompt)));
        // It may also have become a part of the question.
        let is_elsewhere = |input: &PromptInput| {
            has_text(&now, input) || (!input.text.trim().is_empty() && prompt.contains(input.text.trim()))
        };
        let mut difference = InputDifference::default();
        for (name, old) in &before {
            match (old, now.get(name)) {
                (old, None) if is_elsewhere(old) => {}
                (old, None) if old.digest.is_some() => difference.lost.push(name.clone()),
                (_, None) => difference.lost.push(format!("{name} (was by path)")),
                (old, Some(new)) if old.digest.is_some() && new.digest.is_none() => {
                    difference.lost.push(format!("{name} (by path only)"));
                }
                (old, Some(new)) if new.condensed && !old.condensed => {
                    difference.changed.push(format!("{name} (condensed)"));
                }
                (old, Some(new)) if old.digest.is_some() && old.digest != new.digest => {
                    difference.changed.push(name.clone());
                }
                _ => {}
            }
        }
        let is_new = |input: &&PromptInput| !before.contains_key(&input.name) && !has_text(&before, input);
        difference.new = now.values().filter(is_new).map(|input| input.name.clone()).collect();
        difference
    }
}

/// Answers that were sent back now, by agent, and not then.
fn refusals(before: &[&RecordedCall], now: &[&RecordedCall]) -> Vec<(String, String)> {
    let was_refused = |agent: &str| before.iter().any(|call| call.agent == agent && call.attempt > 1);
    let mut found = Vec::new();
    for (n, call) in now.iter().enumerate().filter(|(_, call)| call.attempt > 1) {
        if was_refused(&call.agent) && call.attempt == 2 {
            continue;
        }
        let first = now[..n].iter().rfind(|first| first.agent == call.agent && first.attempt == 1);
        found.push((call.agent.clone(), first.map_or_else(String::new, |first| problem(first, call))));
    }
    found
}

/// Text of a second prompt beyond the first one and the refused answer.
fn problem(first: &RecordedCall, second: &RecordedCall) -> String {
    let answer = first.answer.as_deref().unwrap_or_default();
    let known = |line: &&str| first.prompt.lines().chain(answer.lines()).any(|old| old.trim() == line.trim());
    let added: Vec<&str> =
        second.prompt.lines().filter(|line| !line.trim().is_empty()).filter(|line| !known(line)).collect();
    let mut text = added[..added.len().min(PROBLEM_LINES)].join("\n");
    if added.len() > PROBLEM_LINES {
        let _ = write!(text, "\n({} more lines)", added.len() - PROBLEM_LINES);
    }
    text
}

fn count_words(text: &str) -> usize {
    text.split_whitespace().count()
}

impl Comparison {
    /// True if a seat was refused, lost an input or is gone.
    pub(super) fn has_losses(&self) -> bool {
        self.steps.iter().any(|step| {
            step.presence == Presence::Gone || !step.refusals.is_empty() || !step.lost_inputs.is_empty()
        })
    }

    fn absence(&self) -> &'static str {
        if self.is_complete { "gone" } else { "not reached" }
    }

    /// The report, as Markdown.
    pub(super) fn render(&self) -> String {
        let steps = &self.steps;
        let with = |is: fn(&StepComparison) -> bool| steps.iter().filter(move |step| is(step)).count();
        let mut text = format!(
            "{} steps: {} asked as before, {} differently, {} new, {} {}; {} refused, {} lost an input.\n\n",
            steps.len(),
            with(|step| step.presence == Presence::Both && !step.asked_differently),
            with(|step| step.asked_differently),
            with(|step| step.presence == Presence::New),
            with(|step| step.presence == Presence::Gone),
            self.absence(),
            with(|step| !step.refusals.is_empty()),
            with(|step| !step.lost_inputs.is_empty()),
        );
        text.push_str("| step | words before | now | what changed |\n|---|---|---|---|\n");
        for step in steps {
            let words =
                |words: usize, is_there: bool| if is_there { words.to_string() } else { "–".to_owned() };
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} |",
                step.step,
                words(step.words.0, step.presence != Presence::New),
                words(step.words.1, step.presence != Presence::Gone),
                step.describe(self.absence()),
            );
        }
        for step in steps.iter().filter(|step| !step.refusals.is_empty()) {
            for (agent, problem) in &step.refusals {
                let _ = write!(text, "\n### {} refused {agent}\n\n", step.step);
                for line in problem.lines() {
                    let _ = writeln!(text, "> {line}");
                }
            }
        }
        text
    }
}

impl StepComparison {
    /// `absence` is the word for a step that is not asked now.
    fn describe(&self, absence: &str) -> String {
        let mut parts: Vec<String> = Vec::new();
        match self.presence {
            Presence::New => parts.push(format!("**new** (seat {})", self.seat)),
            Presence::Gone => parts.push(format!("**{absence}** (seat {})", self.seat)),
            Presence::Both => {}
        }
        if !self.refusals.is_empty() {
            parts.push("**refused**".to_owned());
        }
        let mut list = |title: &str, names: &[String]| {
            if !names.is_empty() {
                parts.push(format!("{title} {}", names.join(", ")));
            }
        };
        list("**lost**", &self.lost_inputs);
        list("new input", &self.new_inputs);
        list("changed", &self.changed_inputs);
        if let Some((before, now)) = &self.agents {
            parts.push(format!("{now} instead of {before}"));
        }
        if parts.is_empty() && self.asked_differently {
            parts.push("other words".to_owned());
        }
        parts.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(step: &str, attempt: u32, prompt: &str) -> RecordedCall {
        RecordedCall {
            seat: format!("seat-of-{step}"),
            step: step.to_owned(),
            agent: "claude".to_owned(),
            attempt,
            prompt: prompt.to_owned(),
            answer: Some("The answer.\n".to_owned()),
            ..RecordedCall::default()
        }
    }

    fn asking(inputs: &[(&str, &str)]) -> String {
        let mut text = "Ask.\n\n# Inputs\n".to_owned();
        for (name, content) in inputs {
            let _ = write!(text, "\n## {name}\n\n```\n{content}\n```\n");
        }
        text
    }

    #[test]
    fn every_kind_of_difference_is_reported() {
        let before = [
            call("same", 1, &asking(&[("a.md", "x")])),
            call("inputs", 1, &asking(&[("a.md", "x"), ("b.md", "y"), ("c.md", "z"), ("old.md", "same")])),
            call("words", 1, "Ask.\n"),
            call("refused", 1, "Ask.\n"),
            call("always-refused", 1, "Ask.\n"),
            call("always-refused", 2, "Ask.\nIt was wrong.\n"),
            call("gone", 1, "Ask.\n"),
        ];
        let now = [
            call("same", 1, &asking(&[("a.md", "x")])),
            call(
                "inputs",
                1,
                &(asking(&[("a.md", "changed"), ("d.md", "new"), ("The text", "same")])
                    + "\n## c.md\n\nToo long to quote: read /c.md\n"),
            ),
            RecordedCall { agent: "codex".to_owned(), ..call("words", 1, "Ask nicely.\n") },
            call("refused", 1, "Ask.\n"),
            call("refused", 2, "Ask.\n\nYour last answer could not be used: no heading\nThe answer.\n"),
            call("always-refused", 1, "Ask.\n"),
            call("always-refused", 2, "Ask.\nIt was wrong.\n"),
            call("added", 1, "Ask.\n"),
        ];
        let comparison = compare(&before, &now, true);
        assert!(comparison.has_losses());
        assert_eq!(
            comparison.render(),
            "7 steps: 3 asked as before, 2 differently, 1 new, 1 gone; 1 refused, 1 lost an input.\n\n\
             | step | words before | now | what changed |\n|---|---|---|---|\n\
             | same | 8 | 8 |  |\n\
             | inputs | 23 | 27 | **lost** b.md, c.md (by path only); new input d.md; changed a.md |\n\
             | words | 1 | 2 | codex instead of claude |\n\
             | refused | 1 | 1 | **refused** |\n\
             | always-refused | 1 | 1 |  |\n\
             | gone | 1 | – | **gone** (seat seat-of-gone) |\n\
             | added | – | 1 | **new** (seat seat-of-added) |\n\
             \n### refused refused claude\n\n> Your last answer could not be used: no heading\n"
        );
    }

    #[test]
    fn inputs_that_moved_into_the_question_are_not_lost() {
        let before = [call("a", 1, &asking(&[("summary.md", "What it came to.")]))];
        let now = [call("a", 1, "Ask. What it came to.\n")];
        assert_eq!(compare(&before, &now, true).steps[0].lost_inputs, [""; 0]);
    }

    #[test]
    fn steps_behind_the_stop_were_not_reached() {
        let before = [call("a", 1, "Ask.\n"), call("b", 1, "Ask.\n")];
        let report = compare(&before, &before[..1], false).render();
        assert!(report.contains("| b | 1 | – | **not reached** (seat seat-of-b) |"), "{report}");
    }

    #[test]
    fn equal_runs_have_no_losses() {
        let calls = [call("a", 1, "Ask.\n"), call("b", 1, "Ask.\n")];
        let comparison = compare(&calls, &calls, true);
        assert!(!comparison.has_losses());
        assert!(comparison.steps.iter().all(|step| !step.asked_differently));
    }
}
