//! Notes in the reason of a failure that name the file with the output. The file name has the number of the attempt, so
//! files that must be the same after a kill take the reason without its note.

const OUTPUT: &str = " (output saved in ";
const ANSWER: &str = " (retried once; answer saved in ";

/// The reason of a failed call, with the file that has its output.
pub(crate) fn with_output(reason: &str, file: &str) -> String {
    format!("{reason}{OUTPUT}{file})")
}

/// The problem of an answer that was refused twice, with the file that has the second answer.
pub(crate) fn with_answer(problem: &str, file: &str) -> String {
    format!("{problem}{ANSWER}{file})")
}

/// The reason without its note.
pub(crate) fn without_note(reason: &str) -> &str {
    let note = [OUTPUT, ANSWER].into_iter().filter_map(|note| reason.rfind(note)).max();
    match note {
        Some(start) if reason.ends_with(')') => &reason[..start],
        _ => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_note_at_the_end_is_removed() {
        let file = "evidence/write-planner-2-claude-1.txt";
        for reason in ["exit code 1", "exit code 1 (killed)", "", "was (output saved in a) here"] {
            assert_eq!(without_note(reason), reason);
            assert_eq!(without_note(&with_output(reason, file)), reason);
            assert_eq!(without_note(&with_answer(reason, file)), reason);
        }
    }
}
