//! `charrette manifest`: a finished design handed to the run that asked for it.

use crate::commands::raw::RawArgs;
use crate::here::Here;
use crate::output;
use charrette_app::AppError;
use charrette_app::disk::Disk;
use charrette_app::export;
use charrette_model::manifest::write::{Bundle, Environment, WriteError};
use charrette_model::manifest::{read, write};
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Hand the artifacts of a design to the run that asked for them
#[derive(Debug, Args)]
pub(crate) struct ManifestArgs {
    #[command(subcommand)]
    command: ManifestCommand,
}

#[derive(Debug, Subcommand)]
enum ManifestCommand {
    /// Copy the artifacts into I/design-export and print `MANIFEST_WRITTEN=PATH`
    ///
    /// Without a flag, `DESIGN_TMPDIR` and `IMPLEMENT_TMPDIR` name the folders; `SESSION_ID` names the session, else
    /// the file I/session-id, else the folder I. What cannot be exported is one line ERROR=… on standard error:
    /// exit 2 if something was typed wrongly, 1 otherwise.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette manifest write [--design-tmpdir D] [--implement-tmpdir I]"
    )]
    Write(RawArgs),
    /// Check a manifest and print `MANIFEST_OK=true` and its paths, or `MANIFEST_FAILED=true` and `ERROR=TOKEN`
    ///
    /// The exit code is 0 either way: the answer is in the lines.
    #[command(
        disable_help_flag = true,
        override_usage = "charrette manifest read --implement-tmpdir I [--manifest FILE] [--emit-load-breadcrumb]"
    )]
    Read(RawArgs),
}

pub(crate) fn manifest(here: &Here, args: &ManifestArgs) -> Result<ExitCode, AppError> {
    let disk = Disk;
    match &args.command {
        ManifestCommand::Read(typed) => output::answer(&read::answer(&typed.words(), &disk)),
        ManifestCommand::Write(typed) => {
            let now = here.now()?.at();
            let handed = here.environment.handed_down();
            let environment = Environment {
                design_tmpdir: handed.design_tmpdir.as_deref(),
                implement_tmpdir: handed.implement_tmpdir.as_deref(),
                session_id: handed.session_id.as_deref(),
            };
            let written = write::plan(&typed.words(), environment, now, &disk).and_then(exported);
            output::answer(&write::answer(written.as_ref()))
        }
    }
}

fn exported(bundle: Bundle) -> Result<Bundle, WriteError> {
    match export::export(&bundle) {
        Ok(()) => Ok(bundle),
        Err(error) => Err(WriteError::Failed(error.to_string())),
    }
}
