//! Overrides that keep git from starting programs which a repository's own configuration names.
//!
//! Programs of the user's and the system's configuration run, because honest filters such as LFS are set there. Programs
//! that only `.git/config`, its includes or a submodule's configuration name are switched off, or replaced by the user's
//! own where the user has one. Git is asked for its configuration once per process and folder, and again when one of the
//! files has changed.

use crate::environment::{Purpose, base_command};
use crate::process::run;
use crate::remote::SSH;
use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Settings that git is started with in a repository.
#[derive(Debug, Default)]
pub(crate) struct CleanRoom {
    /// Settings that replace those of the repository. Not for the command line: a key may contain `=`.
    pub(crate) overrides: Vec<Override>,
    /// Folder of hooks that the user's or the system's configuration names.
    pub(crate) hooks: Option<OsString>,
}

/// A key and the value that holds instead of the repository's.
pub(crate) type Override = (OsString, OsString);

/// Maximum depth at which configurations of submodules are looked for below `.git/modules`.
const MAX_MODULE_DEPTH: usize = 8;

struct Known {
    files: Vec<(PathBuf, Option<Signature>)>,
    room: Arc<CleanRoom>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Signature {
    inode: u64,
    bytes: u64,
    changed: (i64, i64),
}

/// The clean room for git in a folder.
pub(crate) fn clean_room(folder: &Path) -> Arc<CleanRoom> {
    static KNOWN: OnceLock<Mutex<HashMap<PathBuf, Known>>> = OnceLock::new();
    let mut known = KNOWN.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(folder)
        && found.files.iter().all(|(file, signature)| Signature::read(file) == *signature)
    {
        return found.room.clone();
    }
    let (settings, files) = read_settings(folder);
    let room =
        Arc::new(CleanRoom { overrides: override_programs(&settings), hooks: hooks_of_user(&settings) });
    // Without a repository there is no file that would tell that one was made since; and includes may depend on the branch
    // or lead to a file that appears later.
    let has_includes = settings.iter().any(|setting| setting.is_of_repository && setting.is_include());
    if files.is_empty() || has_includes {
        known.remove(folder);
    } else {
        let files = files.into_iter().map(|file| (Signature::read(&file), file));
        let files = files.map(|(signature, file)| (file, signature)).collect();
        known.insert(folder.to_owned(), Known { files, room: room.clone() });
    }
    room
}

impl Signature {
    fn read(file: &Path) -> Option<Signature> {
        let meta = file.metadata().ok()?;
        Some(Signature { inode: meta.ino(), bytes: meta.len(), changed: (meta.ctime(), meta.ctime_nsec()) })
    }
}

/// One setting, and whether the repository itself makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Setting {
    key: Vec<u8>,
    value: Vec<u8>,
    is_of_repository: bool,
}

impl Setting {
    fn is_include(&self) -> bool {
        self.key.get(..7).is_some_and(|section| section.eq_ignore_ascii_case(b"include"))
    }
}

/// All settings that git sees in a folder, those of submodules included, and the files of the repository among their
/// sources.
fn read_settings(folder: &Path) -> (Vec<Setting>, Vec<PathBuf>) {
    let ask = |args: &[&str]| {
        let mut command = base_command(folder, Purpose::Restricted);
        command.args(args).stdout(std::process::Stdio::piped());
        run(command, "config".to_owned(), b"").unwrap_or_default()
    };
    let listed = ask(&["config", "--list", "--show-scope", "--show-origin", "-z"]);
    let (mut settings, mut files) = parse_settings(&listed, folder);
    let modules = files.first().and_then(|config| config.parent()).map(|git| git.join("modules"));
    for config in modules.map(|modules| module_configurations(&modules, 0)).unwrap_or_default() {
        let listed = ask(&["config", "--list", "-z", "--includes", "--file", &config.to_string_lossy()]);
        settings.extend(fields(&listed).filter_map(|field| parse_setting(field, true)));
        files.push(config);
    }
    // Files that may appear later.
    if let Some(git) = files.first().and_then(|config| config.parent()).map(Path::to_owned) {
        files.extend([git.join("config.worktree"), git.join("modules")]);
    }
    (settings, files)
}

/// Parses records of scope, origin and setting.
fn parse_settings(listed: &[u8], folder: &Path) -> (Vec<Setting>, Vec<PathBuf>) {
    let (mut settings, mut files) = (Vec::new(), Vec::new());
    let mut records = fields(listed);
    while let (Some(scope), Some(origin), Some(setting)) = (records.next(), records.next(), records.next()) {
        let is_of_repository = matches!(scope, b"local" | b"worktree");
        settings.extend(parse_setting(setting, is_of_repository));
        if let Some(path) = origin.strip_prefix(b"file:").filter(|_| is_of_repository) {
            let path = folder.join(std::ffi::OsStr::from_bytes(path));
            if !files.contains(&path) {
                files.push(path);
            }
        }
    }
    (settings, files)
}

fn fields(listed: &[u8]) -> impl Iterator<Item = &[u8]> {
    listed.split(|byte| *byte == 0).filter(|field| !field.is_empty())
}

fn parse_setting(field: &[u8], is_of_repository: bool) -> Option<Setting> {
    // A key without a value is true.
    let (key, value) = match field.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&field[..end], &field[end + 1..]),
        None => (field, &b"true"[..]),
    };
    (!key.is_empty()).then(|| Setting { key: key.to_owned(), value: value.to_owned(), is_of_repository })
}

