//! The ledger of times: a table with tabs, thirteen columns, one row per mark and per task of an agent.
//!
//! `v1, type, epoch, skill, step, vendor, task kind, start, end, duration, output, exit code, extra`; what a row
//! does not use is `-`.

use crate::plumbing::flags::{Flag, FlagProblem, Grammar, read};
use crate::shown::shown;

/// The file's name where a folder is given.
pub const FILE: &str = "timing-ledger.tsv";

/// Whose times these are if nobody says.
pub const DEFAULT_SKILL: &str = "implement";

const GRAMMAR: Grammar = Grammar {
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

/// What `charrette ledger time` was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `--ledger`.
    pub ledger: Option<String>,
    /// What to do.
    pub action: Action,
}

/// What to do with the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Add a row: everything after its epoch and skill is known.
    Append(Row),
    /// Print the ledger.
    Dump,
}

/// A row, but for the time and the skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    kind: &'static str,
    /// From the step on.
    rest: Vec<String>,
    /// What is odd about it, although it is written.
    pub warning: Option<String>,
}

impl Row {
    /// The row as text, without its line end.
    pub fn text(&self, epoch: i64, skill: &str) -> String {
        let epoch = epoch.to_string();
        let head = ["v1", self.kind, epoch.as_str(), skill];
        let fields = head.into_iter().chain(self.rest.iter().map(String::as_str));
        fields.map(clean).collect::<Vec<_>>().join("\t")
    }

    fn of(kind: &'static str, used: &[(usize, &str)]) -> Row {
        let mut rest = vec!["-".to_owned(); 9];
        for (at, value) in used {
            (*value).clone_into(&mut rest[*at]);
        }
        Row { kind, rest, warning: None }
    }
}

/// A task of an agent.
#[derive(Debug, Clone, Copy)]
pub struct VendorTask<'a> {
    /// Which agent.
    pub vendor: &'a str,
    /// What kind of task.
    pub task_kind: &'a str,
    /// When it began, in seconds since 1970.
    pub start_s: u64,
    /// When it ended.
    pub end_s: u64,
    /// The file it wrote. Only its name is recorded.
    pub output: &'a str,
    /// How it exited.
    pub exit_code: u8,
    /// `complete`, `signal` or `unknown`.
    pub status: &'a str,
}

/// The row of a task, without its line end.
pub fn vendor_row(epoch: i64, skill: &str, step: &str, task: &VendorTask<'_>) -> String {
    task.row(step).text(epoch, if skill.is_empty() { "-" } else { skill })
}

/// The row that a step of a run begins, without its line end.
pub fn mark_row(epoch: i64, skill: &str, step: &str) -> String {
    Row::of("mark", &[(0, step)]).text(epoch, skill)
}

impl VendorTask<'_> {
    fn row(&self, step: &str) -> Row {
        let [start, end] = [self.start_s, self.end_s].map(|time| time.to_string());
        let duration = self.end_s.saturating_sub(self.start_s).to_string();
        let (step, exit) = (if step.is_empty() { "-" } else { step }, self.exit_code.to_string());
        let output = self.output.rsplit('/').next().unwrap_or_default();
        let all = [step, self.vendor, self.task_kind, &start, &end, &duration, output, &exit, self.status];
        let used: Vec<(usize, &str)> = all.into_iter().enumerate().collect();
        Row::of("vendor", &used)
    }
}

/// A field of the table: what would end it early is shown as what it is not.
fn clean(field: &str) -> String {
    field.replace(['\t', '\n', '\r'], "<NUL>")
}

impl Request {
    /// Reads the arguments; if they make no sense, why.
    pub fn read(args: &[String]) -> Result<Request, String> {
        let (typed, problem) = read(args, GRAMMAR);
        match problem {
            Some(FlagProblem::Unknown(flag)) => return Err(format!("unknown flag: {}", shown(flag))),
            Some(FlagProblem::NoValue(flag)) => return Err(format!("missing value for {flag}")),
            Some(FlagProblem::Argument(_)) | None => {}
        }
        let ledger = typed.value("--ledger").map(str::to_owned);
        let action = match typed.arguments.as_slice() {
            ["dump"] => Action::Dump,
            ["mark", step] if !step.is_empty() => Action::Append(Row::of("mark", &[(0, step)])),
            ["mark", ..] => return Err("mark takes the name of one step".to_owned()),
            ["workflow-path", path @ ("HARD" | "SIMPLE")] => {
                Action::Append(Row::of("workflow", &[(8, path)]))
            }
            ["workflow-path", ..] => return Err("workflow-path takes HARD or SIMPLE".to_owned()),
            ["record-vendor-task"] => Action::Append(vendor_task(|name| typed.value(name))?),
            ["record-vendor-task", ..] => return Err("record-vendor-task takes flags only".to_owned()),
            [] => return Err("nothing to do: mark, record-vendor-task, workflow-path or dump".to_owned()),
            [other, ..] => return Err(format!("unknown subcommand: {}", shown(other))),
        };
        Ok(Request { ledger, action })
    }
}

fn vendor_task<'a>(value: impl Fn(&str) -> Option<&'a str>) -> Result<Row, String> {
    let required = |name: &str| {
        value(name).filter(|value| !value.is_empty()).ok_or_else(|| format!("{name} is required"))
    };
    let time = |name: &str| {
        let text = required(name)?;
        text.parse::<u64>().map_err(|_| format!("{name} must be a number of seconds: {}", shown(text)))
    };
    let task_kind = required("--task-kind")?;
    if !is_task_kind(task_kind) {
        return Err(format!("malformed task-kind: {}", shown(task_kind)));
    }
    let status = value("--status").unwrap_or("unknown");
    if !["complete", "signal", "unknown"].contains(&status) {
        return Err(format!("--status must be complete, signal or unknown: {}", shown(status)));
    }
    let exit = value("--exit-code").unwrap_or("0");
    let task = VendorTask {
        vendor: required("--vendor")?,
        task_kind,
        start_s: time("--start-s")?,
        end_s: time("--end-s")?,
        output: required("--output")?,
        exit_code: exit.parse().map_err(|_| format!("--exit-code must be 0 to 255: {}", shown(exit)))?,
        status,
    };
    let warning = (task.end_s < task.start_s)
        .then(|| "the task ended before it began; clamping duration_s to 0".to_owned());
    Ok(Row { warning, ..task.row("-") })
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

    fn asked(line: &[&str]) -> Result<Request, String> {
        Request::read(&line.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    }

    fn row(line: &[&str]) -> String {
        match asked(line).unwrap().action {
            Action::Append(row) => row.text(100, "design"),
            Action::Dump => panic!("{line:?}"),
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
    fn what_makes_no_sense_is_not_recorded() {
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
            assert_eq!(asked(&line).unwrap_err(), message);
        }
    }
}
