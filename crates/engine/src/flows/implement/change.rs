//! The change that a round left in its worktree: captured as a tree, compared with its base, judged by rules.

use super::attempt::{Attempt, Workplace};
use super::work::{Work, step_error};
use crate::agent_step::AgentOutcome;
use crate::artifact::Input;
use crate::ports::PortError;
use crate::ports::worktrees::{CaptureOrder, Change, ChangeKind, ChangedFile, FileAt, ObjectId, Worktrees};
use crate::step::{Step, StepError};
use crate::stop::FlowResult;
use charrette_model::implement::ImplementTask;
use charrette_model::implement::change::{
    ChangeIssue, ChangeIssueKind, ChangeRules, FileChange, FileChangeKind, SymbolUse, judge_change,
    new_public_symbols, unused_symbols,
};
use charrette_model::implement::commit_text::TASK_TRAILER;
use charrette_model::implement::paths::is_test_path;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Maximum number of files whose texts are compared.
const MAX_READ_FILES: usize = 2000;

/// Maximum number of new symbols that are looked up.
const MAX_SYMBOLS: usize = 40;

/// A captured and judged change. Recorded.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct ChangeRecord {
    pub(super) tree: ObjectId,
    /// Changed paths.
    pub(super) files: Vec<String>,
    /// Changed test files.
    pub(super) tests: Vec<String>,
    pub(super) issues: Vec<ChangeIssue>,
    pub(super) tampering: Vec<String>,
    /// File with the diff.
    pub(super) diff: String,
    /// True if work on the same task is integrated already, and the task is done again because its demand changed. Its
    /// proof may then hold without a change.
    #[serde(default)]
    pub(super) is_redone: bool,
}

impl ChangeRecord {
    /// Why the change cannot land as it is, one line each.
    pub(super) fn problems(&self, attempt: &Attempt<'_>) -> Vec<String> {
        let mut problems: Vec<String> =
            self.tampering.iter().map(|what| format!("the repository was tampered with: {what}")).collect();
        if self.files.is_empty() && !attempt.is_by_hand() && !self.is_redone {
            problems.push("nothing was changed".to_owned());
        }
        problems.extend(self.issues.iter().filter(|issue| is_blocking(issue)).map(ToString::to_string));
        problems
    }

    /// Remarks that do not block.
    pub(super) fn remarks(&self) -> Vec<String> {
        self.issues.iter().filter(|issue| !is_blocking(issue)).map(ToString::to_string).collect()
    }

    /// True if not even a person may take it.
    pub(super) fn is_refused(&self) -> bool {
        !self.tampering.is_empty() || self.issues.iter().any(|issue| issue.is_refusal)
    }
}

/// True if the change cannot land because of an issue. A file of others counts, because they may be at work in it.
fn is_blocking(issue: &ChangeIssue) -> bool {
    issue.is_refusal || issue.kind == ChangeIssueKind::Outside
}

/// Captures the change of a round and judges it.
pub(super) async fn capture_change(
    attempt: &Attempt<'_>,
    place: &Workplace,
    round: usize,
    outcome: &AgentOutcome,
) -> FlowResult<ChangeRecord> {
    let answer: Vec<Input> =
        outcome.artifacts.0.iter().map(|file| Input::Artifact(file.name().to_owned())).collect();
    let step = Step::new(attempt.id(&format!("change-{round}"))).reads(&attempt.inputs()).reads(&answer);
    let (work, task, base) = (attempt.work.clone(), attempt.task.clone(), place.base.clone());
    let (name, diff) = (attempt.task.id.clone(), attempt.file(&format!("change-{round}.patch")));
    attempt
        .phase
        .step(step, move |context| async move {
            let change = capture(&work, &name, &base).await?;
            context.write(&diff, &change.diff.text)?;
            let is_redone = is_redone(&work, &base, &task.id).await?;
            Ok(ChangeRecord { is_redone, ..judge(&work, &task, &base, change, diff).await? })
        })
        .await
}

/// True if a commit of the task is integrated already.
async fn is_redone(work: &Work, base: &ObjectId, task: &str) -> Result<bool, StepError> {
    if *base == work.base.commit {
        return Ok(false);
    }
    let (first, key) = (work.base.commit.clone(), TASK_TRAILER.to_owned());
    let done = work.worktrees.trailers(first, base.clone(), key).await.map_err(step_error)?;
    Ok(done.iter().any(|id| id == task))
}

