//! Targets of static builds on this machine.

use crate::TaskResult;
use std::path::Path;
use std::process::Command;

/// An installed target and the C compiler for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// Target triple.
    pub(crate) name: String,
    /// C compiler, if it is not the default one.
    compiler: Option<String>,
    /// True if the target is another architecture. The compiler is then the linker too.
    is_foreign: bool,
}

impl Target {
    /// Finds the Linux target of an architecture: musl if installed, else glibc. The error names what is missing.
    pub(crate) fn find(arch: &str) -> TaskResult<Target> {
        let names = ["musl", "gnu"].map(|libc| format!("{arch}-unknown-linux-{libc}"));
        for name in &names {
            if is_installed(name)? {
                return Target::with_compiler(name, arch, is_program);
            }
        }
        let [musl, gnu] = names;
        Err(format!("neither {musl} nor {gnu} is installed (rustup target add {musl})").into())
    }

    fn with_compiler(name: &str, arch: &str, is_program: impl Fn(&str) -> bool) -> TaskResult<Target> {
        let is_foreign = arch != std::env::consts::ARCH;
        let (musl, gnu) = (format!("{arch}-linux-musl-gcc"), format!("{arch}-linux-gnu-gcc"));
        let candidates = match (is_foreign, name.ends_with("musl")) {
            (false, false) => return Ok(Target { name: name.to_owned(), compiler: None, is_foreign }),
            // Our C dependencies need nothing that musl lacks.
            (false, true) => vec!["musl-gcc".to_owned(), musl, "cc".to_owned()],
            (true, true) => vec![musl, gnu],
            (true, false) => vec![gnu],
        };
        let Some(compiler) = candidates.iter().find(|program| is_program(program)) else {
            let wanted = candidates.join(" or ");
            return Err(format!("{name} is installed, but there is no C compiler for it ({wanted})").into());
        };
        Ok(Target { name: name.to_owned(), compiler: Some(compiler.clone()), is_foreign })
    }

    /// True if binaries for this target run on this machine.
    pub(crate) fn is_native(&self) -> bool {
        !self.is_foreign
    }

    /// Environment that selects the compiler for cargo and for build scripts of C code.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let Some(compiler) = &self.compiler else { return Vec::new() };
        let name = self.name.replace('-', "_");
        let mut variables = vec![(format!("CC_{name}"), compiler.clone())];
        if self.is_foreign {
            let linker = format!("CARGO_TARGET_{}_LINKER", name.to_uppercase());
            variables.push((linker, compiler.clone()));
        }
        variables
    }
}

fn is_installed(target: &str) -> TaskResult<bool> {
    let output = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output()?;
    Ok(Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

fn is_program(name: &str) -> bool {
    Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_native_target_is_found() {
        assert!(Target::find(std::env::consts::ARCH).unwrap().is_native());
    }

    #[test]
    fn a_missing_target_is_reported_with_the_command_to_install_it() {
        let reason = Target::find("abacus").unwrap_err().to_string();
        assert!(reason.contains("rustup target add abacus-unknown-linux-musl"), "{reason}");
    }

    #[test]
    fn a_foreign_target_needs_its_own_compiler_and_linker() {
        let none = Target::with_compiler("abacus-unknown-linux-gnu", "abacus", |_| false).unwrap_err();
        assert!(none.to_string().contains("no C compiler for it (abacus-linux-gnu-gcc)"), "{none}");
        let target =
            Target::with_compiler("abacus-unknown-linux-musl", "abacus", |program| program.contains("gnu"));
        let compiler = "abacus-linux-gnu-gcc".to_owned();
        assert_eq!(
            target.unwrap().environment(),
            [
                ("CC_abacus_unknown_linux_musl".to_owned(), compiler.clone()),
                ("CARGO_TARGET_ABACUS_UNKNOWN_LINUX_MUSL_LINKER".to_owned(), compiler)
            ]
        );
    }
}
