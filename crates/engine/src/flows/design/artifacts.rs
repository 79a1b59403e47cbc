//! The files of a design: what each is called, who writes it and who reads it. Nothing else spells their names: seats read
//! what this table says, and the table in the docs is made from it.

use crate::artifact::ArtifactSpec;
pub use charrette_model::panel::names::*;

const fn file(
    name: &'static str,
    writer: &'static str,
    readers: &'static [&'static str],
    about: &'static str,
) -> ArtifactSpec {
    ArtifactSpec { name, writer, readers, about }
}

/// The six sketches: four with a lens each, and two plain ones.
macro_rules! sketches {
    ($($more:literal),*) => {
        &["cursor-arch", "cursor-edge", "codex-innovation", "codex-pragmatic", "cursor-generic", "codex-generic" $(, $more)*]
    };
}

/// Both sides of the five debates there may be.
macro_rules! debaters {
    ($($more:literal),*) => {
        &[
            "debate-1-thesis", "debate-1-antithesis", "debate-2-thesis", "debate-2-antithesis", "debate-3-thesis",
            "debate-3-antithesis", "debate-4-thesis", "debate-4-antithesis", "debate-5-thesis", "debate-5-antithesis"
            $(, $more)*
        ]
    };
}

const RESEARCHERS: [&str; 9] = [
    "researcher-requirements",
    "researcher-dependencies",
    "researcher-tasks",
    "researcher-vision",
    "researcher-scope",
    "researcher-rough-specs",
    "researcher-feature-domain",
    "researcher-spec-breakdown",
    "researcher-feature-dependencies",
];

