//! Answers that depend on the prompt: for the fake agent, which is told its seat, and for the mock model, which has to
//! find the seat in the prompt.

use super::script::{AgentCall, step_of_seat};
use serde_json::Value;
use std::path::Path;

/// Answer to a prompt, with its part of the script.
#[derive(Debug, PartialEq)]
pub(crate) struct PromptAnswer {
    pub(crate) step: String,
    /// Part of the script.
    pub(crate) part: Value,
    /// Text of the answer.
    pub(crate) text: String,
}

/// Answer from a folder for a prompt that names its task; none for other prompts.
pub(crate) fn answer_prompt(
    script: &Path,
    agent: &str,
    prompt: &str,
) -> Option<Result<PromptAnswer, String>> {
    let step = step_of_prompt(prompt)?;
    let call = AgentCall::for_step(script, agent, &step);
    Some(call.parts().and_then(|parts| {
        let part = select_part(&parts, prompt);
        let text = match (part["says"].as_str(), part["answer"].as_str()) {
            (Some(file), _) => {
                let text = fs_err::read_to_string(script.join(file)).map_err(|error| error.to_string())?;
                fill_in(&text, prompt)
            }
            (None, answer) => answer.unwrap_or_default().to_owned(),
        };
        Ok(PromptAnswer { step: call.step, part, text })
    }))
}

/// First part whose `given` is in the prompt, or that has none.
pub(super) fn select_part(parts: &[Value], prompt: &str) -> Value {
    let fits = |part: &&Value| part["given"].as_str().is_none_or(|given| prompt.contains(given));
    parts.iter().find(fits).cloned().unwrap_or_default()
}

/// Fills in `{task}`, and drops `{given:…}` lines whose text is not in the prompt.
pub(super) fn fill_in(text: &str, prompt: &str) -> String {
    let kept = text.split_inclusive('\n').filter_map(|line| {
        let Some((given, line)) = line.strip_prefix("{given:").and_then(|rest| rest.split_once('}')) else {
            return Some(line);
        };
        prompt.contains(given).then_some(line)
    });
    kept.collect::<String>().replace("{task}", task_name(prompt).unwrap_or("unknown"))
}

/// Task named by a prompt. A client may have added lines before the prompt.
fn task_name(prompt: &str) -> Option<&str> {
    prompt.lines().find_map(|line| line.strip_prefix("- Task: `")?.split('`').next())
}

/// Step of a prompt. A task is a seat; a repair is marked in the prompt.
fn step_of_prompt(prompt: &str) -> Option<String> {
    let step = step_of_seat(task_name(prompt)?);
    Some(match prompt {
        _ if prompt.contains("\nThis is a repair: ") => format!("{step}.repair"),
        _ if prompt.contains("\nThis is a correction: ") => format!("{step}.corrected"),
        _ => step,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_step_is_known_by_its_prompt() {
        for (prompt, step) in [
            ("# Writer\n\n- Task: `writer` (phase: write)\n- Feature: x\n", Some("writer")),
            ("<reminder>\n- Task: `debate-2-thesis` (phase: write)\n", Some("debate.2-thesis")),
            ("- Task: `writer` (…)\n\nThis is a repair: your files failed.\n", Some("writer.repair")),
            ("- Task: `scoper` (…)\n\n- Task: `writer` quoted\n", Some("scoper")),
            ("Respond with OK\n", None),
        ] {
            assert_eq!(step_of_prompt(prompt).as_deref(), step, "{prompt}");
        }
    }

    #[test]
    fn answers_depend_on_the_prompt() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs_err::write(folder.path().join(name), text).unwrap();
        write("judge.judge-claude.txt", "{given:### D1}one\n{given:### D2}two\n{task}\n");
        write("scoper.json", r#"[{"given": "blue", "answer": "sky"}, {"hang": true}]"#);
        let said = |prompt: &str| answer_prompt(folder.path(), "any", prompt);
        let judge = said("- Task: `judge-claude` x\n### D2: y\n").unwrap().unwrap();
        assert_eq!((judge.step.as_str(), judge.text.as_str()), ("judge/judge-claude", "two\njudge-claude\n"));
        assert_eq!(said("- Task: `scoper` x\nblue\n").unwrap().unwrap().text, "sky");
        let hangs = said("- Task: `scoper` x\nred\n").unwrap().unwrap();
        assert_eq!((hangs.part, hangs.text.as_str()), (json!({"hang": true}), ""));
        assert_eq!(said("- Task: `writer` x\n").unwrap().unwrap_err(), "the script has no answer for writer");
        assert_eq!(said("A title, please.\n"), None);
    }
}
