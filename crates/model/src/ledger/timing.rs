//! The timing ledger: a tab-separated table of thirteen columns, one row per mark and per agent task.
//!
//! `v1, type, epoch, skill, step, vendor, task kind, start, end, duration, output, exit code, extra`; unused
//! columns are `-`.

use crate::escape::printable;
use crate::plumbing::flags::{Flag, FlagError, FlagGrammar, parse_flags};

/// File name in a run's folder.
pub const FILE: &str = "timing-ledger.tsv";

/// Value of the `skill` column by default.
pub const DEFAULT_SKILL: &str = "implement";

const GRAMMAR: FlagGrammar = FlagGrammar {
    flags: &[
        Flag::Value("--ledger"),
        Flag::Value("--vendor"),
        Flag::Value("--task-kind"),
        Flag::Value("--start-s"),
        Flag::Value("--end-s"),
        Flag::Value("--output"),
        Flag::Value("--exit-code"),
        Flag::Value("--status"),
    ],
    takes_arguments: true,
};

/// Parsed arguments of `charrette ledger time`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimingRequest {
    /// `--ledger`.
    pub ledger: Option<String>,
    pub action: TimingAction,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TimingAction {
    /// Append a row.
    Append(TimingRow),
    /// Print the ledger.
    Dump,
}

/// A row without its epoch and skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimingRow {
    kind: &'static str,
    /// Columns from the step on.
    rest: Vec<String>,
    /// Warning about a row that is written nevertheless.
    pub warning: Option<String>,
}

impl TimingRow {
    /// The row as text, without line end.
    pub fn text(&self, epoch: i64, skill: &str) -> String {
        let epoch = epoch.to_string();
        let head = ["v1", self.kind, epoch.as_str(), skill];
        let fields = head.into_iter().chain(self.rest.iter().map(String::as_str));
        fields.map(clean).collect::<Vec<_>>().join("\t")
    }

    fn new(kind: &'static str, used: &[(usize, &str)]) -> TimingRow {
        let mut rest = vec!["-".to_owned(); 9];
        for (at, value) in used {
            (*value).clone_into(&mut rest[*at]);
        }
        TimingRow { kind, rest, warning: None }
    }
}

/// One task of an agent.
#[derive(Debug, Clone, Copy)]
pub struct VendorTask<'a> {
    pub vendor: &'a str,
    pub task_kind: &'a str,
    /// Unix time in seconds.
    pub start_s: u64,
    /// Unix time in seconds.
    pub end_s: u64,
    /// Path of the output. Only the file name is recorded.
    pub output: &'a str,
    pub exit_code: u8,
    /// `complete`, `signal` or `unknown`.
    pub status: &'a str,
}

/// The row of a task, without line end.
pub fn vendor_row(epoch: i64, skill: &str, step: &str, task: &VendorTask<'_>) -> String {
    task.row(step).text(epoch, if skill.is_empty() { "-" } else { skill })
}

/// The row that marks the start of a step, without line end.
pub fn mark_row(epoch: i64, skill: &str, step: &str) -> String {
    TimingRow::new("mark", &[(0, step)]).text(epoch, skill)
}

impl VendorTask<'_> {
    fn row(&self, step: &str) -> TimingRow {
        let [start, end] = [self.start_s, self.end_s].map(|time| time.to_string());
        let duration = self.end_s.saturating_sub(self.start_s).to_string();
        let (step, exit) = (if step.is_empty() { "-" } else { step }, self.exit_code.to_string());
        let output = self.output.rsplit('/').next().unwrap_or_default();
        let all = [step, self.vendor, self.task_kind, &start, &end, &duration, output, &exit, self.status];
        let used: Vec<(usize, &str)> = all.into_iter().enumerate().collect();
        TimingRow::new("vendor", &used)
    }
}

/// Replaces field and line separators.
fn clean(field: &str) -> String {
    field.replace(['\t', '\n', '\r'], "<NUL>")
}

impl TimingRequest {
    /// Parses the arguments.
    pub fn parse(args: &[String]) -> Result<TimingRequest, String> {
        let (typed, problem) = parse_flags(args, GRAMMAR);
        match problem {
            Some(FlagError::Unknown(flag)) => return Err(format!("unknown flag: {}", printable(flag))),
            Some(FlagError::NoValue(flag)) => return Err(format!("missing value for {flag}")),
            Some(FlagError::Argument(_)) | None => {}
        }
        let ledger = typed.value("--ledger").map(str::to_owned);
        let action = match typed.arguments.as_slice() {
            ["dump"] => TimingAction::Dump,
            ["mark", step] if !step.is_empty() => TimingAction::Append(TimingRow::new("mark", &[(0, step)])),
            ["mark", ..] => return Err("mark takes the name of one step".to_owned()),
            ["workflow-path", path @ ("HARD" | "SIMPLE")] => {
                TimingAction::Append(TimingRow::new("workflow", &[(8, path)]))
            }
            ["workflow-path", ..] => return Err("workflow-path takes HARD or SIMPLE".to_owned()),
            ["record-vendor-task"] => TimingAction::Append(vendor_task(|name| typed.value(name))?),
            ["record-vendor-task", ..] => return Err("record-vendor-task takes flags only".to_owned()),
            [] => return Err("nothing to do: mark, record-vendor-task, workflow-path or dump".to_owned()),
            [other, ..] => return Err(format!("unknown subcommand: {}", printable(other))),
        };
        Ok(TimingRequest { ledger, action })
    }
}

