//! A network namespace that has only loopback.

use crate::Outcome;
use std::path::Path;
use std::process::{Command, Stdio};

/// Complains early if there can be none.
pub(super) fn check() -> Outcome {
    let mut command = in_namespace(Path::new("true"));
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "no network namespace: {}; this needs Linux, unshare and ip (util-linux, iproute2)",
        said.trim()
    )
    .into())
}

/// A program in a namespace of its own; arguments can be added.
pub(super) fn in_namespace(program: &Path) -> Command {
    let mut command = Command::new("unshare");
    // Only root can make one without making itself root in a namespace of users first.
    command.arg(if is_root() { "-n" } else { "-rn" });
    command.args(["--", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]).arg(program);
    command
}

/// For the namespace that another process is in; the program and its arguments are to be added.
pub(super) fn joined_to(process: u32) -> Command {
    let mut command = Command::new("nsenter");
    command.args(["-t", &process.to_string()]);
    command.args(if is_root() { &["-n"][..] } else { &["-U", "--preserve-credentials", "-n"] });
    command.arg("--");
    command
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}
