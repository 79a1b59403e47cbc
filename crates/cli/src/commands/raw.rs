//! Arguments of the contract plumbing: handed on as they were typed, because their messages and exit codes are
//! the contract's and not an argument parser's.

use clap::Args;
use std::ffi::OsString;

#[derive(Debug, Args)]
pub(crate) struct RawArgs {
    /// See above
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLAGS", hide = true)]
    args: Vec<OsString>,
}

impl RawArgs {
    /// The words. One that is not UTF-8 becomes one that no rule accepts and no file is called.
    pub(crate) fn words(&self) -> Vec<String> {
        self.args.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }
}
