//! Breadcrumbs: progress lines `{icon} {number}: {path}[ — {payload}]`.
//!
//! A nested run prefixes its caller's context: the number `2a` becomes `1.2a`, the path `sketches` becomes
//! `design plan | sketches`.

use super::elapsed::elapsed;
use super::stage::StageLabel;
use std::fmt::Write;

/// Horizontal rule above the start of a stage.
pub const RULE: &str = "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━";

/// Prefix of a nested run's stage numbers and names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepPrefix {
    pub number: String,
    pub path: String,
}

impl StepPrefix {
    /// Parses `--step-prefix`: number and path around the first `::`, or a number alone.
    pub fn parse(typed: &str) -> StepPrefix {
        let (number, path) = typed.split_once("::").unwrap_or((typed, ""));
        StepPrefix { number: number.to_owned(), path: path.to_owned() }
    }
}

/// Formatter of a run's breadcrumbs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Breadcrumbs {
    prefix: StepPrefix,
}

impl Breadcrumbs {
    pub fn new(prefix: StepPrefix) -> Breadcrumbs {
        Breadcrumbs { prefix }
    }

    /// Start of a stage: a rule, then the stage, quoted and bold.
    pub fn start(&self, stage: StageLabel<'_>, payload: Option<&str>) -> [String; 2] {
        [RULE.to_owned(), format!("> **{}**", self.line("🔶", stage, payload, None))]
    }

    /// End of a stage.
    pub fn done(&self, stage: StageLabel<'_>, payload: &str, seconds: u64) -> String {
        self.line("✅", stage, Some(payload), Some(seconds))
    }

    /// A stage without work.
    pub fn skipped(&self, stage: StageLabel<'_>, payload: &str, seconds: u64) -> String {
        self.line("⏩", stage, Some(payload), Some(seconds))
    }

    /// A stage skipped because a dependency is unavailable.
    pub fn unavailable(&self, stage: StageLabel<'_>, payload: &str, seconds: u64) -> String {
        self.line("⏭️", stage, Some(payload), Some(seconds))
    }

    /// Warning in a stage, which continues or ends.
    pub fn warning(&self, stage: StageLabel<'_>, payload: &str, seconds: Option<u64>) -> String {
        format!("**{}**", self.line("⚠", stage, Some(payload), seconds))
    }

    /// Adds the prefix to a warning that starts with its stage's number. Others are unchanged.
    pub fn prefix_warning(&self, stage: StageLabel<'_>, warning: &str) -> String {
        let StepPrefix { number, path } = &self.prefix;
        let separator = if path.is_empty() { "" } else { " | " };
        match warning.strip_prefix(&format!("**⚠ {}: ", stage.number)) {
            Some(rest) => format!("**⚠ {number}{}: {path}{separator}{rest}", stage.number),
            None => warning.to_owned(),
        }
    }

    /// A stage in progress.
    pub fn in_progress(&self, stage: StageLabel<'_>, payload: &str) -> String {
        self.line("⏳", stage, Some(payload), None)
    }

    /// The last line of a run; `None` in a nested one.
    pub fn closing(&self, stage: StageLabel<'_>, payload: &str, seconds: u64) -> Option<String> {
        self.prefix.number.is_empty().then(|| self.done(stage, payload, seconds))
    }

