//! What is said in the light of a prompt: by the fake agent, which is told its seat, and by the mock model, which has to
//! find out from the prompt who is asked.

use super::script::{Cue, step_of_seat};
use serde_json::Value;
use std::path::Path;

/// The part for a prompt, and what is said in it.
#[derive(Debug, PartialEq)]
pub(crate) struct Prompted {
    /// The step.
    pub(crate) step: String,
    /// Its part of the script.
    pub(crate) part: Value,
    /// What is said.
    pub(crate) text: String,
}

/// What a folder of answers has for a prompt that says itself what its task is; nothing for other prompts.
pub(crate) fn prompted(script: &Path, agent: &str, prompt: &str) -> Option<Result<Prompted, String>> {
    let step = step_of_prompt(prompt)?;
    let cue = Cue::of_step(script, agent, &step);
    Some(cue.parts().and_then(|parts| {
        let part = fitting(&parts, prompt);
        let text = match (part["says"].as_str(), part["answer"].as_str()) {
            (Some(file), _) => {
                let text = fs_err::read_to_string(script.join(file)).map_err(|error| error.to_string())?;
                as_given(&text, prompt)
            }
            (None, answer) => answer.unwrap_or_default().to_owned(),
        };
        Ok(Prompted { step: cue.place, part, text })
    }))
}

/// The part that is played: the first whose `given` the prompt has, or that has none.
pub(super) fn fitting(parts: &[Value], prompt: &str) -> Value {
    let fits = |part: &&Value| part["given"].as_str().is_none_or(|given| prompt.contains(given));
    parts.iter().find(fits).cloned().unwrap_or_default()
}

/// A text, where the task of the prompt is named, and without the lines about what the prompt does not have.
pub(super) fn as_given(text: &str, prompt: &str) -> String {
    let kept = text.split_inclusive('\n').filter_map(|line| {
        let Some((given, line)) = line.strip_prefix("{given:").and_then(|rest| rest.split_once('}')) else {
            return Some(line);
        };
        prompt.contains(given).then_some(line)
    });
    kept.collect::<String>().replace("{task}", task_of(prompt).unwrap_or("unknown"))
}

/// The task that a prompt names. A client may have put something before the prompt, but in lines of its own.
fn task_of(prompt: &str) -> Option<&str> {
    prompt.lines().find_map(|line| line.strip_prefix("- Task: `")?.split('`').next())
}

/// The step that a prompt is of. A task is a seat; the one that is asked again for a repair is told so.
fn step_of_prompt(prompt: &str) -> Option<String> {
    let step = step_of_seat(task_of(prompt)?);
    Some(if prompt.contains("\nThis is a repair: ") { format!("{step}.repair") } else { step })
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
    fn what_is_said_depends_on_the_prompt() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs_err::write(folder.path().join(name), text).unwrap();
        write("judge.judge-claude.txt", "{given:### D1}one\n{given:### D2}two\n{task}\n");
        write("scoper.json", r#"[{"given": "blue", "answer": "sky"}, {"hang": true}]"#);
        let said = |prompt: &str| prompted(folder.path(), "any", prompt);
        let judge = said("- Task: `judge-claude` x\n### D2: y\n").unwrap().unwrap();
        assert_eq!((judge.step.as_str(), judge.text.as_str()), ("judge/judge-claude", "two\njudge-claude\n"));
        assert_eq!(said("- Task: `scoper` x\nblue\n").unwrap().unwrap().text, "sky");
        let hangs = said("- Task: `scoper` x\nred\n").unwrap().unwrap();
        assert_eq!((hangs.part, hangs.text.as_str()), (json!({"hang": true}), ""));
        assert_eq!(said("- Task: `writer` x\n").unwrap().unwrap_err(), "the script has nothing for writer");
        assert_eq!(said("A title, please.\n"), None);
    }
}
