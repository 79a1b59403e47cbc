//! Effort of each side: calls, tokens and words, where they are known.

use super::folder::{Arena, DOCUMENTS, Side, read_json};
use crate::TaskResult;
use crate::driver::{read_document, workspace};
use crate::rehearse::{RecordedCall, read_queue};
use charrette_store::ledger::calls;
use serde::Deserialize;

/// Effort of one side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Effort {
    pub(super) calls: Option<u64>,
    /// Tokens read and written, as the vendors report them.
    pub(super) input: Option<u64>,
    pub(super) output: Option<u64>,
    /// Words of all prompts and of all answers.
    pub(super) prompt_words: Option<u64>,
    pub(super) answer_words: Option<u64>,
    /// Words of the three documents.
    pub(super) document_words: u64,
}

/// `lone/usage.json`, which whoever played the lone designer may leave.
#[derive(Debug, Deserialize)]
struct LoneUsage {
    calls: Option<u64>,
    input: Option<u64>,
    output: Option<u64>,
}

pub(super) fn effort(arena: &Arena, side: Side) -> TaskResult<Effort> {
    let mut document_words = 0;
    for (name, _) in DOCUMENTS {
        document_words +=
            words(&fs_err::read_to_string(arena.documents(side).join(name)).unwrap_or_default());
    }
    let effort = match side {
        Side::Panel => panel_effort(arena)?,
        Side::Lone => lone_effort(arena)?,
    };
    Ok(Effort { document_words, ..effort })
}

/// From the run's ledger and its calls.
fn panel_effort(arena: &Arena) -> TaskResult<Effort> {
    let repository = arena.repository(Side::Panel);
    let document = read_document(&repository, &arena.record.name);
    let ledger = match document.as_ref().and_then(|document| workspace(&repository, document)) {
        Some(workspace) => calls(&workspace)?,
        None => Vec::new(),
    };
    let queue: Vec<RecordedCall> = read_queue(&arena.calls(), None)?;
    let known = |figure: fn(&charrette_model::ledger::CallRecord) -> Option<u64>| {
        let figures: Vec<u64> = ledger.iter().filter_map(figure).collect();
        (!figures.is_empty()).then(|| figures.iter().sum())
    };
    let total = |text: fn(&RecordedCall) -> &str| {
        (!queue.is_empty()).then(|| queue.iter().map(|call| words(text(call))).sum())
    };
    Ok(Effort {
        calls: (!ledger.is_empty()).then_some(ledger.len() as u64),
        input: known(|call| call.input),
        output: known(|call| call.output),
        prompt_words: total(|call| &call.prompt),
        answer_words: total(|call| call.answer.as_deref().unwrap_or_default()),
        document_words: 0,
    })
}

fn lone_effort(arena: &Arena) -> TaskResult<Effort> {
    let usage: Option<LoneUsage> = read_json(&arena.path("lone/usage.json"))?;
    let prompt = fs_err::read_to_string(arena.path("lone/prompt.md")).ok();
    Ok(Effort {
        calls: usage.as_ref().and_then(|usage| usage.calls).or(Some(1)),
        input: usage.as_ref().and_then(|usage| usage.input),
        output: usage.as_ref().and_then(|usage| usage.output),
        prompt_words: prompt.map(|prompt| words(&prompt)),
        ..Effort::default()
    })
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}
