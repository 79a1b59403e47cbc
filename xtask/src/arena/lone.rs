//! `arena lone`: the prompt of the lone designer, and which of its files are missing. Whoever plays it reads `lone/prompt.md`,
//! works in `lone/repository` and writes `lone/answer/{requirements,design,tasks}.md`.

use super::folder::{Arena, DOCUMENTS, Side};
use super::traces::{SubjectMatter, remove_traces};
use crate::TaskResult;
use crate::driver::GivenAnswer;
use std::fmt::Write as _;
use std::path::Path;

const PROMPT: &str = include_str!("../../assets/arena/lone.md");

pub(super) fn prepare(folder: &Path) -> TaskResult {
    let arena = Arena::open(folder)?;
    if !arena.documents(Side::Panel).join("design.md").is_file() {
        return Err("the panel comes first: its questions and answers go to the lone designer too".into());
    }
    let repository = arena.repository(Side::Lone);
    let answer = arena.documents(Side::Lone);
    fs_err::create_dir_all(&answer)?;
    let prompt = PROMPT
        .replace("{repository}", &repository.display().to_string())
        .replace("{answer}", &answer.display().to_string())
        .replace("{decisions}", &render_answers(&arena.answers()?, &subject_matter(&arena)?))
        .replace("{request}", arena.request()?.trim_end());
    let path = arena.path("lone/prompt.md");
    fs_err::write(&path, prompt)?;
    let missing: Vec<&str> =
        DOCUMENTS.iter().map(|(name, _)| *name).filter(|name| !answer.join(name).is_file()).collect();
    if missing.is_empty() {
        println!("The lone designer is done: {}", answer.display());
        println!("Next: cargo xtask arena blind {}", arena.folder.display());
    } else {
        println!("Prompt: {}", path.display());
        println!("Waiting for {} in {}", missing.join(", "), answer.display());
    }
    Ok(())
}

/// The questions and answers of the person, for the lone designer and the judges. Confirmations of the panel's own
/// summaries and files decide nothing, and traces of the panel would tell the judges who is who.
pub(super) fn render_answers(answers: &[GivenAnswer], subject: &SubjectMatter) -> String {
    let mut text = String::new();
    for given in answers.iter().filter(|given| is_decision(given)) {
        let _ = write!(text, "\n**Question.** {}\n\n", clean_question(&given.question, subject));
        let _ = writeln!(text, "**Answer.** {}", given.answer.trim());
    }
    if text.is_empty() {
        "They were not asked anything further.\n".to_owned()
    } else {
        text.trim_start().to_owned()
    }
}

/// A question line by line (title, question, reason of the recommendation), without traces of the panel.
fn clean_question(question: &str, subject: &SubjectMatter) -> String {
    let clean = |line: &str| {
        let text = remove_traces(line, "Q", subject);
        text.strip_prefix("# Q").unwrap_or(&text).trim().to_owned()
    };
    let lines: Vec<String> = question.lines().map(clean).filter(|line| !line.is_empty()).collect();
    lines.join("  \n")
}

/// True if an answer decides something about the feature.
fn is_decision(given: &GivenAnswer) -> bool {
    let is_about_the_run = ["branch", "dirty-tree", "budget", "rate-limit"]
        .iter()
        .any(|kind| given.gate == *kind || given.gate.starts_with(&format!("{kind}/")));
    let is_confirmation = given.recommended && ["pre-design", "post-design"].contains(&given.gate.as_str());
    !is_about_the_run && !is_confirmation && !given.approval
}

/// Words that the request, the answers or the repository are about.
pub(super) fn subject_matter(arena: &Arena) -> TaskResult<SubjectMatter> {
    let repository = arena.repository(Side::Lone);
    let asked = arena.request()?;
    Ok(SubjectMatter::find(&asked, |word| {
        super::blind::repository_has(&repository, &arena.record.commit, word)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(gate: &str, answer: &str, recommended: bool) -> GivenAnswer {
        GivenAnswer {
            gate: gate.to_owned(),
            key: "q".to_owned(),
            question: format!("What about {gate}?"),
            answer: answer.to_owned(),
            recommended,
            approval: false,
        }
    }

    #[test]
    fn decisions_are_told_and_confirmations_are_not() {
        let approval = GivenAnswer { approval: true, ..given("post-design", "yes", true) };
        let answers = [
            given("clarify", "All.", true),
            given("pre-design", "yes", true),
            given("pre-design", "no, only reads", false),
            given("dirty-tree/x", "keep", false),
            approval,
            GivenAnswer {
                question: "Memory (DECISION_1)\nThe judges kept it by two votes to one. May it be lost?"
                    .to_owned(),
                ..given("discussion-2", "Yes.", true)
            },
        ];
        let text = render_answers(&answers, &SubjectMatter::default());
        assert!(text.contains("**Question.** What about clarify?\n\n**Answer.** All.\n"), "{text}");
        assert!(text.contains("no, only reads"), "{text}");
        assert!(text.contains("**Question.** Memory  \nThe designers kept it. May it be lost?\n"), "{text}");
        for absent in ["keep\n", "DECISION_1", "votes", "judges", "Answer.** yes"] {
            assert!(!text.contains(absent), "{absent}: {text}");
        }
        assert_eq!(render_answers(&[], &SubjectMatter::default()), "They were not asked anything further.\n");
    }
}
