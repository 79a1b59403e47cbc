//! Cost of supervising an agent on top of starting it.

use super::documents::bare_durable_write;
use super::ratio::{Figure, compare};
use crate::TaskResult;
use crate::programs::{build_rehearsal, create_repository, create_scratch_folder};
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const NAME: &str = "one supervised launch";
/// Number of launches measured together.
const LAUNCHES: usize = 20;

pub(super) fn figures(only: &str) -> TaskResult<Vec<Figure>> {
    if !NAME.contains(only) {
        return Ok(Vec::new());
    }
    let scratch = create_scratch_folder("launch")?;
    let setup = LaunchSetup::new(scratch.path())?;
    // The baseline repeats the durable writes and git commands of a launch, which are counted.
    let with = setup.count(LAUNCHES)?;
    let without = setup.count(0)?;
    let writes = (with.syncs - without.syncs) / 2;
    let gits = with.gits - without.gits;
    println!("{LAUNCHES} launches: {writes} durable writes, {gits} git commands");
    let document = fs_err::read(setup.work.join(format!(".claude/state/implement-counted-{LAUNCHES}.json")))?;
    let number = Cell::new(0);
    let run = |launches: usize| {
        number.set(number.get() + 1);
        setup.run(launches, &format!("n{}", number.get()), &[])
    };
    let bare = || -> TaskResult {
        run(0)?;
        for _ in 0..LAUNCHES {
            setup.bare_spawn()?;
        }
        for _ in 0..writes {
            bare_durable_write(&setup.bare, &document)?;
        }
        for _ in 0..gits {
            setup.bare_git()?;
        }
        Ok(())
    };
    Ok(vec![compare(NAME, 1.5, 10, || run(LAUNCHES), bare)?])
}

struct LaunchSetup {
    folder: PathBuf,
    work: PathBuf,
    bare: PathBuf,
    program: PathBuf,
}

struct OperationCounts {
    syncs: usize,
    gits: usize,
}

impl LaunchSetup {
    fn new(folder: &Path) -> TaskResult<LaunchSetup> {
        let (work, bare) = (folder.join("work"), folder.join("bare"));
        create_repository(&work)?;
        fs_err::create_dir(&bare)?;
        fs_err::create_dir(folder.join("home"))?;
        fs_err::write(folder.join("script.json"), r#"{"alpha": {"*": {"answer": "Here I am.\n"}}}"#)?;
        fs_err::write(work.join("charrette.toml"), "limits.parallel = 1\n")?;
        Ok(LaunchSetup { folder: folder.to_owned(), work, bare, program: build_rehearsal()? })
    }

    fn run(&self, launches: usize, feature: &str, wrapper: &[&str]) -> TaskResult {
        let program = self.program.to_string_lossy().into_owned();
        let mut words: Vec<&str> = wrapper.to_vec();
        words.extend([&program, "gather-crowd", feature]);
        let status = Command::new(words[0])
            .args(&words[1..])
            .current_dir(&self.work)
            .env("HOME", self.folder.join("home"))
            .env("REHEARSAL_SCRIPT", self.folder.join("script.json"))
            .env("REHEARSAL_CROWD", launches.to_string())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("the run with {launches} launches failed: {status}").into())
        }
    }

    /// Counts the durable writes and git commands of a run with that many launches.
    fn count(&self, launches: usize) -> TaskResult<OperationCounts> {
        let trace = self.folder.join("trace").to_string_lossy().into_owned();
        let wrapper = ["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync,execve", "-o", &trace];
        self.run(launches, &format!("counted-{launches}"), &wrapper)?;
        let text = String::from_utf8_lossy(&fs_err::read(&trace)?).into_owned();
        let is_sync = |line: &&str| line.contains("sync(") && !line.contains("resumed");
        let is_git_start =
            |line: &&str| line.contains("execve(\"") && line.contains("/git\"") && line.ends_with("= 0");
        Ok(OperationCounts {
            syncs: text.lines().filter(is_sync).count(),
            gits: text.lines().filter(is_git_start).count(),
        })
    }

    fn bare_spawn(&self) -> TaskResult {
        let agent = self.program.with_file_name("fake-agent");
        let mut child = Command::new(agent)
            .args([self.folder.join("script.json").as_os_str(), "alpha".as_ref()])
            .current_dir(&self.work)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        drop(child.stdin.take());
        child.wait_with_output()?;
        Ok(())
    }

    fn bare_git(&self) -> TaskResult {
        let mut command = Command::new("git");
        command
            .args(["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all"])
            .current_dir(&self.work);
        command.env("GIT_OPTIONAL_LOCKS", "0").output()?;
        Ok(())
    }
}
