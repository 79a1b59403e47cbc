//! Git in a folder: reading, editing and acting. Calls to remotes are in `remote`.

use crate::clean_room::{CleanRoom, Place};
use crate::command::{Purpose, command};
use crate::environment::{REPOSITORY_VARIABLES, WORKTREE_VARIABLES};
use crate::process::{Call, GitError, LimitedOutput, run, run_accepting, run_limited};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Number of times that a question is asked while the configuration changes.
const ATTEMPTS: usize = 3;

/// Runner of the git program in one folder.
#[derive(Debug, Clone, Copy)]
pub struct Git<'a> {
    pub(crate) folder: &'a Path,
    index: Option<&'a Path>,
    is_separate: bool,
    worktree: Option<LinkedWorktree<'a>>,
    settings: &'a [&'a str],
    time_limit: Option<Duration>,
    is_failure_an_answer: bool,
}

/// A worktree of the repository, whose own `.git` file is not read.
#[derive(Debug, Clone, Copy)]
struct LinkedWorktree<'a> {
    git_dir: &'a Path,
    folder: &'a Path,
}

impl<'a> Git<'a> {
    pub fn new(folder: &'a Path) -> Git<'a> {
        Git {
            folder,
            index: None,
            is_separate: false,
            worktree: None,
            settings: &[],
            time_limit: None,
            is_failure_an_answer: false,
        }
    }

    /// Works in a linked worktree of the repository. Neither its `.git` file nor the folders around it decide which
    /// repository that is.
    #[must_use]
    pub fn in_worktree(self, git_dir: &'a Path, folder: &'a Path) -> Git<'a> {
        Git { worktree: Some(LinkedWorktree { git_dir, folder }), ..self }
    }

