//! Accounts for every finding of every reviewer: each must be in exactly one merged item, or its parts `#2a` and `#2b`
//! in one each.

use super::findings::read_findings;
use super::ids::ItemId;
use super::resolutions::DecisionResolution;
use super::review_items::{FindingRef, ReviewItem};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// Label of a reviewer and the numbers of its findings. Recorded by the flow: field names are a stored format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedReview {
    pub label: String,
    pub numbers: Vec<u32>,
}

impl NumberedReview {
    /// Reads the numbers from the text of a review.
    pub fn read(label: &str, review: &str) -> NumberedReview {
        let numbers = read_findings(review).findings.iter().map(|finding| finding.n).collect();
        NumberedReview { label: label.to_owned(), numbers }
    }
}

/// Corrections that the merger must make: findings that are in no `From`, in several, or that no reviewer wrote. Each entry says
/// what to do.
pub fn unaccounted_findings(items: &[ReviewItem], reviews: &[NumberedReview]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut taken: BTreeMap<&FindingRef, Vec<ItemId>> = BTreeMap::new();
    for item in items {
        if item.from.is_empty() {
            let id = item.id;
            problems.push(format!("{id} has no From: name the findings it was made from, as Cursor-Arch#2"));
        }
        for finding in &item.from {
            taken.entry(finding).or_default().push(item.id);
            problems.extend(unknown_finding(item.id, finding, reviews));
        }
    }
    for (finding, ids) in taken.iter().filter(|(_, ids)| ids.len() > 1) {
        let named: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let cure = match finding.part {
            None => format!("keep it in one, or split it as {finding}a and {finding}b"),
            Some(_) => "keep it in one".to_owned(),
        };
        problems.push(format!("{finding} is in {}: {cure}", named.join(" and ")));
    }
    for review in reviews {
        for n in &review.numbers {
            let is_named = |from: &&FindingRef| from.reviewer == review.label && from.n == *n;
            let parts: Vec<&FindingRef> = taken.keys().copied().filter(is_named).collect();
            let finding = FindingRef { reviewer: review.label.clone(), n: *n, part: None };
            if parts.len() > 1 && parts.contains(&&finding) {
                problems.push(format!("{finding} is named whole and in parts: name one or the other"));
            }
            if parts.is_empty() {
                problems.push(format!(
                    "{finding} is in no From: add it to the item it belongs to, or make one for it"
                ));
            }
        }
    }
    problems
}

fn unknown_finding(id: ItemId, finding: &FindingRef, reviews: &[NumberedReview]) -> Option<String> {
    let FindingRef { reviewer, n, .. } = finding;
    let Some(review) = reviews.iter().find(|review| review.label == *reviewer) else {
        let known: Vec<&str> = reviews.iter().map(|review| review.label.as_str()).collect();
        return Some(format!(
            "{id}: there is no reviewer {reviewer}; the reviewers are {}",
            known.join(", ")
        ));
    };
    let has = match review.numbers.as_slice() {
        [] => "has no findings".to_owned(),
        [only] => format!("has finding {only} only"),
        numbers => {
            format!("has findings {}", numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
        }
    };
    (!review.numbers.contains(n)).then(|| format!("{id}: there is no {finding}; {reviewer} {has}"))
}

/// Contradictions of decisions that have no resolution. Each entry says what to do.
pub fn unknown_contradictions(items: &[ReviewItem], resolutions: &[DecisionResolution]) -> Vec<String> {
    let known: HashSet<ItemId> = resolutions.iter().map(|entry| ItemId::decision(entry.n)).collect();
    let wrong =
        items.iter().flat_map(|item| item.contradicts.iter().map(move |decision| (item.id, decision)));
    wrong
        .filter(|(_, decision)| !known.contains(decision))
        .map(|(id, decision)| {
            format!("{id} contradicts {decision}, which has no resolution: leave Contradicts out")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::resolutions::read_resolutions;
    use crate::panel::review_items::read_review_items;

    fn items(froms: &[&str]) -> Vec<ReviewItem> {
        let blocks = (1..).zip(froms).map(|(n, from): (u32, _)| {
            format!("### FINDING_{n}: t\n- **From**: {from}\n- **Concern**: c\n- **Revision**: r\n")
        });
        read_review_items(&blocks.collect::<String>()).0
    }

    fn problems(froms: &[&str]) -> Vec<String> {
        let reviews = [
            NumberedReview::read("Arch", "1. [security] a\n2. [security] b\n3. [OUT_OF_SCOPE] [security] c"),
            NumberedReview::read("Edge", "1. [security] d"),
            NumberedReview::read("Code", "NO_ISSUES_FOUND"),
        ];
        unaccounted_findings(&items(froms), &reviews)
    }

    #[test]
    fn every_finding_is_in_exactly_one_item() {
        assert_eq!(problems(&["Arch#1, Edge#1", "Arch#2", "Arch#3"]), [""; 0]);
        assert_eq!(
            problems(&["Arch#1, Edge#1", "Arch#3"]),
            ["Arch#2 is in no From: add it to the item it belongs to, or make one for it"]
        );
        assert_eq!(
            problems(&["Arch#1, Edge#1", "Arch#2, Edge#1", "Arch#3"]),
            ["Edge#1 is in FINDING_1 and FINDING_2: keep it in one, or split it as Edge#1a and Edge#1b"]
        );
        assert_eq!(problems(&["Arch#1, Edge#1a", "Arch#2, Edge#1b", "Arch#3"]), [""; 0]);
        assert_eq!(
            problems(&["Arch#1, Edge#1a", "Arch#2, Edge#1a", "Arch#3"]),
            ["Edge#1a is in FINDING_1 and FINDING_2: keep it in one"]
        );
        assert_eq!(
            problems(&["Arch#1, Edge#1", "Arch#2, Edge#1b", "Arch#3"]),
            ["Edge#1 is named whole and in parts: name one or the other"]
        );
        assert_eq!(
            problems(&["Arch#1, Arch#2, Arch#3, Arch#4", "Edge#1, Edge#2", "Code#1", "Nobody#1"]),
            [
                "FINDING_1: there is no Arch#4; Arch has findings 1, 2, 3",
                "FINDING_2: there is no Edge#2; Edge has finding 1 only",
                "FINDING_3: there is no Code#1; Code has no findings",
                "FINDING_4: there is no reviewer Nobody; the reviewers are Arch, Edge, Code",
            ]
        );
        assert_eq!(problems(&[]).len(), 4);
    }

    #[test]
    fn the_older_form_cannot_be_accounted_for() {
        let (older, _) = read_review_items("### FINDING_1: t\nReviewers: Edge\nConcern: c\nRevision: r");
        let reviews = [NumberedReview::read("Edge", "1. [security] d")];
        assert_eq!(
            unaccounted_findings(&older, &reviews),
            [
                "FINDING_1 has no From: name the findings it was made from, as Cursor-Arch#2",
                "Edge#1 is in no From: add it to the item it belongs to, or make one for it",
            ]
        );
    }

    #[test]
    fn a_contradiction_needs_a_resolution() {
        let (resolutions, _) =
            read_resolutions("### DECISION_2: Store\n**Resolution**: Redis\n**Disposition**: over-cap\n");
        let (items, _) = read_review_items(
            "### FINDING_1: t\nFrom: a#1\nConcern: c\nRevision: r\nContradicts: DECISION_2, DECISION_3",
        );
        assert_eq!(
            unknown_contradictions(&items, &resolutions),
            ["FINDING_1 contradicts DECISION_3, which has no resolution: leave Contradicts out"]
        );
    }
}
