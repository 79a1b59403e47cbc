//! The check of an answer's citations, for one call: rules from the policy of the seat and from the inputs of the call,
//! facts from the checkout. The rules themselves are in `charrette_model::panel::cite`.

use crate::agent::CallInputs;
use crate::ports::Checkout;
use charrette_model::panel::citations::cited_files;
use charrette_model::panel::cite::{
    CitationReport, CitationRules, SourceFacts, check_citations, declared_new,
};
use std::sync::Arc;

/// Rules for the check of a call's citations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CitationPolicy {
    /// Names of the run's files besides the inputs and outputs of the call; `*` stands for any text.
    pub own_files: Arc<[String]>,
    /// Absolute folders outside the repository whose files are checked as well, such as sources of dependencies.
    pub outside_folders: Arc<[String]>,
    /// True if a code fence below a lone place quotes it, and does not propose other code.
    pub fences_quote: bool,
}

/// Check of the answers to one call.
pub(crate) struct CitationCheck {
    facts: Arc<dyn SourceFacts>,
    rules: CitationRules,
}

impl CitationCheck {
    /// None if the run has no files to look at.
    pub(crate) fn new(
        policy: &CitationPolicy,
        checkout: &dyn Checkout,
        inputs: &CallInputs,
        writes: &[String],
    ) -> Option<CitationCheck> {
        let facts = checkout.sources(&policy.outside_folders)?;
        let names = inputs.all().iter().map(|input| &input.name).chain(writes).chain(&*policy.own_files);
        let rules = CitationRules {
            own_files: names.flat_map(|name| [Some(name.clone()), short_name(name)]).flatten().collect(),
            new_files: inputs.all().iter().flat_map(|input| declared_new(&input.text)).collect(),
            named_files: inputs
                .all()
                .iter()
                .flat_map(|input| cited_files(&input.text))
                .map(str::to_owned)
                .collect(),
            outside_folders: policy.outside_folders.to_vec(),
            fences_quote: policy.fences_quote,
            only_with_lines: false,
        };
        Some(CitationCheck { facts, rules })
    }

    pub(crate) fn check(&self, answer: &str) -> CitationReport {
        check_citations(answer, &*self.facts, &self.rules)
    }
}

/// Name of a file without its folder. A family such as `corrected/*` has none: `*` would stand for every file.
fn short_name(name: &str) -> Option<String> {
    let (_, last) = name.rsplit_once('/')?;
    (!last.contains('*')).then(|| last.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_of_files_has_no_short_name() {
        assert_eq!(short_name("specs/design.md").as_deref(), Some("design.md"));
        for name in ["corrected/*", "answers/*-*", "investigations/*.md", "plan.txt"] {
            assert_eq!(short_name(name), None, "{name}");
        }
    }
}
