//! Files of a design: names, writers and readers. The inputs of the seats and the table in the docs come from this table.

use crate::artifact::ArtifactSpec;
pub use charrette_model::panel::file_names::*;

const fn file(
    name: &'static str,
    writer: &'static str,
    readers: &'static [&'static str],
    about: &'static str,
) -> ArtifactSpec {
    ArtifactSpec { name, writer, readers, about }
}

/// Sketch seats: four with a lens, two generic ones, and others.
macro_rules! sketches {
    ($($more:literal),*) => {
        &["cursor-arch", "cursor-edge", "codex-innovation", "codex-pragmatic", "cursor-generic", "codex-generic" $(, $more)*]
    };
}

/// Both sides of up to five debates, and others.
macro_rules! debaters {
    ($($more:literal),*) => {
        &[
            "debate-1-thesis", "debate-1-antithesis", "debate-2-thesis", "debate-2-antithesis", "debate-3-thesis",
            "debate-3-antithesis", "debate-4-thesis", "debate-4-antithesis", "debate-5-thesis", "debate-5-antithesis"
            $(, $more)*
        ]
    };
}

/// Researcher seats of all levels, and others.
macro_rules! researchers {
    ($($more:literal),*) => {
        &[
            "researcher-requirements", "researcher-dependencies", "researcher-tasks", "researcher-vision",
            "researcher-scope", "researcher-rough-specs", "researcher-feature-domain", "researcher-spec-breakdown",
            "researcher-feature-dependencies" $(, $more)*
        ]
    };
}

