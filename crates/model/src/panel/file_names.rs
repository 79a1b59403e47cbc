//! File names of a panel run. Each name is spelled here and nowhere else.

pub const REQUEST: &str = "request.md";
pub const SURVEY: &str = "survey.json";
pub const SURVEY_DIGEST: &str = "survey-digest.md";
pub const RESEARCH_REQUIREMENTS: &str = "research-requirements.md";
pub const RESEARCH_DEPENDENCIES: &str = "research-dependencies.md";
pub const RESEARCH_TASKS: &str = "research-tasks.md";
pub const CORRECTION: &str = "correction.md";
pub const RESEARCH_ANSWERS: &str = "answers/research";
pub const SUMMARY: &str = "context-summary.md";
pub const QUESTIONS_CLARIFY: &str = "questions-clarify.md";
pub const CLARIFIED: &str = "answers/clarify";
pub const QUESTIONS_SCOPE: &str = "questions-scope.md";
pub const ROUND_1: &str = "discussion-round1.md";
pub const PRE_DESIGN: &str = "answers/pre-design";
pub const SKETCHES: &str = "*-sketch-*-output.txt";
pub const SYNTHESIS: &str = "approach-synthesis.txt";
pub const CONTESTED: &str = "contested-decisions.md";
pub const DEFENSES: &str = "debate-*-*-*.txt";
pub const DIALECTIC_BALLOT: &str = "dialectic-ballot.txt";
pub const JUDGEMENTS: &str = "*-judge-output.txt";
pub const RESOLUTIONS: &str = "dialectic-resolutions.md";
pub const QUESTIONS_INVESTIGATE: &str = "questions-investigate.md";
pub const INVESTIGATIONS: &str = "investigation-*.md";
pub const INVESTIGATION_ANSWERS: &str = "investigations/*.md";
pub const SOURCES: &str = "sources.md";
pub const DESIGN_NOTES: &str = "design-notes.md";
pub const PLAN_DRAFT: &str = "plan-draft.txt";
pub const REVIEWS: &str = "*-plan-*-output.txt";
pub const REVIEWERS: &str = "reviewers.md";
pub const FINDINGS: &str = "findings.md";
pub const BALLOT: &str = "ballot.txt";
pub const VOTES: &str = "*-vote-output.txt";
pub const TALLY: &str = "voting-tally.md";
pub const ACCEPTED: &str = "accepted-plan-findings.md";
pub const UNDECIDED: &str = "undecided-plan-findings.md";
pub const REJECTED: &str = "rejected-findings.md";
pub const OUT_OF_SCOPE: &str = "oos.md";
pub const OUT_OF_SCOPE_ACCEPTED: &str = "oos-accepted-design.md";
pub const PLAN_REVIEWED: &str = "plan-reviewed.txt";
pub const SCENARIOS: &str = "scenarios-*.md";
pub const WALKTHROUGHS: &str = "walkthrough-*.md";
pub const BROKEN_SCENARIOS: &str = "broken-scenarios.md";
pub const UNMENDED: &str = "unmended-scenarios.md";
pub const WALK_RECORD: &str = "walkthroughs.md";
pub const PLAN_WALKED: &str = "plan-walked.txt";
pub const QUESTIONS_DESIGN: &str = "questions-design.md";
pub const ROUND_2: &str = "discussion-round2.md";
pub const FEEDBACK: &str = "feedback-round*.md";
pub const PLAN: &str = "plan.txt";
pub const DIAGRAM_CANDIDATE: &str = "architecture-diagram.candidate.md";
pub const DIAGRAM_SECOND: &str = "architecture-diagram.second.md";
pub const DIAGRAM: &str = "architecture-diagram.md";
pub const DIAGRAM_SVG: &str = "architecture-diagram.svg";
pub const ISSUES: &str = "execution-issues.md";
pub const REQUIREMENTS: &str = "requirements.md";
pub const DESIGN: &str = "design.md";
pub const TASKS: &str = "tasks.md";
pub const DRAFT_ISSUES: &str = "draft-issues.md";
pub const WRITE_SUMMARY: &str = "write-summary.md";
pub const GATE_SUBJECT: &str = "post-design.subject.md";
pub const GATE_PAGE: &str = "post-design.md";
pub const POST_DESIGN: &str = "answers/post-design";
pub const OPEN_POINTS: &str = "answers/open-points";
pub const CHECKS: &str = "checks.md";
pub const VALIDATION: &str = "validation.md";
pub const REPAIR_ISSUES: &str = "repair-issues.md";
pub const REPAIRED: &str = "repaired.md";
pub const VALIDATE_SUMMARY: &str = "validate-summary.md";
pub const SPEC_REQUIREMENTS: &str = "specs/requirements.md";
pub const SPEC_DESIGN: &str = "specs/design.md";
pub const SPEC_TASKS: &str = "specs/tasks.md";
pub const SPEC_SUMMARY: &str = "specs/summary.md";
pub const SPEC_JSON: &str = "specs/spec.json";
pub const SPEC_META: &str = "specs/meta.yaml";
pub const RESEARCH_VISION: &str = "research-vision.md";
pub const RESEARCH_SCOPE: &str = "research-scope.md";
pub const RESEARCH_ROUGH_SPECS: &str = "research-rough-specs.md";
pub const RESEARCH_DOMAIN: &str = "research-feature-domain.md";
pub const RESEARCH_BREAKDOWN: &str = "research-spec-breakdown.md";
pub const PROJECT: &str = "project.md";
pub const FEATURES: &str = "features.json";
pub const FEATURE: &str = "feature.md";
pub const SPECS: &str = "specs.json";
pub const SPEC_PROJECT: &str = "specs/project.md";
pub const SPEC_FEATURES: &str = "specs/features.json";
pub const SPEC_FEATURE: &str = "specs/feature.md";
pub const SPEC_SPECS: &str = "specs/specs.json";

/// Files that may be absent: a skipped round, nothing to resolve, or nothing to investigate.
pub const OPTIONAL_FILES: [&str; 14] = [
    SURVEY_DIGEST,
    CLARIFIED,
    PRE_DESIGN,
    ROUND_1,
    RESOLUTIONS,
    ROUND_2,
    RESEARCH_ANSWERS,
    CORRECTION,
    DESIGN_NOTES,
    UNMENDED,
    POST_DESIGN,
    OPEN_POINTS,
    UNDECIDED,
    WALK_RECORD,
];
