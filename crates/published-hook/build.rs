//! Links the program at a fixed address on Linux, as that of the package `charrette-cli`, and starts it with its first look
//! where that is possible.

#[expect(clippy::disallowed_methods, reason = "cargo names the target in the environment")]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(first_look)");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let target = |name: &str| variable(&format!("CARGO_CFG_TARGET_{name}"));
    if target("OS") != "linux" {
        return;
    }
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    if !is_static {
        println!("cargo::rustc-link-arg=-no-pie");
    }
    // The first look uses addresses before libc has computed any. They are known if the dynamic linker was there before, or
    // if the program is at a fixed address; without optimization it would also call functions that libc must choose first.
    let is_fixed = variable("CARGO_ENCODED_RUSTFLAGS").contains("relocation-model=static");
    let knows_addresses = !is_static || (is_fixed && variable("OPT_LEVEL") != "0");
    if target("ARCH") == "x86_64" && target("POINTER_WIDTH") == "64" && knows_addresses {
        println!("cargo::rustc-cfg=first_look");
        println!("cargo::rustc-link-arg-bin=published-hook=-Wl,--entry=charrette_first_look");
    }
}