/// All files of a design, in the order they are written.
pub const ARTIFACTS: &[ArtifactSpec] = &[
    file(
        REQUEST,
        "request",
        researchers!(
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
            "survey"
        ),
        "the request, word for word",
    ),
    file(SURVEY, "survey", researchers!(), "survey of the repository"),
    file(
        RESEARCH_REQUIREMENTS,
        "researcher-requirements",
        &["aggregator", "decided"],
        "findings on requirements",
    ),
    file(
        RESEARCH_DEPENDENCIES,
        "researcher-dependencies or researcher-feature-dependencies",
        &["aggregator", "feature-aggregator", "decided"],
        "findings on dependencies",
    ),
    file(RESEARCH_TASKS, "researcher-tasks", &["aggregator", "decided"], "findings on tasks"),
    file(
        RESEARCH_VISION,
        "researcher-vision",
        &["project-aggregator", "decided"],
        "findings on the vision of a project",
    ),
    file(
        RESEARCH_SCOPE,
        "researcher-scope",
        &["project-aggregator", "decided"],
        "findings on the scope of a project",
    ),
    file(
        RESEARCH_ROUGH_SPECS,
        "researcher-rough-specs",
        &["project-aggregator", "decided"],
        "possible specs of a project",
    ),
    file(
        RESEARCH_DOMAIN,
        "researcher-feature-domain",
        &["feature-aggregator", "decided"],
        "findings on the domain of a feature",
    ),
    file(
        RESEARCH_BREAKDOWN,
        "researcher-spec-breakdown",
        &["feature-aggregator", "decided"],
        "possible specs of a feature",
    ),
    file(
        CORRECTION,
        "pre-design/correction",
        &["the researchers"],
        "corrections of the person to the research",
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
        "context summary of the research, in six parts",
    ),
    file(QUESTIONS_CLARIFY, "clarifier", &["clarifier/questions"], "open questions of the request"),
    file(CLARIFIED, "clarifier/settled", &["scoper"], "answers to the open questions"),
    file(QUESTIONS_SCOPE, "scoper", &["scoper/questions"], "questions about the scope"),
    file(ROUND_1, "scoper/settled", sketches!("planner", "discusser"), "answers of the scope discussion"),
    file(
        PRE_DESIGN,
        "pre-design/answers",
        sketches!("planner", "writer", "project-writer", "feature-writer"),
        "answers at the pre-design gate that are no confirmation",
    ),
    file(SKETCHES, "the sketches", &["synthesist", "sketch/compared"], "independent approaches"),
    file(SYNTHESIS, "synthesist", debaters!("planner"), "one approach, with the differences of the sketches"),
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
        "contested decisions",
    ),
    file(
        DEFENSES,
        "the debaters",
        &["dialectic/ballot", "dialectic/resolutions"],
        "defenses of both sides of each decision",
    ),
    file(
        DIALECTIC_BALLOT,
        "dialectic/ballot",
        &["judge-cursor", "judge-codex", "judge-claude"],
        "ballot for the judges",
    ),
    file(JUDGEMENTS, "the judges", &["dialectic/resolutions"], "votes of the judges, with reasons"),
    file(
        RESOLUTIONS,
        "dialectic/resolutions",
        &["planner", "discusser", "writer", "spec-files", "post-design/page"],
        "resolution of every contested decision",
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
        "draft of the plan",
    ),
    file(REVIEWS, "the reviewers", &["merger", "review/found"], "reviews of the draft"),
    file(REVIEWERS, "review/labels", &["the merger", "review/found"], "labels of the reviewers"),
    file(FINDINGS, "merger", &["review/ballot", "review/tally"], "merged list of findings"),
    file(BALLOT, "review/ballot", &["voter-claude", "voter-codex", "voter-cursor"], "ballot for the voters"),
    file(VOTES, "the voters", &["review/tally"], "votes, with reasons"),
    file(TALLY, "review/tally", &["discusser", "writer", "spec-files"], "tally of the votes"),
    file(ACCEPTED, "review/tally", &["reviser"], "accepted findings"),
    file(REJECTED, "review/tally", &["rejected/any"], "rejected findings"),
    file(OUT_OF_SCOPE, "review/tally", &[], "out-of-scope observations"),
    file(
        OUT_OF_SCOPE_ACCEPTED,
        "review/tally",
        &["hand-over/out-of-scope"],
        "accepted out-of-scope findings",
    ),
    file(
        PLAN_REVIEWED,
        "reviser or plan/as-drafted",
        &["discusser", "finisher", "plan/as-reviewed"],
        "the plan after the vote",
    ),
    file(QUESTIONS_DESIGN, "discusser", &["discusser/questions"], "questions about contested decisions"),
    file(ROUND_2, "discusser/settled", &["finisher", "plan/wishes"], "answers of the design discussion"),
    file(
        FEEDBACK,
        "the second gate",
        &["finisher", "illustrator", "writer", "project-writer", "feature-writer", "plan/wishes"],
        "feedback of the person for a revision",
    ),
    file(PLAN, "finisher or plan/as-reviewed", &["illustrator", "writer", "checks"], "the final plan"),
    file(DIAGRAM_CANDIDATE, "illustrator", &["diagram/promote"], "proposed diagram of the plan"),
    file(DIAGRAM, "diagram/promote", &["spec-files"], "diagram that passed the checks"),
    file(DIAGRAM_SVG, "diagram/promote", &[], "diagram as SVG, if the build has the feature `svg`"),
    file(ISSUES, "diagram/promote", &[], "issue log of the run"),
    file(REQUIREMENTS, "writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(DESIGN, "writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(TASKS, "writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(PROJECT, "project-writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(FEATURES, "project-writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(FEATURE, "feature-writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(SPECS, "feature-writer", &["spec-files", "verdict", "writer/repair"], "the writer's draft"),
    file(WRITE_SUMMARY, "spec-files", &[], "summary of the written files"),
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
        "text that is approved",
    ),
    file(GATE_PAGE, "post-design/page", &[], "page of the post-design gate"),
    file(
        CHECKS,
        "checks",
        &["validator", "project-validator", "feature-validator", "verdict", "repair/issues"],
        "issues found by the rules",
    ),
    file(VALIDATION, "validator", &["verdict", "repair/issues"], "issues found by the validator"),
    file(REPAIR_ISSUES, "repair/issues", &["writer/repair"], "issues to repair"),
    file(REPAIRED, "spec-files/repair", &["verdict"], "digest of the repaired drafts"),
    file(VALIDATE_SUMMARY, "verdict", &[], "summary of the validation"),
];

/// Files that a seat reads, for its table.
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

/// Number of files that a seat reads.
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

/// Files that a seat reads, in the order of the table.
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
