//! Is a process still the one that was recorded?

/// Start of a process, as text that only that process has; none if there is no such process, or if the system does
/// not tell.
#[cfg(target_os = "linux")]
pub fn process_start(pid: u32) -> Option<String> {
    let stat = fs_err::read(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything.
    let after = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let rest = std::str::from_utf8(stat.get(after..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let ticks = fields.nth(18)?;
    // A dead process that nobody has waited for yet.
    if matches!(state, "Z" | "X") {
        return None;
    }
    let boot = fs_err::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    Some(format!("{ticks}-{}", boot.trim().get(..8).unwrap_or_default()))
}

#[cfg(not(target_os = "linux"))]
pub fn process_start(_: u32) -> Option<String> {
    None
}

/// True if the process with that id is alive and started at that time.
pub fn is_alive(pid: u32, start: Option<&str>) -> bool {
    if let Some(start) = start {
        return process_start(pid).as_deref() == Some(start);
    }
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_alive_and_a_former_one_is_not() {
        let own = std::process::id();
        let start = process_start(own);
        assert!(is_alive(own, start.as_deref()));
        assert!(!is_alive(own, Some("1-never")));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let (pid, start) = (child.id(), process_start(child.id()));
        child.wait().unwrap();
        assert!(!is_alive(pid, start.as_deref().or(Some("gone"))));
    }
}
