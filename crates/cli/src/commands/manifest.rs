//! `charrette manifest`: exports the artifacts of a design to a calling run, and validates such an export.

use crate::commands::raw::RawArgs;
use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_app::disk::Disk;
use charrette_app::export;
use charrette_model::manifest::write::{ExportBundle, ManifestEnvironment, WriteError};
use charrette_model::manifest::{read, write};
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Export design artifacts to a calling run, or validate an export
#[derive(Debug, Args)]
pub(crate) struct ManifestArgs {
    #[command(subcommand)]
    command: ManifestCommand,
}

#[derive(Debug, Subcommand)]
enum ManifestCommand {
    /// Copy the artifacts into design-export in the folder of --implement-tmpdir and print `MANIFEST_WRITTEN=PATH`
    ///
    /// Defaults of the folders are `DESIGN_TMPDIR` and `IMPLEMENT_TMPDIR`. The session id is `SESSION_ID`, else the
    /// content of I/session-id, else the name of folder I. An error is one line ERROR=… on standard error: exit 2 on a
    /// usage error, 1 otherwise.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette manifest write [--design-tmpdir D] [--implement-tmpdir I]"
    )]
    Write(RawArgs),
    /// Check a manifest and print `MANIFEST_OK=true` and its paths, or `MANIFEST_FAILED=true` and `ERROR=TOKEN`
    ///
    /// The exit code is 0 in both cases.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette manifest read --implement-tmpdir I [--manifest FILE] [--emit-load-breadcrumb]"
    )]
    Read(RawArgs),
}

pub(crate) fn manifest(invocation: &Invocation, args: &ManifestArgs) -> Result<ExitCode, AppError> {
    let disk = Disk;
    match &args.command {
        ManifestCommand::Read(raw) => output::print_answer(&read::answer(&raw.words(), &disk)),
        ManifestCommand::Write(raw) => {
            let now = invocation.now()?.at();
            let inherited = invocation.environment.caller_environment();
            let environment = ManifestEnvironment {
                design_tmpdir: inherited.design_tmpdir.as_deref(),
                implement_tmpdir: inherited.implement_tmpdir.as_deref(),
                session_id: inherited.session_id.as_deref(),
            };
            let written = write::plan(&raw.words(), environment, now, &disk).and_then(export_bundle);
            output::print_answer(&write::answer(written.as_ref()))
        }
    }
}

fn export_bundle(bundle: ExportBundle) -> Result<ExportBundle, WriteError> {
    match export::export(&bundle) {
        Ok(()) => Ok(bundle),
        Err(error) => Err(WriteError::Failed(error.to_string())),
    }
}
