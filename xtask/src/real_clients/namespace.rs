//! Network namespaces with only loopback.

use crate::TaskResult;
use std::path::Path;
use std::process::{Command, Stdio};

/// Checks that namespaces can be created.
pub(crate) fn check() -> TaskResult {
    let mut command = in_namespace(Path::new("true"));
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "cannot create a network namespace: {}; this needs Linux, unshare and ip (util-linux, iproute2)",
        stderr.trim()
    )
    .into())
}

/// Command that runs a program in a new namespace; arguments can be added.
pub(crate) fn in_namespace(program: &Path) -> Command {
    let mut command = Command::new("unshare");
    // Without root, a user namespace is needed too.
    command.arg(if is_root() { "-n" } else { "-rn" });
    command.args(["--", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]).arg(program);
    command
}

/// Command prefix that enters the namespace of a process; the program and its arguments are to be added.
pub(super) fn in_namespace_of(process: u32) -> Command {
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
