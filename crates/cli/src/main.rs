//! The `charrette` binary. Everything it does is in the library of this crate, so that documentation and
//! completions are made from the same definition of its arguments.

use charrette_app::App;
use std::process::ExitCode;

fn main() -> ExitCode {
    charrette_cli::main(App::product())
}
