//! The variables git is started with: those that it knows, and what it needs to reach its user's programs, remotes and
//! signatures. Everything else stays away from it and from the programs it starts, keys and tokens above all.

use crate::search_path::find_program;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

/// Variables of the user and the system that git, ssh, gpg and curl need.
const VARIABLES: [&str; 58] = [
    "ALL_PROXY",
    "all_proxy",
    "CURL_CA_BUNDLE",
    "DYLD_FALLBACK_FRAMEWORK_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "DYLD_FRAMEWORK_PATH",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "EMAIL",
    "GNUPGHOME",
    "GPG_TTY",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "http_proxy",
    "https_proxy",
    "KRB5CCNAME",
    "KRB5_CONFIG",
    "LANG",
    "LANGUAGE",
    "LC_ADDRESS",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LOGNAME",
    "NO_PROXY",
    "no_proxy",
    "PATH",
    "SHELL",
    "SSH_AGENT_PID",
    "SSH_AUTH_SOCK",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "__CF_USER_TEXT_ENCODING",
    "DEVELOPER_DIR",
    "NIX_SSL_CERT_FILE",
];

/// Variables of git itself, and of LFS, without `GIT_`. Those that name editors, pagers and diff programs are left out: git
/// is started without them.
const GIT_VARIABLES: [&str; 85] = [
    "ADVICE",
    "ALLOW_PROTOCOL",
    "ALTERNATE_OBJECT_DIRECTORIES",
    "ASKPASS",
    "ATTR_GLOBAL",
    "ATTR_NOSYSTEM",
    "ATTR_SOURCE",
    "ATTR_SYSTEM",
    "AUTHOR_DATE",
    "AUTHOR_EMAIL",
    "AUTHOR_NAME",
    "CEILING_DIRECTORIES",
    "COMMITTER_DATE",
    "COMMITTER_EMAIL",
    "COMMITTER_NAME",
    "COMMIT_GRAPH_PARANOIA",
    "COMMON_DIR",
    "CONFIG",
    "CONFIG_COUNT",
    "CONFIG_GLOBAL",
    "CONFIG_NOSYSTEM",
    "CONFIG_PARAMETERS",
    "CONFIG_SYSTEM",
    "CURL_FTP_NO_EPSV",
    "CURL_VERBOSE",
    "DEFAULT_HASH",
    "DEFAULT_REF_FORMAT",
    "DIFF_OPTS",
    "DIR",
    "DISCOVERY_ACROSS_FILESYSTEM",
    "EXEC_PATH",
    "FLUSH",
    "FORCE_UNTRACKED_CACHE",
    "GLOB_PATHSPECS",
    "GRAFT_FILE",
    "HTTP_LOW_SPEED_LIMIT",
    "HTTP_LOW_SPEED_TIME",
    "HTTP_MAX_REQUESTS",
    "HTTP_PROXY_AUTHMETHOD",
    "HTTP_USER_AGENT",
    "ICASE_PATHSPECS",
    "IMPLICIT_WORK_TREE",
    "INDEX_FILE",
    "INDEX_VERSION",
    "LFS_FORCE_PROGRESS",
    "LFS_PROGRESS",
    "LFS_SET_LOCKABLE_READONLY",
    "LFS_SKIP_DOWNLOAD_ERRORS",
    "LFS_SKIP_PUSH",
    "LFS_SKIP_SMUDGE",
    "LITERAL_PATHSPECS",
    "MERGE_VERBOSITY",
    "NAMESPACE",
    "NOGLOB_PATHSPECS",
    "NOTES_REF",
    "NO_LAZY_FETCH",
    "NO_REPLACE_OBJECTS",
    "OBJECT_DIRECTORY",
    "OPTIONAL_LOCKS",
    "PREFIX",
    "PROTOCOL",
    "PROTOCOL_FROM_USER",
    "PROXY_COMMAND",
    "PROXY_SSL_CAINFO",
    "PROXY_SSL_CERT",
    "PROXY_SSL_CERT_PASSWORD_PROTECTED",
    "PROXY_SSL_KEY",
    "REFLOG_ACTION",
    "REF_PARANOIA",
    "REPLACE_REF_BASE",
    "SHALLOW_FILE",
    "SSH",
    "SSH_COMMAND",
    "SSH_VARIANT",
    "SSL_CAINFO",
    "SSL_CAPATH",
    "SSL_CERT",
    "SSL_CERT_PASSWORD_PROTECTED",
    "SSL_CERT_TYPE",
    "SSL_CIPHER_LIST",
    "SSL_KEY",
    "SSL_KEY_TYPE",
    "SSL_NO_VERIFY",
    "SSL_VERSION",
    "WORK_TREE",
];

