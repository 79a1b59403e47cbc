//! The differences between projects and features, as data.

use super::questions;
use crate::flows::design::level_seats;
use crate::flows::design::pre_design_gate::SummaryQuestion;
use crate::flows::design::specification::spec_file;
use charrette_model::panel::context_summary::{FEATURE_PARTS, PROJECT_PARTS};
use charrette_model::seats::{Seat, SeatGroup};
use charrette_model::spec::resolver::SpecLevel;

/// Seats, files and questions of a level.
pub(in super::super) struct LevelKind {
    pub(super) level: SpecLevel,
    /// Seat that summarises the research.
    pub(super) aggregator: &'static str,
    /// Seat that writes the files.
    pub(super) writer: &'static str,
    /// Seat that validates the files.
    pub(super) validator: &'static str,
    /// Drafts of the writer: page and manifest.
    pub(super) drafts: [&'static str; 2],
    /// Repaired drafts.
    pub(super) repaired: [&'static str; 2],
    /// Delivered files: page, manifest and marker.
    pub(super) files: [&'static str; 3],
    /// Parts of the summary; the pre-design gate asks about each.
    pub(super) parts: &'static [&'static str; 6],
    /// Questions of the pre-design gate.
    pub(super) questions: &'static [SummaryQuestion; 6],
    /// Noun for the entries of the manifest, in a warning.
    pub(super) entries_noun: &'static str,
}

impl LevelKind {
    /// Kind of a level; none for a specification, which has its own flow.
    pub(in super::super) fn for_level(level: SpecLevel) -> Option<&'static LevelKind> {
        match level {
            SpecLevel::Project => Some(&PROJECT),
            SpecLevel::Feature => Some(&FEATURE),
            SpecLevel::Spec => None,
        }
    }

    /// The three researchers.
    pub(super) fn researchers(&self) -> Vec<&'static Seat> {
        level_seats(self.level).group(SeatGroup::Researchers).collect()
    }

    /// Delivered page and manifest, as artifact names.
    pub(super) fn delivered_files(&self) -> [String; 2] {
        self.drafts.map(spec_file)
    }
}

static PROJECT: LevelKind = LevelKind {
    level: SpecLevel::Project,
    aggregator: "project-aggregator",
    writer: "project-writer",
    validator: "project-validator",
    drafts: ["project.md", "features.json"],
    repaired: ["repair/project.md", "repair/features.json"],
    files: ["project.md", "features.json", ".project-marker"],
    parts: &PROJECT_PARTS,
    questions: &questions::PROJECT,
    entries_noun: "Features",
};

static FEATURE: LevelKind = LevelKind {
    level: SpecLevel::Feature,
    aggregator: "feature-aggregator",
    writer: "feature-writer",
    validator: "feature-validator",
    drafts: ["feature.md", "specs.json"],
    repaired: ["repair/feature.md", "repair/specs.json"],
    files: ["feature.md", "specs.json", ".feature-marker"],
    parts: &FEATURE_PARTS,
    questions: &questions::FEATURE,
    entries_noun: "Specs",
};

#[cfg(test)]
mod tests {
    use super::*;
    use charrette_model::spec::check::level_shape;

    #[test]
    fn seats_and_files_are_those_of_the_tables() {
        for level in [SpecLevel::Project, SpecLevel::Feature] {
            let (kind, shape) = (LevelKind::for_level(level).unwrap(), level_shape(level).unwrap());
            assert_eq!(kind.files, [shape.page, shape.manifest, shape.marker]);
            assert_eq!(level_seats(level).seat(kind.writer).unwrap().writes, kind.drafts);
            assert_eq!(kind.repaired, kind.drafts.map(|name| format!("repair/{name}")));
            assert_eq!(kind.researchers().len(), 3);
            for id in [kind.aggregator, kind.writer, kind.validator] {
                assert!(level_seats(level).contains(id), "{id}");
            }
        }
        assert!(LevelKind::for_level(SpecLevel::Spec).is_none());
    }
}
