//! Network connections of a run, logged with strace.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// Command prefix that logs connections; empty if strace is not installed.
pub(super) fn trace_connections(file: &Path) -> Vec<OsString> {
    let has_strace = Command::new("strace").arg("-V").output().is_ok_and(|output| output.status.success());
    if !has_strace {
        return Vec::new();
    }
    let strace = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=connect", "-e", "signal=none", "-o"];
    strace.iter().map(OsString::from).chain([file.into()]).collect()
}

/// Addresses connected to beyond loopback. Attempts refused by the namespace do not count.
pub(super) fn external_addresses(file: &Path) -> Vec<String> {
    let trace = fs_err::read_to_string(file).unwrap_or_default();
    let is_external = |line: &&str| {
        let is_network = line.contains("sa_family=AF_INET");
        let is_loopback = ["\"127.", "\"::1\"", "\"::ffff:127."].iter().any(|address| line.contains(address));
        let is_made = line.ends_with("= 0") || line.contains("EINPROGRESS");
        is_network && !is_loopback && is_made
    };
    trace.lines().filter(is_external).map(str::to_owned).collect()
}