    /// Adds settings, as `key=value`, that win over every configuration file.
    #[must_use]
    pub fn with_settings(self, settings: &'a [&'a str]) -> Git<'a> {
        Git { settings, ..self }
    }

    /// Uses another index file than the repository's own. The file need not exist.
    #[must_use]
    pub fn with_index(self, index: &'a Path) -> Git<'a> {
        Git { index: Some(index), ..self }
    }

    /// Uses the repository of the folder only, even if the environment names another one (`GIT_DIR`).
    #[must_use]
    pub fn separate(self) -> Git<'a> {
        Git { is_separate: true, ..self }
    }

    /// Ends git, and fails, if it takes longer than this; without it, the limit is generous.
    #[must_use]
    pub fn with_time_limit(self, time_limit: Duration) -> Git<'a> {
        Git { time_limit: Some(time_limit), ..self }
    }

    /// Reads git's output as bytes.
    pub fn bytes<S: AsRef<OsStr>>(self, args: &[S]) -> Result<Vec<u8>, GitError> {
        self.bytes_from(args, b"")
    }

    /// Reads git's output as bytes, with `input` on its standard input.
    pub fn bytes_from<S: AsRef<OsStr>>(self, args: &[S], input: &[u8]) -> Result<Vec<u8>, GitError> {
        run(self.captured(Purpose::Reading, args)?, input)
    }

    /// Reads git's output as text, without the trailing line break.
    pub fn text<S: AsRef<OsStr>>(self, args: &[S]) -> Result<String, GitError> {
        let printed = self.bytes(args)?;
        Ok(String::from_utf8_lossy(&printed).trim_end_matches(['\r', '\n']).to_owned())
    }

    /// Reads git's output as text; none if it is empty or git fails.
    pub fn find<S: AsRef<OsStr>>(self, args: &[S]) -> Option<String> {
        let git = Git { is_failure_an_answer: true, ..self };
        let text = repeated(|| git.text(args));
        text.ok().filter(|text| !text.is_empty())
    }

    /// True if git exits with 0. Reads only.
    pub fn succeeds<S: AsRef<OsStr>>(self, args: &[S]) -> bool {
        let git = Git { is_failure_an_answer: true, ..self };
        repeated(|| git.bytes(args)).is_ok()
    }

    /// Reads git's exit code and output, if the code is one of those accepted; any other is a failure.
    pub fn answer<S: AsRef<OsStr>>(self, args: &[S], accepted: &[i32]) -> Result<(i32, Vec<u8>), GitError> {
        run_accepting(self.captured(Purpose::Reading, args)?, b"", accepted)
    }

    /// Reads at most `limit` bytes of git's output.
    pub fn bytes_limited<S: AsRef<OsStr>>(self, args: &[S], limit: usize) -> Result<LimitedOutput, GitError> {
        self.bytes_limited_from(args, b"", limit)
    }

    /// Reads at most `limit` bytes of git's output, with `input` on its standard input.
    pub fn bytes_limited_from<S: AsRef<OsStr>>(
        self,
        args: &[S],
        input: &[u8],
        limit: usize,
    ) -> Result<LimitedOutput, GitError> {
        run_limited(self.captured(Purpose::Reading, args)?, input, limit)
    }

    /// Changes the index or the work tree, with `input` on git's standard input. No hooks run.
    pub fn edit<S: AsRef<OsStr>>(self, args: &[S], input: &[u8]) -> Result<(), GitError> {
        run(self.captured(Purpose::Editing, args)?, input).map(drop)
    }

    /// Acts as the user would with the same arguments. Hooks run only if the user's own configuration names them.
    pub fn act<S: AsRef<OsStr>>(self, args: &[S]) -> Result<(), GitError> {
        run(self.captured(Purpose::OnBehalfOfUser, args)?, b"").map(drop)
    }

    /// A call whose output is read.
    fn captured<S: AsRef<OsStr>>(self, purpose: Purpose, args: &[S]) -> Result<Call, GitError> {
        let mut call = self.prepare(purpose, args)?;
        call.process.stdout(Stdio::piped());
        Ok(call)
    }

    /// A call that is ready to start. An error if nothing tells which programs git would start.
    pub(crate) fn prepare<S: AsRef<OsStr>>(self, purpose: Purpose, args: &[S]) -> Result<Call, GitError> {
        let worktree = self.worktree.map(|worktree| (worktree.git_dir, worktree.folder));
        let place = Place { folder: self.folder, worktree, index: self.index };
        // A repository of our own making has no programs.
        let room = if self.is_separate { CleanRoom::default() } else { CleanRoom::at(place)? };
        let mut command = command(place, purpose, &room, &self.options(), args);
        if self.is_separate {
            for variable in REPOSITORY_VARIABLES {
                command.env_remove(variable);
            }
        }
        if let Some(worktree) = self.worktree {
            for variable in WORKTREE_VARIABLES {
                command.env_remove(variable);
            }
            command.current_dir(worktree.folder);
        }
        if let Some(index) = self.index {
            command.env("GIT_INDEX_FILE", index);
        }
        let mut call = Call::new(command, subcommand(args), purpose, room);
        if let Some(time_limit) = self.time_limit {
            call.patience.time_limit = time_limit;
        }
        if self.is_failure_an_answer {
            call.patience.prolong();
        }
        Ok(call)
    }

    /// Options before the subcommand.
    fn options(self) -> Vec<OsString> {
        let mut options = Vec::new();
        for setting in self.settings {
            options.extend(["-c", setting].map(OsString::from));
        }
        if let Some(LinkedWorktree { git_dir, folder }) = self.worktree {
            for (name, path) in [("--git-dir=", git_dir), ("--work-tree=", folder)] {
                let mut option = OsString::from(name);
                option.push(path);
                options.push(option);
            }
        }
        options
    }
}

/// Asks again if the configuration was changed meanwhile: where a failure is an answer, that must not be one.
fn repeated<T>(ask: impl Fn() -> Result<T, GitError>) -> Result<T, GitError> {
    let is_unsettled =
        |answer: &Result<T, GitError>| matches!(answer, Err(GitError::ConfigurationChanged { .. }));
    let mut answer = ask();
    for _ in 1..ATTEMPTS {
        if !is_unsettled(&answer) {
            break;
        }
        answer = ask();
    }
    answer
}

fn subcommand<S: AsRef<OsStr>>(args: &[S]) -> String {
    args.first().map(|word| word.as_ref().to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_separate_repository_is_not_that_of_the_environment() {
        let git = Git::new(Path::new("/"));
        let removed = |git: Git<'_>| -> BTreeSet<String> {
            let command = git.prepare(Purpose::Editing, &["init"]).unwrap().process;
            let removed = command.get_envs().filter(|(_, value)| value.is_none());
            removed.map(|(name, _)| name.to_string_lossy().into_owned()).collect()
        };
        let (usual, separate) = (removed(git), removed(git.separate()));
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
            assert!(!usual.contains(name) && separate.contains(name), "{name}");
        }
        let index = git.separate().with_index(Path::new("/index"));
        let index = index.prepare(Purpose::Editing, &["add"]).unwrap().process;
        assert!(index.get_envs().any(|(name, value)| name == "GIT_INDEX_FILE" && value.is_some()));
    }
}
