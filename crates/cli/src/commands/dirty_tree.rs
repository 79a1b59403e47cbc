//! `charrette dirty-tree`: detects changes in the work tree.

use crate::commands::raw::RawArgs;
use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_git::Git;
use charrette_model::dirty_tree::{
    Baseline, Comparison, DirtyTreeReport, DirtyTreeRequest, GitListings, NEW_UNTRACKED_PATHS, TRACKED_PATHS,
    compare_with_baseline, compare_with_commit,
};
use charrette_model::plumbing::CommandAnswer;
use charrette_model::session::DISCARD;
use charrette_store::atomic;
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Detect changes in the work tree
///
/// Prints three lines: `STATUS=clean|dirty|unknown`, `MODE`, and `REASON` unless it is clean.
///
/// In mode checkpoint, every uncommitted change makes the tree dirty. In mode baseline, untracked files listed in the
/// --baseline file (NUL-terminated names) are not counted. With --output, the lines are also written to FILE, and the
/// changed paths to FILE.tracked-paths and FILE.new-untracked-paths. Never prompts and never restores files. The exit
/// code is always 0; if git fails, the status is unknown. Ignored files are not checked.
#[derive(Debug, Args)]
#[command(
    disable_help_flag = true,
    override_usage = "charrette dirty-tree --mode checkpoint|baseline [--baseline FILE] [--output FILE]"
)]
pub(crate) struct DirtyTreeArgs {
    #[command(flatten)]
    raw: RawArgs,
}

pub(crate) fn dirty_tree(invocation: &Invocation, args: &DirtyTreeArgs) -> Result<ExitCode, AppError> {
    let request = DirtyTreeRequest::parse(&args.raw.words());
    let mut report = match &request.comparison {
        Err(report) => report.clone(),
        Ok(comparison) => inspect_tree(invocation, comparison),
    };
    if let Some(output) = request.output.as_deref().filter(|path| *path != DISCARD) {
        report = write_report(report, Path::new(output));
    }
    output::print_answer(&CommandAnswer::ok(report.lines()))
}

fn inspect_tree(invocation: &Invocation, comparison: &Comparison) -> DirtyTreeReport {
    // From the root, because some git commands list paths below the current folder only.
    let root = invocation.silent_site().ok().filter(|site| site.repository.is_some()).map(|site| site.root);
    let git = |args: &[&str]| root.as_deref().and_then(|root| Git::new(root).bytes(args).ok());
    let status = git(&["status", "--porcelain"]);
    match comparison {
        Comparison::Checkpoint => compare_with_commit(status.as_deref()),
        Comparison::Baseline(list) => {
            let list = fs_err::read(list);
            compare_with_baseline(&GitListings {
                status: status.as_deref(),
                unstaged: git(&["diff", "--name-only", "-z"]).as_deref(),
                staged: git(&["diff", "--cached", "--name-only", "-z"]).as_deref(),
                untracked: git(&["ls-files", "--others", "--exclude-standard", "-z"]).as_deref(),
                baseline: match &list {
                    Ok(list) => Baseline::List(list),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Baseline::Missing,
                    Err(_) => Baseline::Unreadable,
                },
            })
        }
    }
}

/// Writes the report and its path lists, lists first. A failed write turns a clean status into unknown.
fn write_report(report: DirtyTreeReport, output: &Path) -> DirtyTreeReport {
    let lists = [
        (&report.tracked, TRACKED_PATHS, "tracked-paths-write-failed"),
        (&report.new_untracked, NEW_UNTRACKED_PATHS, "new-untracked-paths-write-failed"),
    ];
    let sidecar = |suffix: &str| {
        let mut name = output.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let failed = lists.iter().find(|(list, suffix, _)| write_file(&sidecar(suffix), list).is_err());
    let failed = failed.map(|(.., reason)| *reason);
    let report = match failed {
        Some(reason) => report.downgraded(reason),
        None => report,
    };
    let text = report.lines().join("\n") + "\n";
    if write_file(output, text.as_bytes()).is_err() {
        report.downgraded("output-write-failed")
    } else {
        report
    }
}

/// Writes a file atomically. Without content it is removed, so that no stale list remains.
fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return match fs_err::remove_file(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        };
    }
    let path = std::path::absolute(path)?;
    let temp = path.with_added_extension(format!("{}.tmp", std::process::id()));
    atomic::replace(&path, &temp, bytes).map_err(io::Error::other)
}
