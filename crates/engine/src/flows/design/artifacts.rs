//! Files of a design: names, writers and readers. The inputs of the seats, their layers of trust and the table in the
//! docs come from this table.
//!
//! Words of the person bind every seat after the stage that asked for them; so an answer never makes an earlier seat run
//! again.

use crate::artifact::ArtifactSpec;
pub use charrette_model::panel::file_names::*;

const fn file(
    name: &'static str,
    writer: &'static str,
    readers: &'static [&'static str],
    about: &'static str,
) -> ArtifactSpec {
    ArtifactSpec::new(name, writer, readers, about)
}

/// Seats that may look into the research itself.
/// Readers of the files that are approved.
const APPROVED_READERS: &[&str] =
    &["validator", "post-design/page", "post-design/shown", "checks", "approved/end"];

const READ_RESEARCH: [&str; 5] = ["synthesist", "inquirer", "investigator-*", "planner", "writer"];

/// Steps that read the writer's drafts.
const DRAFT_READERS: &[&str] =
    &["checks/draft", "writer/corrected", "spec-files", "verdict", "writer/repair"];

/// All files of a design, in the order they are written.
pub const ARTIFACTS: &[ArtifactSpec] = &[
    file(REQUEST, "request", &["setup", "survey", "dialectic/ballot"], "the request, word for word")
        .binding_after("0"),
    file(SURVEY, "survey", &[], "survey of the repository").of_repository().by_path_for(&["researcher-*"]),
    file(SURVEY_DIGEST, "survey", &["researcher-*"], "survey of the repository, condensed").of_repository(),
    file(
        RESEARCH_REQUIREMENTS,
        "researcher-requirements",
        &["aggregator", "clarifier", "scoper", "decided"],
        "findings on requirements",
    )
    .by_path_for(&READ_RESEARCH),
    file(
        RESEARCH_DEPENDENCIES,
        "researcher-dependencies or researcher-feature-dependencies",
        &["aggregator", "feature-aggregator", "clarifier", "scoper", "decided"],
        "findings on dependencies",
    )
    .by_path_for(&READ_RESEARCH),
    file(
        RESEARCH_TASKS,
        "researcher-tasks",
        &["aggregator", "clarifier", "scoper", "decided"],
        "findings on tasks",
    )
    .by_path_for(&READ_RESEARCH),
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
        "answers/*-*",
        "told",
        &["the researchers", "research/answers"],
        "answers of the person to one researcher",
    )
    .of_person(),
    file(
        RESEARCH_ANSWERS,
        "research/answers",
        &["aggregator", "project-aggregator", "feature-aggregator"],
        "answers of the person to the researchers",
    )
    .binding_after("1a"),
    file(
        SUMMARY,
        "aggregator, project-aggregator or feature-aggregator",
        &[
            "clarifier",
            "scoper",
            "cursor-arch",
            "cursor-edge",
            "codex-innovation",
            "codex-pragmatic",
            "cursor-generic",
            "codex-generic",
            "synthesist",
            "inquirer",
            "investigator-*",
            "planner",
            "reviewer-*",
            "writer",
            "project-writer",
            "feature-writer",
            "pre-design/page",
            "spec-files",
            "checks/draft",
        ],
        "context summary of the research, in six parts",
    ),
    file(QUESTIONS_CLARIFY, "clarifier", &["clarifier/questions"], "open questions of the request"),
    file(CLARIFIED, "clarifier/settled", &[], "answers to the open questions").binding_after("1c"),
    file(QUESTIONS_SCOPE, "scoper", &["scoper/questions"], "questions about the scope"),
    file(ROUND_1, "scoper/settled", &[], "answers of the scope discussion").binding_after("1d"),
    file(
        CORRECTION,
        "pre-design/answers",
        &["researcher-*", "aggregator", "project-aggregator", "feature-aggregator"],
        "corrections of the person to the research",
    )
    .binding_after("1a"),
    file(PRE_DESIGN, "pre-design/answers", &[], "answers at the pre-design gate").binding_after("1e"),
    file(SKETCHES, "the sketches", &["synthesist", "sketch/compared"], "independent approaches")
        .worked_on()
        .by_path_for(&["inquirer"]),
    file(
        SYNTHESIS,
        "synthesist",
        &["debate-*", "inquirer", "planner"],
        "one approach, with the differences of the sketches",
    )
    .by_path_for(&["investigator-*"]),
    file(
        CONTESTED,
        "synthesist",
        &[
            "inquirer",
            "discusser",
            "dialectic/buckets",
            "dialectic/ballot",
            "dialectic/resolutions",
            "spec-files",
            "checks/draft",
        ],
        "contested decisions",
    ),
    file(
        DEFENSES,
        "the debaters",
        &["dialectic/ballot", "dialectic/resolutions"],
        "defenses of both sides of each decision",
    ),
    file(DIALECTIC_BALLOT, "dialectic/ballot", &["judge-*"], "ballot for the judges").worked_on(),
    file(JUDGEMENTS, "the judges", &["dialectic/resolutions"], "votes of the judges, with reasons"),
    file(
        RESOLUTIONS,
        "dialectic/resolutions",
        &[
            "inquirer",
            "investigator-*",
            "planner",
            "reviewer-*",
            "voter-*",
            "reviser",
            "walker-*",
            "mender",
            "discusser",
            "finisher",
            "writer",
            "review/ballot",
            "spec-files",
            "checks",
            "post-design/page",
        ],
        "resolution of every contested decision",
    ),
    file(
        QUESTIONS_INVESTIGATE,
        "inquirer",
        &["investigation/questions"],
        "questions that decide the plan, ranked by what breaks",
    ),
    file(
        INVESTIGATION_ANSWERS,
        "the investigators",
        &["investigation/collected"],
        "answers of the investigators, by question",
    ),
    file(
        INVESTIGATIONS,
        "investigation/collected",
        &["planner", "reviewer-*", "voter-*", "reviser", "walker-*", "mender", "finisher", "writer"],
        "answers of the investigators, with evidence",
    ),
    file(SOURCES, "investigation/collected", &[], "addresses that the investigators read"),
    file(
        PLAN_DRAFT,
        "planner",
        &["reviewer-*", "voter-*", "reviser", "plan/as-drafted"],
        "draft of the plan",
    )
    .worked_on(),
    file(
        DESIGN_NOTES,
        "planner",
        &["reviser", "mender", "finisher", "writer"],
        "the chief designer's own notes",
    ),
    file(REVIEWS, "the reviewers", &["merger", "review/numbered"], "reviews of the draft").worked_on(),
    file(REVIEWERS, "review/labels", &["the merger", "review/numbered"], "labels of the reviewers"),
    file(FINDINGS, "merger", &["review/ballot", "review/tally"], "merged list of findings"),
    file(BALLOT, "review/ballot", &["voter-*"], "ballot for the voters").worked_on(),
    file(VOTES, "the voters", &["review/tally"], "votes, with reasons"),
    file(TALLY, "review/tally", &["writer", "spec-files", "checks/draft"], "tally of the votes"),
    file(ACCEPTED, "review/tally", &["reviser", "mender", "discusser", "validator"], "accepted findings")
        .worked_on(),
    file(UNDECIDED, "review/tally", &["discusser"], "findings that the vote left to the person"),
    file(REJECTED, "review/tally", &["rejected/any"], "rejected findings"),
    file(OUT_OF_SCOPE, "review/tally", &["writer"], "out-of-scope observations"),
    file(
        OUT_OF_SCOPE_ACCEPTED,
        "review/tally",
        &["hand-over/out-of-scope"],
        "accepted out-of-scope findings",
    ),
    file(
        PLAN_REVIEWED,
        "reviser or plan/as-drafted",
        &["walker-*", "mender", "walk-through/scenarios", "plan/unbroken"],
        "the plan after the vote",
    )
    .worked_on(),
    file(
        SCENARIOS,
        "walk-through/scenarios or walk-through/again",
        &["walker-*"],
        "scenarios of each walker",
    )
    .worked_on(),
    file(
        WALKTHROUGHS,
        "the walkers",
        &["walk-through/outcome", "walk-through/second", "walk-through/record"],
        "scenarios traced through the plan, step by step",
    ),
    file(
        WALK_RECORD,
        "walk-through/record",
        &["finisher", "writer", "spec-files", "checks/draft"],
        "scenarios with their outcome",
    ),
    file(
        BROKEN_SCENARIOS,
        "walk-through/outcome",
        &["mender", "the second walk"],
        "scenarios that break, with the step and the reason",
    )
    .worked_on(),
    file(
        UNMENDED,
        "walk-through/record",
        &["discusser", "finisher", "writer", "post-design/page"],
        "scenarios that still break after the plan was mended",
    ),
    file(
        PLAN_WALKED,
        "mender or plan/unbroken",
        &["the second walk", "discusser", "finisher", "plan/as-walked"],
        "the plan after the walk-through",
    )
    .worked_on(),
    file(QUESTIONS_DESIGN, "discusser", &["discusser/questions"], "questions about contested decisions"),
    file(ROUND_2, "discusser/settled", &["finisher", "plan/wishes"], "answers of the design discussion")
        .binding_after("3.5"),
    file(
        FEEDBACK,
        "the second gate",
        &["finisher", "illustrator", "writer", "project-writer", "feature-writer", "plan/wishes"],
        "feedback of the person for a revision",
    )
    .binding_after("4a"),
    file(
        PLAN,
        "finisher or plan/as-walked",
        &["illustrator", "writer", "validator", "checks"],
        "the final plan",
    )
    .worked_on(),
    file(
        DIAGRAM_CANDIDATE,
        "illustrator",
        &["diagram/promote", "illustrator/again"],
        "proposed diagram of the plan",
    ),
    file(
        DIAGRAM_SECOND,
        "illustrator/again",
        &["diagram/promote-again"],
        "second proposal, if the first was rejected",
    ),
    file(
        DIAGRAM,
        "diagram/promote or diagram/promote-again",
        &["spec-files", "checks/draft"],
        "diagram that passed the checks",
    ),
    file(
        DIAGRAM_SVG,
        "diagram/promote or diagram/promote-again",
        &[],
        "diagram as SVG, if the build has the feature `svg`",
    ),
    file(ISSUES, "diagram/rejected", &[], "issue log of the run"),
    file(REQUIREMENTS, "writer", DRAFT_READERS, "the writer's draft").worked_on(),
    file(DESIGN, "writer", DRAFT_READERS, "the writer's draft").worked_on(),
    file(TASKS, "writer", DRAFT_READERS, "the writer's draft").worked_on(),
    file(
        DRAFT_ISSUES,
        "checks/draft",
        &["writer/corrected"],
        "what the rules miss in the draft: form, and parts of the plan that got lost",
    )
    .worked_on(),
    file(
        "corrected/*",
        "writer/corrected",
        &["spec-files", "checks/draft", "verdict", "writer/repair"],
        "the writer's draft after its one correction",
    ),
    file(
        PROJECT,
        "project-writer",
        &["spec-files", "checks/draft", "verdict", "writer/repair"],
        "the writer's draft",
    ),
    file(
        FEATURES,
        "project-writer",
        &["spec-files", "checks/draft", "verdict", "writer/repair"],
        "the writer's draft",
    ),
    file(
        FEATURE,
        "feature-writer",
        &["spec-files", "checks/draft", "verdict", "writer/repair"],
        "the writer's draft",
    ),
    file(
        SPECS,
        "feature-writer",
        &["spec-files", "checks/draft", "verdict", "writer/repair"],
        "the writer's draft",
    ),
    file(WRITE_SUMMARY, "spec-files", &[], "summary of the written files"),
    delivered(SPEC_REQUIREMENTS, APPROVED_READERS),
    delivered(SPEC_DESIGN, APPROVED_READERS),
    delivered(SPEC_TASKS, APPROVED_READERS),
    delivered(SPEC_SUMMARY, APPROVED_READERS),
    delivered(SPEC_JSON, APPROVED_READERS),
    delivered(SPEC_META, APPROVED_READERS),
    delivered(
        SPEC_PROJECT,
        &["project-validator", "post-design/page", "post-design/shown", "checks", "approved/end"],
    ),
    delivered(
        SPEC_FEATURES,
        &["project-validator", "post-design/page", "post-design/shown", "checks", "approved/end"],
    ),
    delivered(
        SPEC_FEATURE,
        &["feature-validator", "post-design/page", "post-design/shown", "checks", "approved/end"],
    ),
    delivered(
        SPEC_SPECS,
        &["feature-validator", "post-design/page", "post-design/shown", "checks", "approved/end"],
    ),
    file(
        GATE_SUBJECT,
        "post-design/page",
        &["post-design/shown", "status/draft", "status/approved", "tracker/record", "approved/end"],
        "text that is approved",
    ),
    file(GATE_PAGE, "post-design/page", &[], "page of the post-design gate"),
    file(POST_DESIGN, "post-design/answers", &[], "comments at the post-design gate").binding_after("4a"),
    file(
        OPEN_POINTS,
        "post-design/open-points",
        &["spec-files"],
        "what the person filled in where the files leave a point open",
    ),
    file(
        CHECKS,
        "checks",
        &["validator", "project-validator", "feature-validator", "verdict", "repair/issues"],
        "issues found by the rules",
    )
    .worked_on(),
    file(VALIDATION, "validator", &["verdict", "repair/issues"], "issues found by the validator"),
    file(REPAIR_ISSUES, "repair/issues", &["writer/repair"], "issues to repair").worked_on(),
    file(REPAIRED, "spec-files/repair", &["verdict"], "digest of the repaired drafts"),
    file(VALIDATE_SUMMARY, "verdict", &[], "summary of the validation"),
];

/// A file of the specification folder.
const fn delivered(name: &'static str, readers: &'static [&'static str]) -> ArtifactSpec {
    file(name, "spec-files or status/approved", readers, "delivered").worked_on()
}
