//! The scripted model of the test kit, as a program.

fn main() -> std::process::ExitCode {
    charrette_testkit::mock_model::program::main()
}
