//! `charrette check`: validates the files of a specification.

use super::check_proofs::check_proofs;
use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_app::check::{SpecCheck, check as check_spec};
use charrette_model::escape::one_line;
use clap::Args;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

/// Check a specification: requirements, tasks, links, counts
///
/// Checks the six files in specs/<feature>/ and, if it still exists, the plan of the run that wrote them; for a project
/// or feature, its page and manifest. Cited places (path:line) must exist. Prints every issue with file and line. Exit 0
/// without issues, 1 with issues.
///
/// With --proofs, the proofs of tasks are checked too, without a model: each can be run, and those of ticked tasks hold on
/// the content of this checkout. They run in the sandbox, without network. Exit 4 if the specification is not approved, or
/// the repository is not trusted.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Name of the feature, or path of its folder; not needed with --proofs
    #[arg(value_name = "FEATURE", required_unless_present = "proofs")]
    feature: Option<String>,
    /// Run the proofs of ticked tasks; all specifications without FEATURE
    #[arg(long)]
    proofs: bool,
}

pub(crate) fn check(invocation: &Invocation, args: &CheckArgs) -> Result<ExitCode, AppError> {
    if args.proofs {
        return check_proofs(invocation, args.feature.as_deref());
    }
    let site = invocation.site()?;
    let found = check_spec(&site, args.feature.as_deref().unwrap_or_default())?;
    let code = ExitCode::from(u8::from(!found.passed));
    if invocation.json {
        output::print_json(&found)?;
        return Ok(code);
    }
    print_issues(&found)?;
    Ok(code)
}

/// Prints all issues, and their number.
pub(super) fn print_issues(found: &SpecCheck) -> Result<(), AppError> {
    let current = Path::new(".").canonicalize().unwrap_or_default();
    for issue in &found.issues {
        let path = relative_path(&current, &issue.absolute_path).display().to_string();
        output::print_line(&format!(
            "{}:{}: {} [{}]",
            one_line(&path),
            issue.line,
            issue.message,
            issue.code
        ))?;
    }
    let folder = one_line(&relative_path(&current, &found.absolute_folder).display().to_string());
    output::print_line(&match found.issues.len() {
        0 => format!("{folder}: no issues"),
        1 => format!("{folder}: 1 issue"),
        count => format!("{folder}: {count} issues"),
    })
}

/// Path relative to the folder `from`.
fn relative_path(from: &Path, path: &Path) -> PathBuf {
    let shared = from.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    // Only the root in common: keep the absolute path.
    if shared < 2 {
        return path.to_owned();
    }
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let seen: PathBuf = up.chain(path.components().skip(shared)).collect();
    if seen.as_os_str().is_empty() { PathBuf::from(".") } else { seen }
}