/// Every file of a design, in the order they come.
pub const ARTIFACTS: &[ArtifactSpec] = &[
    file(
        REQUEST,
        "request",
        &[
            "researcher-requirements",
            "researcher-dependencies",
            "researcher-tasks",
            "researcher-vision",
            "researcher-scope",
            "researcher-rough-specs",
            "researcher-feature-domain",
            "researcher-spec-breakdown",
            "researcher-feature-dependencies",
            "project-aggregator",
            "feature-aggregator",
            "clarifier",
            "scoper",
            "cursor-arch",
            "cursor-edge",
            "codex-innovation",
            "codex-pragmatic",
            "cursor-generic",
            "codex-generic",
            "planner",
            "reviewer-arch",
            "reviewer-edge",
            "reviewer-innovation",
            "reviewer-pragmatic",
            "writer",
            "project-writer",
            "feature-writer",
            "setup",
            "survey",
        ],
        "what was asked for, word for word",
    ),
    file(SURVEY, "survey", &RESEARCHERS, "what the repository says for itself"),
    file(RESEARCH_REQUIREMENTS, "researcher-requirements", &["aggregator", "decided"], "what must be true"),
    file(
        RESEARCH_DEPENDENCIES,
        "researcher-dependencies or researcher-feature-dependencies",
        &["aggregator", "feature-aggregator", "decided"],
        "what it touches and what touches it",
    ),
    file(RESEARCH_TASKS, "researcher-tasks", &["aggregator", "decided"], "what there is to do"),
    file(RESEARCH_VISION, "researcher-vision", &["project-aggregator", "decided"], "what a project is for"),
    file(RESEARCH_SCOPE, "researcher-scope", &["project-aggregator", "decided"], "what belongs to a project"),
    file(
        RESEARCH_ROUGH_SPECS,
        "researcher-rough-specs",
        &["project-aggregator", "decided"],
        "how a project may be cut",
    ),
    file(
        RESEARCH_DOMAIN,
        "researcher-feature-domain",
        &["feature-aggregator", "decided"],
        "what a feature is about",
    ),
    file(
        RESEARCH_BREAKDOWN,
        "researcher-spec-breakdown",
        &["feature-aggregator", "decided"],
        "how a feature may be cut",
    ),
    file(
        CORRECTION,
        "pre-design/correction",
        &["the researchers"],
        "what the person said the research got wrong",
    ),
    file(
        SUMMARY,
        "aggregator, project-aggregator or feature-aggregator",
        sketches!(
            "clarifier",
            "scoper",
            "planner",
            "writer",
            "project-writer",
            "feature-writer",
            "pre-design/page",
            "spec-files"
        ),
        "what the research came to, in six parts",
    ),
    file(QUESTIONS_CLARIFY, "clarifier", &["clarifier/questions"], "what the request leaves open"),
    file(CLARIFIED, "clarifier/settled", &["scoper"], "how that was settled"),
    file(QUESTIONS_SCOPE, "scoper", &["scoper/questions"], "what belongs to the feature"),
    file(ROUND_1, "scoper/settled", sketches!("planner", "discusser"), "how the scope was settled"),
    file(
        PRE_DESIGN,
        "pre-design/answers",
        sketches!("planner", "writer", "project-writer", "feature-writer"),
        "what the person answered at the first gate, where it is not a plain yes",
    ),
    file(SKETCHES, "the sketches", &["synthesist", "sketch/compared"], "independent approaches"),
    file(SYNTHESIS, "synthesist", debaters!("planner"), "one approach, and where the sketches differ"),
    file(
        CONTESTED,
        "synthesist",
        debaters!(
            "discusser",
            "dialectic/buckets",
            "dialectic/ballot",
            "dialectic/resolutions",
            "spec-files"
        ),
        "the decisions that are contested",
    ),
    file(
        DEFENSES,
        "the debaters",
        &["dialectic/ballot", "dialectic/resolutions"],
        "both sides of each decision",
    ),
    file(
        DIALECTIC_BALLOT,
        "dialectic/ballot",
        &["judge-cursor", "judge-codex", "judge-claude"],
        "what the judges judge",
    ),
    file(JUDGEMENTS, "the judges", &["dialectic/resolutions"], "what they decided and why"),
    file(
        RESOLUTIONS,
        "dialectic/resolutions",
        &["planner", "discusser", "writer", "spec-files", "post-design/page"],
        "what became of every contested decision",
    ),
    file(
        PLAN_DRAFT,
        "planner",
        &[
            "reviewer-arch",
            "reviewer-edge",
            "reviewer-innovation",
            "reviewer-pragmatic",
            "voter-claude",
            "voter-codex",
            "voter-cursor",
            "reviser",
            "plan/as-drafted",
        ],
        "the plan that is reviewed",
    ),
    file(REVIEWS, "the reviewers", &["merger", "review/found"], "what is wrong with it"),
    file(REVIEWERS, "review/labels", &["the merger", "review/found"], "who wrote which review"),
    file(FINDINGS, "merger", &["review/ballot", "review/tally"], "one list of what all found"),
    file(BALLOT, "review/ballot", &["voter-claude", "voter-codex", "voter-cursor"], "what is voted on"),
    file(VOTES, "the voters", &["review/tally"], "the votes and their reasons"),
    file(TALLY, "review/tally", &["discusser", "writer", "spec-files"], "how the votes came out"),
    file(ACCEPTED, "review/tally", &["reviser"], "the findings that change the plan"),
    file(REJECTED, "review/tally", &["rejected/any"], "the findings that do not"),
    file(OUT_OF_SCOPE, "review/tally", &[], "what was seen that is not part of this"),
    file(OUT_OF_SCOPE_ACCEPTED, "review/tally", &["hand-over/out-of-scope"], "what of it is worth an issue"),
    file(
        PLAN_REVIEWED,
        "reviser or plan/as-drafted",
        &["discusser", "finisher", "plan/as-reviewed"],
        "the plan after the vote",
    ),
    file(QUESTIONS_DESIGN, "discusser", &["discusser/questions"], "what is still contested"),
    file(ROUND_2, "discusser/settled", &["finisher", "plan/wishes"], "how that was settled"),
    file(
        FEEDBACK,
        "the second gate",
        &["finisher", "illustrator", "writer", "project-writer", "feature-writer", "plan/wishes"],
        "what the person wants revised",
    ),
    file(PLAN, "finisher or plan/as-reviewed", &["illustrator", "writer", "checks"], "the final plan"),
    file(DIAGRAM_CANDIDATE, "illustrator", &["diagram/promote"], "a diagram of it"),
    file(DIAGRAM, "diagram/promote", &["spec-files"], "the same, if it can be drawn"),
    file(DIAGRAM_SVG, "diagram/promote", &[], "drawn"),
    file(ISSUES, "diagram/promote", &[], "what went wrong on the way"),
    file(REQUIREMENTS, "writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(DESIGN, "writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(TASKS, "writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(PROJECT, "project-writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(FEATURES, "project-writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(FEATURE, "feature-writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(SPECS, "feature-writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(WRITE_SUMMARY, "spec-files", &[], "what was written, in a sentence"),
    file(
        SPEC_REQUIREMENTS,
        "spec-files or status/approved",
        &["validator", "post-design/page", "checks"],
        "delivered",
    ),
    file(
        SPEC_DESIGN,
        "spec-files or status/approved",
        &["validator", "post-design/page", "checks"],
        "delivered",
    ),
    file(
        SPEC_TASKS,
        "spec-files or status/approved",
        &["validator", "post-design/page", "checks"],
        "delivered",
    ),
    file(
        SPEC_SUMMARY,
        "spec-files or status/approved",
        &["validator", "post-design/page", "checks"],
        "delivered",
    ),
    file(
        SPEC_JSON,
        "spec-files or status/approved",
        &["validator", "post-design/page", "checks"],
        "delivered",
    ),
    file(
        SPEC_META,
        "spec-files or status/approved",
        &["validator", "post-design/page", "checks"],
        "delivered",
    ),
    file(
        SPEC_PROJECT,
        "spec-files or status/approved",
        &["project-validator", "post-design/page", "checks"],
        "delivered",
    ),
    file(
        SPEC_FEATURES,
        "spec-files or status/approved",
        &["project-validator", "post-design/page", "checks"],
        "delivered",
    ),
    file(
        SPEC_FEATURE,
        "spec-files or status/approved",
        &["feature-validator", "post-design/page", "checks"],
        "delivered",
    ),
    file(
        SPEC_SPECS,
        "spec-files or status/approved",
        &["feature-validator", "post-design/page", "checks"],
        "delivered",
    ),
    file(
        GATE_SUBJECT,
        "post-design/page",
        &["status/draft", "status/approved", "tracker/record"],
        "what is approved",
    ),
    file(GATE_PAGE, "post-design/page", &[], "what stands above the questions of the second gate"),
    file(
        CHECKS,
        "checks",
        &["validator", "project-validator", "feature-validator", "verdict", "repair/issues"],
        "what the rules found",
    ),
    file(VALIDATION, "validator", &["verdict", "repair/issues"], "what the validator found"),
    file(REPAIR_ISSUES, "repair/issues", &["writer/repair"], "what is to be repaired"),
    file(REPAIRED, "spec-files/repair", &["verdict"], "which drafts were repaired"),
    file(VALIDATE_SUMMARY, "verdict", &[], "how validation ended, in a sentence"),
];

/// The files that a seat reads, in the order they come, for its table.
macro_rules! reads {
    ($seat:literal) => {
        const {
            &$crate::flows::design::artifacts::reads_of::<
                { $crate::flows::design::artifacts::count_reads($seat) },
            >($seat)
        }
    };
}
pub(super) use reads;

/// How many files a seat reads.
pub(super) const fn count_reads(seat: &str) -> usize {
    let (mut n, mut found) = (0, 0);
    while n < ARTIFACTS.len() {
        if is_reader(&ARTIFACTS[n], seat) {
            found += 1;
        }
        n += 1;
    }
    found
}

/// The files a seat reads, in the order they come.
pub(super) const fn reads_of<const N: usize>(seat: &str) -> [&'static str; N] {
    let mut names = [""; N];
    let (mut n, mut found) = (0, 0);
    while n < ARTIFACTS.len() {
        if is_reader(&ARTIFACTS[n], seat) {
            names[found] = ARTIFACTS[n].name;
            found += 1;
        }
        n += 1;
    }
    names
}

const fn is_reader(artifact: &ArtifactSpec, seat: &str) -> bool {
    let mut n = 0;
    while n < artifact.readers.len() {
        if is_same(artifact.readers[n], seat) {
            return true;
        }
        n += 1;
    }
    false
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut n = 0;
    while n < one.len() {
        if one[n] != other[n] {
            return false;
        }
        n += 1;
    }
    true
}
