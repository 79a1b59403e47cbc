//! The `charrette` binary. Its code is in the library of this crate, so that documentation and shell completions
//! are generated from the same argument definitions.

use charrette_app::App;
use std::process::ExitCode;

fn main() -> ExitCode {
    charrette_cli::main(App::product())
}
