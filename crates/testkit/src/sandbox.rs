//! Temporary folder, and git repositories in it.

use crate::run::Output;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Current time in a sandbox, unless a test sets another.
const NOW: &str = "2026-11-15T12:00:00.000Z";

/// A temporary folder with a home, a work folder and a clean environment.
#[derive(Debug)]
pub struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    /// An empty work folder, not a repository.
    #[expect(clippy::new_without_default, reason = "it touches the disk")]
    pub fn new() -> Sandbox {
        let folder = tempfile::Builder::new().prefix("charrette-test-").tempdir();
        Sandbox::with_folder(folder.expect("a temporary folder"))
    }

    /// A sandbox in a new folder that is not removed, for inspection afterwards.
    pub fn persistent(folder: &Path) -> Sandbox {
        let (parent, name) = (folder.parent().expect("a parent"), folder.file_name().expect("a name"));
        fs_err::create_dir_all(parent).expect("the folder around the sandbox");
        let folder =
            tempfile::Builder::new().prefix(name).rand_bytes(0).disable_cleanup(true).tempdir_in(parent);
        Sandbox::with_folder(folder.expect("a new folder"))
    }

    fn with_folder(folder: TempDir) -> Sandbox {
        for inside in ["home", "work"] {
            fs_err::create_dir(folder.path().join(inside)).expect("a folder in the sandbox");
        }
        Sandbox { folder }
    }

    /// A git repository with one commit.
    pub fn repository() -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.git(["init", "-q", "-b", "main"]);
        sandbox.commit("first");
        sandbox
    }

    /// Work folder: the root of the repository, if there is one.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Path in the work folder.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.work().join(relative)
    }

    /// Home folder of the user.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Path beside the work folder.
    pub fn outside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file in the work folder.
    pub fn write(&self, relative: &str, content: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs_err::create_dir_all(path.parent().expect("a parent")).expect("folders in the sandbox");
        fs_err::write(path, content).expect("a file in the sandbox");
    }

    /// Reads a file in the work folder.
    pub fn read(&self, relative: &str) -> String {
        fs_err::read_to_string(self.path(relative)).expect("a file in the sandbox")
    }

    /// Makes a commit and returns its id.
    pub fn commit(&self, message: &str) -> String {
        self.git(["commit", "-q", "--allow-empty", "-m", message]);
        self.git(["rev-parse", "HEAD"])
    }

    /// Runs git in the work folder and returns what it printed.
    pub fn git<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> String {
        self.git_in(&self.work(), args)
    }

    /// Runs git in some folder and returns what it printed.
    pub fn git_in<S: AsRef<OsStr>>(&self, folder: &Path, args: impl IntoIterator<Item = S>) -> String {
        let output = self.command("git").args(args).current_dir(folder).output().expect("git runs");
        assert!(output.status.success(), "git failed: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// A command whose environment holds only what belongs to the sandbox.
    #[expect(clippy::disallowed_methods, reason = "PATH is how the real programs are found")]
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("LC_ALL", "C.UTF-8")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "Ada L")
            .env("GIT_AUTHOR_EMAIL", "ada@example.com")
            .env("GIT_COMMITTER_NAME", "Ada L")
            .env("GIT_COMMITTER_EMAIL", "ada@example.com")
            .env("GIT_AUTHOR_DATE", "2026-11-15T11:00:00Z")
            .env("GIT_COMMITTER_DATE", "2026-11-15T11:00:00Z")
            .env("CHARRETTE_NOW", NOW)
            // Scripted agents write their logs beside the repository. Tests of the sandbox unset it.
            .env("CHARRETTE_LANDLOCK", "0")
            // Repositories in a sandbox are the test's own; tests of trust remove it.
            .env("CHARRETTE_TRUST", "1")
            .current_dir(self.work())
            .stdin(Stdio::null());
        command
    }

    /// Runs a program in the work folder, with `stdin` fed to it.
    pub fn run<S: AsRef<OsStr>>(
        &self,
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = S>,
        stdin: &[u8],
    ) -> Output {
        let mut command = self.command(program);
        command.args(args);
        Output::capture(command, stdin)
    }
}