    fn line(&self, icon: &str, stage: StageLabel<'_>, payload: Option<&str>, seconds: Option<u64>) -> String {
        let StepPrefix { number, path } = &self.prefix;
        let separator = if path.is_empty() { "" } else { " | " };
        let mut line = format!("{icon} {number}{}: {path}{separator}{}", stage.number, stage.name);
        // Writing to a String cannot fail.
        if let Some(payload) = payload {
            let _ = write!(line, " — {payload}");
        }
        if let Some(seconds) = seconds {
            let _ = write!(line, " ({})", elapsed(seconds));
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(number: &str) -> StageLabel<'_> {
        let name = match number {
            "1" => "branch",
            "1c" => "questions",
            "2a" => "sketches",
            "2a.5" => "dialectic",
            "3" => "plan review",
            "3b" => "arch diagram",
            "5" => "cleanup",
            other => panic!("{other}"),
        };
        StageLabel { number, name }
    }

    #[test]
    fn a_prefix_is_split_at_its_first_double_colon() {
        for (typed, number, path) in [
            ("", "", ""),
            ("1.", "1.", ""),
            ("1.::design plan", "1.", "design plan"),
            ("1.::a::b", "1.", "a::b"),
            ("::design plan", "", "design plan"),
            ("1.::", "1.", ""),
            ("1:.", "1:.", ""),
        ] {
            let prefix = StepPrefix { number: number.to_owned(), path: path.to_owned() };
            assert_eq!(StepPrefix::parse(typed), prefix, "{typed}");
        }
    }

    #[test]
    fn a_start_is_a_rule_and_a_bold_quotation() {
        assert_eq!(RULE.chars().count(), 80);
        assert!(RULE.chars().all(|c| c == '━'));
        let alone = Breadcrumbs::default();
        assert_eq!(alone.start(stage("2a"), None), [RULE, "> **🔶 2a: sketches**"]);
        assert_eq!(
            alone.start(stage("1"), Some("using existing: ada/x"))[1],
            "> **🔶 1: branch — using existing: ada/x**"
        );
        let nested = Breadcrumbs::new(StepPrefix::parse("1.::design plan"));
        assert_eq!(nested.start(stage("1"), None)[1], "> **🔶 1.1: design plan | branch**");
    }

    #[test]
    fn lines_that_end_a_step_say_how_long_it_took() {
        let breadcrumbs = Breadcrumbs::default();
        for (line, expected) in [
            (breadcrumbs.done(stage("3b"), "saved", 151), "✅ 3b: arch diagram — saved (2m31s)"),
            (
                breadcrumbs.skipped(stage("1c"), "skipped (auto mode)", 0),
                "⏩ 1c: questions — skipped (auto mode) (0s)",
            ),
            (
                breadcrumbs.unavailable(stage("2a.5"), "no external tool", 3),
                "⏭️ 2a.5: dialectic — no external tool (3s)",
            ),
            (
                breadcrumbs.warning(stage("3b"), "generation failed, proceeding without diagram", Some(61)),
                "**⚠ 3b: arch diagram — generation failed, proceeding without diagram (1m1s)**",
            ),
            (
                breadcrumbs.warning(stage("2a"), "heavy worker subagent failed: x.", None),
                "**⚠ 2a: sketches — heavy worker subagent failed: x.**",
            ),
            (breadcrumbs.in_progress(stage("3"), "2 of 4 back"), "⏳ 3: plan review — 2 of 4 back"),
        ] {
            assert_eq!(line, expected);
        }
    }

    #[test]
    fn a_warning_with_a_number_gets_its_callers() {
        let nested = Breadcrumbs::new(StepPrefix::parse("1.::design plan"));
        for (warning, expected) in [
            ("**⚠ 3b: architecture diagram — x**", "**⚠ 1.3b: design plan | architecture diagram — x**"),
            ("**⚠ 3: x**", "**⚠ 3: x**"),
            ("**⚠ Codex not available**", "**⚠ Codex not available**"),
        ] {
            assert_eq!(nested.prefix_warning(stage("3b"), warning), expected);
            assert_eq!(Breadcrumbs::default().prefix_warning(stage("3b"), warning), warning);
        }
    }

    #[test]
    fn only_a_run_of_its_own_announces_its_end() {
        let done = |prefix: &str| {
            Breadcrumbs::new(StepPrefix::parse(prefix)).closing(stage("5"), "design complete!", 3600)
        };
        assert_eq!(done("").as_deref(), Some("✅ 5: cleanup — design complete! (1h)"));
        assert_eq!(done("1."), None);
        assert_eq!(
            done("::design plan").as_deref(),
            Some("✅ 5: design plan | cleanup — design complete! (1h)")
        );
    }
}
