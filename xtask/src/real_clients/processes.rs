//! Processes of a run: started, waited for, killed, and looked for afterwards.

use crate::Outcome;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Runs to the end, or to the end of patience.
pub(super) fn run(mut command: Command, patience: Duration) -> Outcome<(String, String, Option<i32>)> {
    let mut child = command.spawn()?;
    let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
    let code = wait(&mut child, patience)?;
    Ok((stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default(), code))
}

fn reader(pipe: Option<impl std::io::Read + Send + 'static>) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

pub(super) fn wait(child: &mut Child, patience: Duration) -> Outcome<Option<i32>> {
    let until = Instant::now() + patience;
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

/// Kills a process that leads a group, and the group with it.
pub(super) fn kill_group(leader: &mut Child) -> Outcome {
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", leader.id())]).status();
    leader.wait()?;
    Ok(())
}

/// Finds the processes with this home that a killed `program` left, once those it was just starting have become what they
/// were to be, or have died with it: until then they look like their parent.
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

/// Ends the processes with this home directory, which is unique to the case. Returns their command lines.
pub(super) fn end_processes_of(home: &Path) -> Vec<String> {
    let found = processes_of(home);
    for (id, _) in &found {
        let _ = Command::new("kill").args(["-KILL", id]).status();
    }
    found.into_iter().map(|(_, command)| command).collect()
}

/// Finds the processes that have this home: their numbers and command lines.
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