/// Beginnings of variables of git that have a number or a topic behind them, without `GIT_`.
const GIT_FAMILIES: [&str; 3] = ["CONFIG_KEY_", "CONFIG_VALUE_", "TRACE"];

/// Variables that change how pathspecs are read. Git refuses them together with `--literal-pathspecs`.
pub(crate) const PATHSPEC_VARIABLES: [&str; 3] =
    ["GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"];

/// Variables that name another repository than that of the folder, or change it (`git rev-parse --local-env-vars`).
pub(crate) const REPOSITORY_VARIABLES: [&str; 15] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Variables that belong to one work tree and must not be taken to another one.
pub(crate) const WORKTREE_VARIABLES: [&str; 3] = ["GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"];

static ENVIRONMENT: OnceLock<BTreeMap<OsString, OsString>> = OnceLock::new();

/// Sets the environment of this process, of which git gets what it needs. To be called once, by the binary; without it
/// git inherits everything.
pub fn set_environment(variables: &BTreeMap<OsString, OsString>) {
    let needed = variables.iter().filter(|(name, _)| is_needed(&name.to_string_lossy()));
    let _ = ENVIRONMENT.set(needed.map(|(name, value)| (name.clone(), value.clone())).collect());
}

fn is_needed(name: &str) -> bool {
    let is_of_git = |name: &str| {
        GIT_VARIABLES.contains(&name) || GIT_FAMILIES.iter().any(|family| name.starts_with(family))
    };
    VARIABLES.contains(&name) || name.strip_prefix("GIT_").is_some_and(is_of_git)
}

/// A variable of the environment that git gets. None if no environment was set.
pub(crate) fn variable(name: &str) -> Option<&'static OsStr> {
    ENVIRONMENT.get()?.get(OsStr::new(name)).map(OsString::as_os_str)
}

/// True if the environment says where the repository is.
pub fn is_redirected() -> bool {
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR"].iter().any(|name| variable(name).is_some())
}

/// Git with its environment, without arguments.
pub(crate) fn program_command() -> Command {
    let mut command = Command::new(program());
    if let Some(variables) = ENVIRONMENT.get() {
        command.env_clear().envs(variables);
    }
    command
}

/// Path of git, looked up once. A program that is given by its path starts in half the time: the standard library forks
/// the whole process to search a path that is not its own.
fn program() -> &'static OsStr {
    static PROGRAM: OnceLock<OsString> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let found = variable("PATH").and_then(|path| find_program(path, "git"));
        found.map_or_else(|| "git".into(), PathBuf::into_os_string)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_gets_its_own_variables_and_no_others_that_look_alike() {
        for name in [
            "GIT_DIR",
            "GIT_SSH_COMMAND",
            "GIT_CONFIG_KEY_0",
            "GIT_CONFIG_VALUE_12",
            "GIT_TRACE2_EVENT",
            "GIT_LFS_SKIP_SMUDGE",
            "XDG_CONFIG_HOME",
            "LC_ALL",
            "HOME",
            "KRB5CCNAME",
            "KRB5_CONFIG",
        ] {
            assert!(is_needed(name), "{name}");
        }
        for name in [
            "GIT_TOKEN",
            "GIT_PASSWORD",
            "GIT_HTTP_EXTRAHEADER",
            "GIT_EDITOR",
            "GITHUB_TOKEN",
            "GIT_",
            "XDG_SECRET_KEY",
            "LC_API_KEY",
            "LD_AUDIT",
            "SSH_ASKPASS",
        ] {
            assert!(!is_needed(name), "{name}");
        }
        for list in [&VARIABLES[..], &GIT_VARIABLES] {
            let mut sorted = list.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), list.len(), "a name stands there twice");
        }
        for name in REPOSITORY_VARIABLES.iter().chain(&PATHSPEC_VARIABLES) {
            assert!(is_needed(name), "{name}");
        }
    }
}
