//! One call of the hook, by either program.

#![expect(unsafe_code, reason = "a process that may not change signals")]

use charrette_testkit::Pty;
use std::ffi::{CString, OsString};
use std::fs::File;
use std::io::{Error, PipeReader, Write as _, pipe};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// How a client starts the hook.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) arguments: Vec<OsString>,
    pub(crate) variables: Vec<(String, OsString)>,
    /// Current folder of the process.
    pub(crate) folder: PathBuf,
    pub(crate) input: Input,
    /// True if the current folder is removed before the program starts.
    removes_folder: bool,
}

/// Standard input of the hook.
#[derive(Debug, Clone)]
pub(crate) enum Input {
    Bytes(Vec<u8>),
    /// In two parts, with a moment between them.
    Parts(Vec<u8>, Vec<u8>),
    /// A pipe that stays open and does not wait.
    WithoutWaiting(Vec<u8>),
    File(PathBuf),
    Closed,
}

/// Which of the programs gave an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    FirstLook,
    Hook,
}

impl Call {
    /// Event `PreToolUse` with this input.
    pub(crate) fn new(folder: &Path, input: impl Into<Vec<u8>>) -> Call {
        Call {
            arguments: vec!["PreToolUse".into()],
            variables: vec![("HOME".to_owned(), "/".into()), ("PATH".to_owned(), "/usr/bin:/bin".into())],
            folder: folder.to_owned(),
            input: Input::Bytes(input.into()),
            removes_folder: false,
        }
    }

    pub(crate) fn with_event(mut self, event: &str) -> Call {
        self.arguments = vec![event.into()];
        self
    }

    pub(crate) fn with_arguments(mut self, arguments: &[&str]) -> Call {
        self.arguments = arguments.iter().map(OsString::from).collect();
        self
    }

    pub(crate) fn with_variable(mut self, name: &str, value: impl Into<OsString>) -> Call {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn with_input(mut self, input: Input) -> Call {
        self.input = input;
        self
    }

    /// Removes the current folder, which must be empty, when the process is in it.
    pub(crate) fn in_removed_folder(mut self) -> Call {
        self.removes_folder = true;
        self
    }

    /// Checks that both programs answer the same. Returns the exit code, and which program gave the answer.
    pub(crate) fn compare(&self) -> (i32, By) {
        let ordinary = self.run(&ordinary_hook(), false);
        let published = self.run(&published_hook(), false);
        assert_eq!(describe(&published), describe(&ordinary), "{self:?}");
        let restricted = self.run(&published_hook(), true);
        let is_killed = restricted.status.signal() == Some(libc::SIGSYS);
        assert!(is_killed || describe(&restricted) == ALLOWED, "{self:?}: {restricted:?}");
        let by = if is_killed { By::Hook } else { By::FirstLook };
        (ordinary.status.code().unwrap(), by)
    }

    /// Checks the answer too, and which program gave it.
    pub(crate) fn expect(&self, code: i32, by: By) {
        assert_eq!(self.compare(), (code, by), "{self:?}");
    }

    /// Types the input at a terminal, and checks the exit code of both programs.
    pub(crate) fn type_input(&self, code: i32) {
        let Input::Bytes(input) = &self.input else { panic!("no text: {self:?}") };
        let input = str::from_utf8(input).unwrap();
        for program in [ordinary_hook(), published_hook()] {
            let mut terminal = Pty::start(self.command(&program), 80);
            terminal.send(&format!("{input}\n\u{4}"));
            assert_eq!(terminal.wait_for_exit(), Some(code), "{}", terminal.screen());
        }
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.folder);
        command
    }

    /// Runs a program. The hook ignores a signal before anything else: with `kills_hook` it is killed for that, and the
    /// first look is not.
    fn run(&self, program: &Path, kills_hook: bool) -> Output {
        let mut command = self.command(program);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // The writing end, which stays open until the program has ended.
        let mut open = None;
        let mut parts: Vec<&[u8]> = Vec::new();
        match &self.input {
            Input::Bytes(bytes) => parts = vec![bytes],
            Input::Parts(first, second) => parts = vec![first, second],
            Input::WithoutWaiting(bytes) => {
                let (reader, mut writer) = pipe().unwrap();
                stop_waiting(&reader);
                writer.write_all(bytes).unwrap();
                open = Some(writer);
                command.stdin(reader);
            }
            Input::File(path) => {
                command.stdin(File::open(path).unwrap());
            }
            Input::Closed => {
                let close = || {
                    // SAFETY: nothing in the new process needs it.
                    unsafe { libc::close(0) };
                    Ok(())
                };
                // SAFETY: it only makes a system call.
                unsafe { command.pre_exec(close) };
            }
        }
        if !parts.is_empty() {
            command.stdin(Stdio::piped());
        }
        if self.removes_folder {
            fs_err::create_dir_all(&self.folder).unwrap();
            let folder = CString::new(self.folder.as_os_str().as_bytes()).unwrap();
            let remove = move || {
                // SAFETY: the path ends with a zero.
                if unsafe { libc::rmdir(folder.as_ptr()) } == 0 {
                    Ok(())
                } else {
                    Err(Error::last_os_error())
                }
            };
            // SAFETY: it only makes a system call.
            unsafe { command.pre_exec(remove) };
        }
        if kills_hook {
            // SAFETY: it only makes system calls.
            unsafe { command.pre_exec(forbid_signal_handlers) };
        }
        let mut child = command.spawn().unwrap();
        if let Some(mut stdin) = child.stdin.take() {
            for (number, part) in parts.iter().enumerate() {
                if number > 0 {
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                // The hook does not read the input of events that it does not know.
                let _ = stdin.write_all(part);
            }
        }
        let output = child.wait_with_output().unwrap();
        drop(open);
        output
    }
}

const ALLOWED: &str = r#"Some(0), "", """#;

fn describe(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{:?}, {:?}, {:?}", output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn published_hook() -> PathBuf {
    env!("CARGO_BIN_EXE_published-hook").into()
}

/// An example of this package, so cargo builds it with these tests.
fn ordinary_hook() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    tests.ancestors().nth(2).unwrap().join("examples/ordinary-hook")
}

fn stop_waiting(pipe: &PipeReader) {
    rustix::fs::fcntl_setfl(pipe, rustix::fs::OFlags::NONBLOCK).unwrap();
}

/// The kernel kills this process when it changes what happens at a signal.
fn forbid_signal_handlers() -> std::io::Result<()> {
    const LOAD: u16 = 0x20;
    const SKIP_UNLESS_EQUAL: u16 = 0x15;
    const ANSWER: u16 = 0x06;
    let step = |code, jump_otherwise, value| libc::sock_filter { code, jt: 0, jf: jump_otherwise, k: value };
    let mut steps = [
        // The number of the call is first.
        step(LOAD, 0, 0),
        step(SKIP_UNLESS_EQUAL, 1, u32::try_from(libc::SYS_rt_sigaction).unwrap()),
        step(ANSWER, 0, libc::SECCOMP_RET_KILL_PROCESS),
        step(ANSWER, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: 4, filter: steps.as_mut_ptr() };
    // SAFETY: the program has four steps, and lives during the calls.
    let results = unsafe {
        [
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
            libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program),
        ]
    };
    if results == [0, 0] { Ok(()) } else { Err(Error::last_os_error()) }
}
