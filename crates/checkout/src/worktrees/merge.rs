//! Trial merges, in memory.

use super::error::Result;
use super::lost_lines::lost_lines;
use super::objects::check_object;
use super::places::Places;
use charrette_engine::ports::worktrees::{Merge, MergeConflict, MergeOrder};

impl Places {
    /// Merges a commit with the tip; changes neither files nor refs.
    pub(super) fn merge(&self, order: &MergeOrder) -> Result<Merge> {
        for id in [&order.base, &order.tip, &order.commit] {
            check_object(id)?;
        }
        let base = format!("--merge-base={}", order.base);
        let args = ["merge-tree", "--write-tree", "-z", "--name-only", &base, &order.tip, &order.commit];
        let (code, output) = self.git().answer(&args, &[0, 1])?;
        let answer = MergeAnswer::parse(&output);
        if code == 1 {
            let MergeAnswer { tree, paths, messages } = answer;
            return Ok(Merge::Conflict(MergeConflict { paths, tree, messages }));
        }
        let lost = lost_lines(self, order, &answer.tree)?;
        Ok(if lost.is_empty() { Merge::Clean(answer.tree) } else { Merge::LosesLines(lost) })
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct MergeAnswer {
    tree: String,
    paths: Vec<String>,
    messages: String,
}

impl MergeAnswer {
    /// Parses `<tree>\0(<path>\0)*\0` and messages, each `<n>\0(<path>\0){n}<kind>\0<text>\0`.
    fn parse(output: &[u8]) -> MergeAnswer {
        let mut fields = output.split(|byte| *byte == 0).map(String::from_utf8_lossy);
        let mut answer = MergeAnswer {
            tree: fields.next().unwrap_or_default().trim_end().to_owned(),
            ..MergeAnswer::default()
        };
        answer.paths = fields.by_ref().take_while(|path| !path.is_empty()).map(String::from).collect();
        while let Some(count) = fields.next().and_then(|count| count.parse::<usize>().ok()) {
            // The paths, and the kind of the message.
            let Some(text) = fields.by_ref().nth(count + 1) else { break };
            answer.messages.push_str(text.trim_end());
            answer.messages.push('\n');
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_tree_paths_and_messages() {
        let output = b"abc\0a\nb\0c\0\x001\0a\nb\0Auto-merging\0Auto-merging a\n\0\
            2\0c\0d\0CONFLICT (contents)\0CONFLICT in c\n\0";
        let answer = MergeAnswer::parse(output);
        assert_eq!(
            answer,
            MergeAnswer {
                tree: "abc".to_owned(),
                paths: vec!["a\nb".to_owned(), "c".to_owned()],
                messages: "Auto-merging a\nCONFLICT in c\n".to_owned()
            }
        );
        assert_eq!(
            MergeAnswer::parse(b"abc\0"),
            MergeAnswer { tree: "abc".to_owned(), ..MergeAnswer::default() }
        );
    }
}
