//! The mock model as a program.

fn main() -> std::process::ExitCode {
    charrette_testkit::mock_model::program::main()
}
