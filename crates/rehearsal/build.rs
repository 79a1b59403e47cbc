//! Links the rehearsal at a fixed address on Linux, as charrette is, so that what is measured with it is true of charrette.

#[expect(clippy::disallowed_methods, reason = "cargo names the target in the environment")]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if target("OS") == "linux" && !is_static {
        println!("cargo::rustc-link-arg-bin=charrette-rehearsal=-no-pie");
    }
}
