//! A design whose driver and git are killed together, inside git: while it switches to the branch of the run, and while it
//! waits for a remote. The next start continues, or names the lock that git left and how to remove it; then it continues.

use super::design::{Files, compare_files, read_files};
use crate::TaskResult;
use crate::design::DesignRig;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

/// Stands before git in PATH: kills it at the chosen system call of the chosen subcommand, once, and the driver with it.
const WRAPPER: &str = r#"#!/bin/sh
# Git gets none but its own variables.
. "${0%/*}/orders"
real=$(PATH=${PATH#*:} command -v git)
for word in "$@"; do
  if [ "$word" = "$GIT_CRASH_COMMAND" ] && mkdir "$GIT_CRASH_MARK" 2> /dev/null; then
    if [ "$GIT_CRASH_CALL" = wait ]; then
      kill -9 $PPID; exit 1
    fi
    strace -qqq -o /dev/null -e trace="$GIT_CRASH_CALL" -e inject="$GIT_CRASH_CALL:signal=KILL:when=$GIT_CRASH_NTH" "$real" "$@"
    code=$?
    [ $code = 0 ] && echo "$GIT_CRASH_CALL" > "$GIT_CRASH_MARK/ended"
    [ $code = 0 ] || kill -9 $PPID
    exit $code
  fi
done
exec "$real" "$@"
"#;

/// System calls of git at which it is killed.
const CALLS: [&str; 4] = ["rename", "unlink", "openat", "fsync"];

/// Maximum number of kills per system call; git's own start opens many files.
const MAX_KILLS: usize = 60;

/// Kills at every Nth call.
pub(super) fn crash(every: usize) -> TaskResult {
    let rig = DesignRig::new()?;
    let folder = rig.panel.sandbox.outside("crash-git");
    fs_err::create_dir_all(&folder)?;
    fs_err::write(folder.join("git"), WRAPPER)?;
    fs_err::set_permissions(folder.join("git"), std::fs::Permissions::from_mode(0o755))?;
    rig.restore()?;
    rig.run_to_success(&[])?;
    let expected = read_files(&rig)?;
    let (mut kills, mut with_locks) = (0, 0);
    for call in CALLS {
        for nth in (1..=MAX_KILLS).step_by(every) {
            match kill_inside(&rig, &folder, "switch", call, nth, &expected)
                .map_err(|problem| format!("git switch killed at {call} #{nth}: {problem}"))?
            {
                // Git makes fewer such calls.
                None => break,
                Some(locks) => with_locks += usize::from(locks > 0),
            }
            kills += 1;
        }
    }
    let waited = kill_inside(&rig, &folder, "fetch", "wait", 1, &expected)?;
    println!(
        "killed {kills} times inside git switch{}: same files each time, {with_locks} times after a lock was removed as told",
        if waited.is_some() { " and while fetching" } else { "" }
    );
    Ok(())
}

/// Kills once and resumes to the end. Returns the number of locks that had to be removed; none if nothing was killed.
fn kill_inside(
    rig: &DesignRig,
    folder: &PathBuf,
    command: &str,
    call: &str,
    nth: usize,
    expected: &Files,
) -> TaskResult<Option<usize>> {
    rig.restore()?;
    let mark = rig.panel.sandbox.outside("crash-mark");
    let _ = fs_err::remove_dir_all(&mark);
    let variables = [
        ("GIT_CRASH_COMMAND", command.to_owned()),
        ("GIT_CRASH_MARK", mark.display().to_string()),
        ("GIT_CRASH_CALL", call.to_owned()),
        ("GIT_CRASH_NTH", nth.to_string()),
    ];
    let orders: String = variables.map(|(name, value)| format!("{name}='{value}'\n")).concat();
    fs_err::write(folder.join("orders"), orders)?;
    let wrapper: Vec<OsString> =
        vec!["sh".into(), "-c".into(), r#"PATH="$0:$PATH" exec env "$@""#.into(), folder.into()];
    rig.run(&wrapper)?;
    if !mark.exists() || mark.join("ended").exists() {
        return Ok(None);
    }
    let mut locks = 0;
    loop {
        let output = rig.run(&[])?;
        if output.status.success() {
            break;
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let lock = said.split("remove it: rm ").nth(1).and_then(|rest| rest.split_whitespace().next());
        match lock {
            Some(lock) if locks < 4 => {
                fs_err::remove_file(lock)?;
                locks += 1;
            }
            _ => return Err(format!("the run does not continue: {} {said}", output.status).into()),
        }
    }
    compare_files(expected, &read_files(rig)?)?;
    Ok(Some(locks))
}