/// Captures the content of a worktree.
pub(super) async fn capture(work: &Work, name: &str, base: &ObjectId) -> Result<Change, StepError> {
    let order = CaptureOrder { run: work.run.clone(), name: name.to_owned(), base: base.clone() };
    work.worktrees.capture(order).await.map_err(step_error)
}

/// Judges a captured change by the rules for a task.
pub(super) async fn judge(
    work: &Work,
    task: &ImplementTask,
    base: &ObjectId,
    change: Change,
    diff: String,
) -> Result<ChangeRecord, StepError> {
    let files =
        read_changes(&*work.worktrees, base, &change.tree, &change.files).await.map_err(step_error)?;
    let mut report = judge_change(task, &files, &rules(work));
    report.issues.extend(find_unused(work, &change.tree, &files).await?);
    let files: Vec<String> = change.files.into_iter().map(|file| file.path).collect();
    Ok(ChangeRecord {
        tree: change.tree,
        tests: files.iter().filter(|path| is_test_path(path)).cloned().collect(),
        files,
        issues: report.issues,
        tampering: change.tampering,
        diff,
        is_redone: false,
    })
}

/// Findings for new public symbols that nothing but their tests uses.
async fn find_unused(
    work: &Work,
    tree: &ObjectId,
    files: &[FileChange],
) -> Result<Vec<ChangeIssue>, StepError> {
    let named = |file: &FileChange| -> Vec<(String, String, usize)> {
        let symbols = new_public_symbols(file).into_iter();
        symbols.map(|(symbol, line)| (symbol, file.path.clone(), line)).collect()
    };
    let symbols: Vec<(String, String, usize)> = files.iter().flat_map(named).take(MAX_SYMBOLS).collect();
    let words: Vec<String> = symbols.iter().map(|(symbol, ..)| symbol.clone()).collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let mentions = work.worktrees.mentions(tree.clone(), words).await.map_err(step_error)?;
    let uses = symbols.into_iter().zip(mentions).map(|((symbol, path, line), mentions)| SymbolUse {
        symbol,
        path,
        line,
        uses: mentions.into_iter().flat_map(|found| vec![found.path; found.lines]).collect(),
    });
    Ok(unused_symbols(&uses.collect::<Vec<_>>()))
}

/// Changed files with their texts before and after, as the rules for changes see them.
pub async fn read_changes(
    worktrees: &dyn Worktrees,
    base: &ObjectId,
    tree: &ObjectId,
    files: &[ChangedFile],
) -> Result<Vec<FileChange>, PortError> {
    let read = files.get(..MAX_READ_FILES).unwrap_or(files);
    // Links have no text.
    let is_file = |mode: &str| mode.starts_with("100");
    let at = |at: &ObjectId, file: &ChangedFile| FileAt { at: at.clone(), path: file.path.clone() };
    let before = read.iter().filter(|file| is_file(&file.old_mode)).map(|file| at(base, file));
    let after = read.iter().filter(|file| is_file(&file.mode)).map(|file| at(tree, file));
    let wanted: Vec<FileAt> = before.chain(after).collect();
    let texts = worktrees.read(wanted.clone()).await?;
    let mut texts: BTreeMap<(ObjectId, String), String> = wanted
        .into_iter()
        .zip(texts)
        .filter_map(|(file, text)| Some(((file.at, file.path), text?)))
        .collect();
    let mut text = |at: &ObjectId, file: &ChangedFile| texts.remove(&(at.clone(), file.path.clone()));
    Ok(files.iter().map(|file| file_change(file, text(base, file), text(tree, file))).collect())
}

/// Rules that hold for every task of the run.
pub(super) fn rules(work: &Work) -> ChangeRules {
    ChangeRules { max_file_bytes: work.settings.max_file_bytes, own_folders: work.own_folders.clone() }
}

fn file_change(file: &ChangedFile, old_text: Option<String>, text: Option<String>) -> FileChange {
    FileChange {
        path: file.path.clone(),
        kind: match file.kind {
            ChangeKind::Added => FileChangeKind::Added,
            ChangeKind::Modified => FileChangeKind::Modified,
            ChangeKind::Deleted => FileChangeKind::Deleted,
            ChangeKind::TypeChanged => FileChangeKind::TypeChanged,
        },
        old_mode: file.old_mode.clone(),
        mode: file.mode.clone(),
        size: file.size,
        is_binary: file.is_binary,
        old_text,
        text,
    }
}