/// Configuration files of submodules.
fn module_configurations(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let name = entry.file_name();
        if kind.is_file() && (name == "config" || name == "config.worktree") {
            found.push(entry.path());
        } else if kind.is_dir() && depth < MAX_MODULE_DEPTH && name != "objects" && name != "refs" {
            found.extend(module_configurations(&entry.path(), depth + 1));
        }
    }
    found
}

/// Overrides for every setting of the repository that names a program.
fn override_programs(settings: &[Setting]) -> Vec<Override> {
    let mut overrides: Vec<Override> = Vec::new();
    let mut set = |key: &[u8], value: &[u8]| {
        overrides.push((OsString::from_vec(key.to_owned()), OsString::from_vec(value.to_owned())));
    };
    let mut seen: Vec<&[u8]> = Vec::new();
    for setting in settings.iter().filter(|setting| setting.is_of_repository) {
        let Some(program) = Program::named_by(&String::from_utf8_lossy(&setting.key)) else { continue };
        if seen.contains(&setting.key.as_slice()) {
            continue;
        }
        seen.push(&setting.key);
        let of_user = settings.iter().filter(|other| !other.is_of_repository && other.key == setting.key);
        let of_user: Vec<&[u8]> = of_user.map(|other| other.value.as_slice()).collect();
        match program {
            Program::Helpers => {
                // An empty value clears the list.
                set(&setting.key, b"");
                for value in &of_user {
                    set(&setting.key, value);
                }
            }
            Program::Single(harmless) => {
                set(&setting.key, of_user.last().copied().unwrap_or(harmless.as_bytes()));
            }
            Program::Filter => {
                set(&setting.key, of_user.last().copied().unwrap_or_default());
                if of_user.is_empty() {
                    let end = setting.key.iter().rposition(|byte| *byte == b'.').unwrap_or(0);
                    set(&[&setting.key[..end], b".required"].concat(), b"false");
                }
            }
        }
    }
    overrides
}

/// Override of a setting that names a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    /// By a value that runs nothing, or nothing that the repository chose.
    Single(&'static str),
    /// A content filter: without a program the content stays as it is.
    Filter,
    /// A list of programs.
    Helpers,
}

impl Program {
    fn named_by(key: &str) -> Option<Program> {
        let (section, rest) = key.split_once('.')?;
        let name = rest.rsplit('.').next().unwrap_or(rest).to_ascii_lowercase();
        let has_subsection = rest.contains('.');
        Some(match (section.to_ascii_lowercase().as_str(), name.as_str()) {
            ("filter", "clean" | "smudge" | "process") => Program::Filter,
            ("credential", "helper") => Program::Helpers,
            ("core", "sshcommand") => Program::Single(SSH),
            ("core", "askpass" | "gitproxy" | "alternaterefscommand" | "editor" | "pager") => {
                Program::Single("")
            }
            ("merge", "driver") | ("diff", "command" | "textconv") if has_subsection => {
                Program::Single("false")
            }
            ("gpg", "program") => Program::Single(match rest {
                "ssh.program" => "ssh-keygen",
                "x509.program" => "gpgsm",
                _ => "gpg",
            }),
            ("gpg", "defaultkeycommand") => Program::Single(""),
            ("remote", "uploadpack") => Program::Single("git-upload-pack"),
            ("remote", "receivepack") => Program::Single("git-receive-pack"),
            ("hook", "command") | ("trailer", "command" | "cmd") => Program::Single("true"),
            _ => return None,
        })
    }
}

/// Folder of hooks that the user's or the system's configuration names.
fn hooks_of_user(settings: &[Setting]) -> Option<OsString> {
    let is_hooks =
        |setting: &&Setting| !setting.is_of_repository && setting.key.eq_ignore_ascii_case(b"core.hookspath");
    settings.iter().rfind(is_hooks).map(|setting| OsString::from_vec(setting.value.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(key: &str, value: &str, is_of_repository: bool) -> Setting {
        Setting { key: key.into(), value: value.into(), is_of_repository }
    }

    #[test]
    fn programs_of_the_repository_give_way_to_those_of_the_user() {
        let settings = [
            setting("filter.lfs.clean", "git-lfs clean -- %f", false),
            setting("credential.helper", "store", false),
            setting("filter.lfs.clean", "evil", true),
            setting("filter.mine.smudge", "evil", true),
            setting("credential.helper", "!evil", true),
            setting("core.sshCommand", "evil", true),
            setting("merge.mine.driver", "evil", true),
            setting("core.bare", "false", true),
            setting("user.name", "Ada", true),
        ];
        assert_eq!(
            override_programs(&settings)
                .iter()
                .map(|(key, value)| format!("{}={}", key.display(), value.display()))
                .collect::<Vec<_>>(),
            [
                "filter.lfs.clean=git-lfs clean -- %f",
                "filter.mine.smudge=",
                "filter.mine.required=false",
                "credential.helper=",
                "credential.helper=store",
                "core.sshCommand=ssh -o BatchMode=yes -o ConnectTimeout=20",
                "merge.mine.driver=false",
            ]
        );
    }

    #[test]
    fn records_have_scope_origin_and_setting() {
        let listed = b"global\0file:/home/ada/.gitconfig\0user.name\nAda\0local\0file:.git/config\0filter.a.clean\nx\ny\0local\0file:.git/config\0core.flag\0";
        let (settings, files) = parse_settings(listed, Path::new("/repo"));
        assert_eq!(
            settings,
            [
                setting("user.name", "Ada", false),
                setting("filter.a.clean", "x\ny", true),
                setting("core.flag", "true", true)
            ]
        );
        assert_eq!(files, [PathBuf::from("/repo/.git/config")]);
    }
}
