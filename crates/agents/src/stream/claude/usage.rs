//! Usage in the results of Claude Code.
//!
//! `usage` is one turn without its subagents; `modelUsage` and `total_cost_usd` are the whole session so far,
//! with resumed processes; `model_usage_since_last_result` is the difference, and its sum is the usage of this
//! process. In `json` mode it is missing.

use crate::stream::event::Object;
use crate::stream::usage::{add_usage, round_usd, subtract_earlier};
use charrette_model::checkpoint::Usage;

/// Usage of the results so far.
#[derive(Debug, Default)]
pub(super) struct ResultUsage {
    turns: Option<Usage>,
    /// Sum of `model_usage_since_last_result`.
    since: Option<Usage>,
    /// True if a result had none.
    without_since: bool,
    /// The whole session so far.
    pub(super) session: Option<Usage>,
}

impl ResultUsage {
    pub(super) fn add(&mut self, event: &Object<'_>) {
        let plus = |total: &mut Option<Usage>, more: Usage| {
            *total = Some(total.as_ref().map_or_else(|| more.clone(), |total| add_usage(total, &more)));
        };
        if let Some(usage) = event.object("usage") {
            plus(&mut self.turns, turn_usage(&usage));
        }
        match event.object("model_usage_since_last_result") {
            Some(models) => plus(&mut self.since, models_usage(&models, None)),
            None => self.without_since = true,
        }
        if let Some(models) = event.object("modelUsage") {
            self.session = Some(models_usage(&models, event.number("total_cost_usd")));
        }
    }

    pub(super) fn of_process(&self, earlier: Option<&Usage>) -> Option<Usage> {
        if let (Some(since), false) = (&self.since, self.without_since) {
            return Some(since.clone());
        }
        let session = self.session.as_ref().map(|session| subtract_earlier(session, earlier));
        session.or_else(|| self.turns.clone())
    }
}

/// Usage of one turn, without its subagents and without a price.
fn turn_usage(usage: &Object<'_>) -> Usage {
    let count = |name| usage.count(name).unwrap_or_default();
    let cached = count("cache_read_input_tokens");
    let input = count("input_tokens").saturating_add(count("cache_creation_input_tokens"));
    Usage { input, output: count("output_tokens"), cached, usd: None }
}

/// Sum over all models. A price that the client guessed counts as unknown.
fn models_usage(models: &Object<'_>, total_usd: Option<f64>) -> Usage {
    let mut all = Usage { usd: Some(0.0), ..Usage::default() };
    for (_, model) in models.members() {
        let count = |name| model.count(name).unwrap_or_default();
        let cached = count("cacheReadInputTokens");
        let input = count("inputTokens").saturating_add(count("cacheCreationInputTokens"));
        let usd = model.number("costUSD").filter(|_| !model.is("costBasis", "unknown"));
        let model = Usage { input, output: count("outputTokens"), cached, usd };
        all = add_usage(&all, &model);
    }
    if all.usd.is_some() {
        all.usd = total_usd.map(round_usd).or(all.usd);
    }
    all
}