fn vendor_task<'a>(value: impl Fn(&str) -> Option<&'a str>) -> Result<TimingRow, String> {
    let required = |name: &str| {
        value(name).filter(|value| !value.is_empty()).ok_or_else(|| format!("{name} is required"))
    };
    let time = |name: &str| {
        let text = required(name)?;
        text.parse::<u64>().map_err(|_| format!("{name} must be a number of seconds: {}", printable(text)))
    };
    let task_kind = required("--task-kind")?;
    if !is_task_kind(task_kind) {
        return Err(format!("malformed task-kind: {}", printable(task_kind)));
    }
    let status = value("--status").unwrap_or("unknown");
    if !["complete", "signal", "unknown"].contains(&status) {
        return Err(format!("--status must be complete, signal or unknown: {}", printable(status)));
    }
    let exit = value("--exit-code").unwrap_or("0");
    let task = VendorTask {
        vendor: required("--vendor")?,
        task_kind,
        start_s: time("--start-s")?,
        end_s: time("--end-s")?,
        output: required("--output")?,
        exit_code: exit.parse().map_err(|_| format!("--exit-code must be 0 to 255: {}", printable(exit)))?,
        status,
    };
    let warning = (task.end_s < task.start_s)
        .then(|| "the task ended before it began; clamping duration_s to 0".to_owned());
    Ok(TimingRow { warning, ..task.row("-") })
}

/// `[a-z][a-z0-9-]{0,63}`
fn is_task_kind(text: &str) -> bool {
    text.len() <= 64
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &[&str]) -> Result<TimingRequest, String> {
        TimingRequest::parse(&line.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    }

    fn row(line: &[&str]) -> String {
        match parse(line).unwrap().action {
            TimingAction::Append(row) => row.text(100, "design"),
            TimingAction::Dump => panic!("{line:?}"),
        }
    }

    const TASK: [&str; 11] = [
        "record-vendor-task",
        "--vendor",
        "codex",
        "--task-kind",
        "codex-plan-arch",
        "--start-s",
        "10",
        "--end-s",
        "25",
        "--output",
        "/work/secret/out\t.txt",
    ];

    #[test]
    fn every_row_has_thirteen_columns() {
        for (line, expected) in [
            (
                &["mark", "design Step 2a — sketches"][..],
                "v1\tmark\t100\tdesign\tdesign Step 2a — sketches\t-\t-\t-\t-\t-\t-\t-\t-",
            ),
            (
                &["--ledger", "x", "mark", "a\tb\nc"],
                "v1\tmark\t100\tdesign\ta<NUL>b<NUL>c\t-\t-\t-\t-\t-\t-\t-\t-",
            ),
            (&["workflow-path", "HARD"], "v1\tworkflow\t100\tdesign\t-\t-\t-\t-\t-\t-\t-\t-\tHARD"),
            (
                &TASK,
                "v1\tvendor\t100\tdesign\t-\tcodex\tcodex-plan-arch\t10\t25\t15\tout<NUL>.txt\t0\tunknown",
            ),
            (
                &[&TASK[..], &["--exit-code", "124", "--status", "signal", "--end-s", "5"]].concat(),
                "v1\tvendor\t100\tdesign\t-\tcodex\tcodex-plan-arch\t10\t5\t0\tout<NUL>.txt\t124\tsignal",
            ),
        ] {
            assert_eq!(row(line), expected);
            assert_eq!(row(line).split('\t').count(), 13);
        }
    }

    #[test]
    fn invalid_arguments_are_not_recorded() {
        let with = |more: &[&'static str]| [&TASK[..], more].concat();
        for (line, message) in [
            (vec![], "nothing to do: mark, record-vendor-task, workflow-path or dump"),
            (vec!["mark"], "mark takes the name of one step"),
            (vec!["mark", "a", "b"], "mark takes the name of one step"),
            (vec!["workflow-path", "EASY"], "workflow-path takes HARD or SIMPLE"),
            (vec!["forget"], "unknown subcommand: forget"),
            (vec!["dump", "--all"], "unknown flag: --all"),
            (vec!["dump", "--ledger"], "missing value for --ledger"),
            (with(&["--task-kind", "BadKind"]), "malformed task-kind: BadKind"),
            (with(&["--task-kind", ""]), "--task-kind is required"),
            (with(&["--start-s", "-1"]), "--start-s must be a number of seconds: -1"),
            (with(&["--exit-code", "256"]), "--exit-code must be 0 to 255: 256"),
            (with(&["--status", "done"]), "--status must be complete, signal or unknown: done"),
            (with(&["more"]), "record-vendor-task takes flags only"),
        ] {
            assert_eq!(parse(&line).unwrap_err(), message);
        }
    }
}
