//! Processes of a run: waits for them, kills them, finds orphans.

use crate::TaskResult;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Runs a command with a timeout. Returns stdout, stderr and the exit code; no code if it was killed.
pub(crate) fn run(mut command: Command, timeout: Duration) -> TaskResult<(String, String, Option<i32>)> {
    let mut child = command.spawn()?;
    let (stdout, stderr) = (read_in_thread(child.stdout.take()), read_in_thread(child.stderr.take()));
    let code = wait(&mut child, timeout)?;
    Ok((stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default(), code))
}

fn read_in_thread(pipe: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for the exit code of a process; after the timeout it kills the process group and returns none.
pub(super) fn wait(child: &mut Child, timeout: Duration) -> TaskResult<Option<i32>> {
    let until = Instant::now() + timeout;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if Instant::now() > until {
            kill_group(child)?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Kills the process group of its leader.
pub(super) fn kill_group(leader: &mut Child) -> TaskResult {
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", leader.id())]).status();
    leader.wait()?;
    Ok(())
}

/// Finds the orphaned processes of a killed `program` by their home. First waits for children that were forked but have
/// not executed their program yet: until then they look like their parent.
pub(super) fn orphans_of(home: &Path, program: &Path) -> Vec<(String, String)> {
    let until = Instant::now() + Duration::from_secs(5);
    loop {
        let found = processes_of(home);
        let is_parent = |command: &str| command.starts_with(&*program.to_string_lossy());
        if !found.iter().any(|(_, command)| is_parent(command)) || Instant::now() > until {
            return found;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Kills the processes with this home directory, which is unique to the case. Returns their command lines.
pub(super) fn kill_processes_of(home: &Path) -> Vec<String> {
    let found = processes_of(home);
    for (id, _) in &found {
        let _ = Command::new("kill").args(["-KILL", id]).status();
    }
    found.into_iter().map(|(_, command)| command).collect()
}

/// Finds the processes with this home: their ids and command lines.
pub(super) fn processes_of(home: &Path) -> Vec<(String, String)> {
    let home = format!("HOME={}", home.display());
    let mut found = Vec::new();
    for entry in fs_err::read_dir("/proc").into_iter().flatten().flatten() {
        let environment = fs_err::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|variable| variable == home.as_bytes()) {
            let command = fs_err::read(entry.path().join("cmdline")).unwrap_or_default();
            let command = String::from_utf8_lossy(&command).replace('\0', " ");
            found.push((entry.file_name().to_string_lossy().into_owned(), command));
        }
    }
    found
}
