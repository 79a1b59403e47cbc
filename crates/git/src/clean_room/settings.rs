//! Settings of git with their origin, as `git config --list -z --show-scope --show-origin` prints them.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// One setting, and whether the repository itself makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    /// Section and name in lower case, the subsection as it is written.
    pub(super) key: Vec<u8>,
    pub(super) value: Vec<u8>,
    pub(super) is_of_repository: bool,
    /// File that makes the setting; empty if it is none.
    pub(super) file: PathBuf,
}

impl Setting {
    /// Path of the file that the setting includes, whatever the condition, as it is written; none if the setting is no
    /// include.
    pub(super) fn included_path(&self) -> Option<&Path> {
        self.is_include().then(|| Path::new(OsStr::from_bytes(&self.value)))
    }

    /// The file at a path that the setting names: relative ones begin beside the file that makes the setting.
    pub(super) fn beside(&self, path: &Path) -> PathBuf {
        self.file.parent().map_or_else(|| path.to_owned(), |folder| folder.join(path))
    }

    fn is_include(&self) -> bool {
        let (start, end) = (b"include", b".path");
        self.key.get(..start.len()).is_some_and(|section| section.eq_ignore_ascii_case(start))
            && self.key.len() > end.len()
            && self.key[self.key.len() - end.len()..].eq_ignore_ascii_case(end)
    }
}

/// Parses records of scope, origin and setting. Relative origins are below `folder`.
pub(super) fn parse_settings(listed: &[u8], folder: &Path) -> Vec<Setting> {
    let mut settings = Vec::new();
    let mut records = fields(listed);
    while let (Some(scope), Some(origin), Some(setting)) = (records.next(), records.next(), records.next()) {
        let is_of_repository = matches!(scope, b"local" | b"worktree");
        settings.extend(parse_setting(setting, is_of_repository, file_of(origin, folder)));
    }
    settings
}

/// Parses records of origin and setting of a file that the repository includes.
pub(super) fn parse_included(listed: &[u8], folder: &Path) -> Vec<Setting> {
    let mut settings = Vec::new();
    let mut records = fields(listed);
    while let (Some(origin), Some(setting)) = (records.next(), records.next()) {
        settings.extend(parse_setting(setting, true, file_of(origin, folder)));
    }
    settings
}

fn file_of(origin: &[u8], folder: &Path) -> PathBuf {
    origin.strip_prefix(b"file:").map(|path| folder.join(OsStr::from_bytes(path))).unwrap_or_default()
}

fn fields(listed: &[u8]) -> impl Iterator<Item = &[u8]> {
    listed.split(|byte| *byte == 0).filter(|field| !field.is_empty())
}

fn parse_setting(field: &[u8], is_of_repository: bool, file: PathBuf) -> Option<Setting> {
    // A key without a value is true.
    let (key, value) = match field.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&field[..end], &field[end + 1..]),
        None => (field, &b"true"[..]),
    };
    (!key.is_empty()).then(|| Setting {
        key: key.to_owned(),
        value: value.to_owned(),
        is_of_repository,
        file,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_scope_origin_and_setting() {
        let listed = b"global\0file:/home/ada/.gitconfig\0user.name\nAda\0local\0file:.git/config\0filter.a.clean\nx\ny\0local\0file:.git/config\0core.flag\0";
        let setting = |key: &str, value: &str, is_of_repository, file: &str| Setting {
            key: key.into(),
            value: value.into(),
            is_of_repository,
            file: file.into(),
        };
        assert_eq!(
            parse_settings(listed, Path::new("/repo")),
            [
                setting("user.name", "Ada", false, "/home/ada/.gitconfig"),
                setting("filter.a.clean", "x\ny", true, "/repo/.git/config"),
                setting("core.flag", "true", true, "/repo/.git/config")
            ]
        );
    }

    #[test]
    fn includes_are_found_whatever_their_condition() {
        let include = |key: &str, value: &str| {
            let file = PathBuf::from("/repo/.git/config");
            let setting = Setting { key: key.into(), value: value.into(), is_of_repository: true, file };
            setting.included_path().map(|path| setting.beside(path))
        };
        assert_eq!(include("include.path", "more"), Some("/repo/.git/more".into()));
        assert_eq!(include("includeif.onbranch:x.path", "/etc/x"), Some("/etc/x".into()));
        assert_eq!(include("includes.other", "x"), None);
        assert_eq!(include("user.path", "x"), None);
    }
}
