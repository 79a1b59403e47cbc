//! Unparsed arguments of plumbing commands: passed on as typed, because a contract fixes their messages and exit
//! codes, which clap's parser would not produce.

use clap::Args;
use std::ffi::OsString;

#[derive(Debug, Args)]
pub(crate) struct RawArgs {
    /// See the usage line
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FLAGS", hide = true)]
    args: Vec<OsString>,
}

impl RawArgs {
    /// The arguments as text. Invalid UTF-8 is replaced, so that it matches no flag and no file name.
    pub(crate) fn words(&self) -> Vec<String> {
        self.args.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }
}
