//! What a project and a feature differ in, as data.

use super::questions;
use crate::flows::design::first_gate::Asked;
use crate::flows::design::level_seats;
use crate::flows::design::specification::spec_file;
use charrette_model::panel::context_summary::{FEATURE_PARTS, PROJECT_PARTS};
use charrette_model::seats::{Group, Seat};
use charrette_model::spec::resolver::Level;

/// One of the two levels.
pub(in super::super) struct Kind {
    pub(super) level: Level,
    /// Who sums up the research.
    pub(super) aggregator: &'static str,
    /// Who writes the files.
    pub(super) writer: &'static str,
    /// Who looks at them last.
    pub(super) validator: &'static str,
    /// What the writer drafts: the page and the manifest.
    pub(super) drafts: [&'static str; 2],
    /// The same, repaired.
    pub(super) repaired: [&'static str; 2],
    /// What is delivered: the drafts and the marker.
    pub(super) files: [&'static str; 3],
    /// The parts of the summary, which the first gate asks about one by one.
    pub(super) parts: &'static [&'static str; 6],
    /// The questions of the first gate.
    pub(super) questions: &'static [Asked; 6],
    /// What the manifest lists, in a warning.
    pub(super) listed: &'static str,
}

impl Kind {
    /// The kind of that level; a specification goes another way.
    pub(in super::super) fn of(level: Level) -> Option<&'static Kind> {
        match level {
            Level::Project => Some(&PROJECT),
            Level::Feature => Some(&FEATURE),
            Level::Spec => None,
        }
    }

    /// The three researchers.
    pub(super) fn researchers(&self) -> Vec<&'static Seat> {
        level_seats(self.level).group(Group::Researchers).collect()
    }

    /// The page and the manifest where they are delivered.
    pub(super) fn delivered(&self) -> [String; 2] {
        self.drafts.map(spec_file)
    }
}

static PROJECT: Kind = Kind {
    level: Level::Project,
    aggregator: "project-aggregator",
    writer: "project-writer",
    validator: "project-validator",
    drafts: ["project.md", "features.json"],
    repaired: ["repair/project.md", "repair/features.json"],
    files: ["project.md", "features.json", ".project-marker"],
    parts: &PROJECT_PARTS,
    questions: &questions::PROJECT,
    listed: "Features",
};

static FEATURE: Kind = Kind {
    level: Level::Feature,
    aggregator: "feature-aggregator",
    writer: "feature-writer",
    validator: "feature-validator",
    drafts: ["feature.md", "specs.json"],
    repaired: ["repair/feature.md", "repair/specs.json"],
    files: ["feature.md", "specs.json", ".feature-marker"],
    parts: &FEATURE_PARTS,
    questions: &questions::FEATURE,
    listed: "Specs",
};

#[cfg(test)]
mod tests {
    use super::*;
    use charrette_model::spec::check::shape;

    #[test]
    fn seats_and_files_are_those_of_the_tables() {
        for level in [Level::Project, Level::Feature] {
            let (kind, shape) = (Kind::of(level).unwrap(), shape(level).unwrap());
            assert_eq!(kind.files, [shape.page, shape.manifest, shape.marker]);
            assert_eq!(level_seats(level).seat(kind.writer).unwrap().writes, kind.drafts);
            assert_eq!(kind.repaired, kind.drafts.map(|name| format!("repair/{name}")));
            assert_eq!(kind.researchers().len(), 3);
            for id in [kind.aggregator, kind.writer, kind.validator] {
                assert!(level_seats(level).contains(id), "{id}");
            }
        }
        assert!(Kind::of(Level::Spec).is_none());
    }
}
