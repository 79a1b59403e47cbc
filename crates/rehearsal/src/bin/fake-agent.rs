//! The scripted agent of the test kit, as a program.

fn main() -> std::process::ExitCode {
    charrette_testkit::fake_agent::main()
}
