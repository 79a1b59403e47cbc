//! Links the programs at a fixed address on Linux, as the published ones are: about 80,000 addresses need not be
//! computed at each start, and their pages stay shared.

#[expect(clippy::disallowed_methods, reason = "cargo names the target in the environment")]
fn main() {
    // The rehearsal uses this script too, from its own folder. Cargo itself notices changes of the script.
    println!("cargo::rerun-if-changed=Cargo.toml");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if target("OS") == "linux" && !is_static {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
