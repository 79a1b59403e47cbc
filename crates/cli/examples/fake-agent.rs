//! The scripted agent of the test kit, as a program: cargo builds it with the tests of this crate.

fn main() -> std::process::ExitCode {
    charrette_testkit::fake_agent::main()
}
