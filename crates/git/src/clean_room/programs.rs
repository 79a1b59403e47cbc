//! Settings that name programs, and what replaces them where only the repository makes them.

use super::settings::Setting;
use crate::remote::SSH;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

/// A key and the value that holds instead of the repository's.
pub(crate) type Override = (OsString, OsString);

/// Setting that names a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Program {
    /// Of several values the last counts: replaced by a value that runs nothing, or nothing that the repository chose.
    Single(&'static str),
    /// A content filter.
    Filter,
    /// A list of programs that ask for credentials. An empty value clears what stands before it.
    CredentialHelper,
    /// The program at the other end of a remote. Of several values the first counts, so that no later one replaces it.
    RemoteEnd,
    /// The program that connects to `git://` hosts. The first that matches the host counts.
    GitProxy,
}

impl Program {
    /// The kind of program that a setting names, if any.
    pub(super) fn named_by(key: &str) -> Option<Program> {
        let (section, rest) = key.split_once('.')?;
        let (subsection, name) = match rest.rsplit_once('.') {
            Some((subsection, name)) => (Some(subsection), name),
            None => (None, rest),
        };
        Some(match (section.to_ascii_lowercase().as_str(), name.to_ascii_lowercase().as_str()) {
            ("filter", "clean" | "smudge" | "process") => Program::Filter,
            ("credential", "helper") => Program::CredentialHelper,
            ("remote", "uploadpack" | "receivepack") => Program::RemoteEnd,
            ("core", "gitproxy") => Program::GitProxy,
            ("core", "sshcommand") => Program::Single(SSH),
            ("core", "askpass") => Program::Single(""),
            ("core", "alternaterefscommand") | ("hook", "command") | ("trailer", "command" | "cmd") => {
                Program::Single("true")
            }
            ("merge", "driver") | ("diff", "command" | "textconv") if subsection.is_some() => {
                Program::Single("false")
            }
            ("gpg", "program") => Program::Single(match subsection {
                Some("ssh") => "ssh-keygen",
                Some("x509") => "gpgsm",
                _ => "gpg",
            }),
            ("diff", "external") | ("gpg", "defaultkeycommand") => Program::Single("false"),
            // A user's own git-lfs reads them from the repository's configuration.
            ("lfs", "path") if is_below(subsection, "customtransfer.") => Program::Single("false"),
            ("lfs", "clean" | "smudge") if is_below(subsection, "extension.") => Program::Single("false"),
            _ => return None,
        })
    }
}

/// The key that a key means: one has two names.
fn without_alias(key: &[u8]) -> &[u8] {
    if key == b"gpg.openpgp.program" { b"gpg.program" } else { key }
}

fn is_below(subsection: Option<&str>, folder: &str) -> bool {
    subsection.is_some_and(|subsection| subsection.to_ascii_lowercase().starts_with(folder))
}

/// What replaces the programs of a repository.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Replacements {
    /// Settings that win over the repository's. Not for the command line: a key may contain `=`.
    pub(crate) overrides: Vec<Override>,
    /// True if the repository names programs at the other end of its remotes; no setting can replace them.
    pub(crate) has_remote_programs: bool,
    /// True if the repository names a proxy for `git://` that comes before any of the user's.
    pub(crate) has_git_proxy: bool,
}

/// Replacements for every setting of the repository that names a program.
pub(super) fn replace_programs(settings: &[Setting]) -> Replacements {
    let mut replacements = Replacements::default();
    let mut set = |key: &[u8], value: &[u8]| {
        replacements
            .overrides
            .push((OsString::from_vec(key.to_owned()), OsString::from_vec(value.to_owned())));
    };
    let program_of = |setting: &Setting| Program::named_by(&String::from_utf8_lossy(&setting.key));
    let mut seen: Vec<&[u8]> = Vec::new();
    let mut has_helper = false;
    for setting in settings.iter().filter(|setting| setting.is_of_repository) {
        let Some(program) = program_of(setting) else { continue };
        if seen.contains(&setting.key.as_slice()) {
            continue;
        }
        seen.push(&setting.key);
        let is_same = |other: &&Setting| without_alias(&other.key) == without_alias(&setting.key);
        let of_user = settings.iter().filter(|other| !other.is_of_repository).filter(is_same);
        let of_user: Vec<&[u8]> = of_user.map(|other| other.value.as_slice()).collect();
        match program {
            Program::CredentialHelper => has_helper = true,
            // The user's are read before the repository's, and the first one counts.
            Program::RemoteEnd => replacements.has_remote_programs |= of_user.is_empty(),
            Program::GitProxy => {
                let is_general = |value: &&[u8]| !value.windows(5).any(|part| part == b" for ");
                replacements.has_git_proxy = !of_user.iter().any(is_general);
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
    if has_helper {
        // An empty value clears all helpers, those for single hosts too. The user's follow again, in their order.
        set(b"credential.helper", b"");
        let is_helper = |setting: &&Setting| program_of(setting) == Some(Program::CredentialHelper);
        for helper in settings.iter().filter(|setting| !setting.is_of_repository).filter(is_helper) {
            set(&helper.key, &helper.value);
        }
    }
    replacements
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setting(key: &str, value: &str, is_of_repository: bool) -> Setting {
        Setting { key: key.into(), value: value.into(), is_of_repository, file: "/x".into() }
    }

    fn overrides(settings: &[Setting]) -> Vec<String> {
        let replaced = replace_programs(settings).overrides;
        replaced.iter().map(|(key, value)| format!("{}={}", key.display(), value.display())).collect()
    }

    #[test]
    fn programs_of_the_repository_give_way_to_those_of_the_user() {
        let settings = [
            setting("filter.lfs.clean", "git-lfs clean -- %f", false),
            setting("filter.lfs.clean", "evil", true),
            setting("filter.mine.smudge", "evil", true),
            setting("core.sshCommand", "evil", true),
            setting("merge.mine.driver", "evil", true),
            setting("core.bare", "false", true),
            setting("user.name", "Ada", true),
        ];
        assert_eq!(
            overrides(&settings),
            [
                "filter.lfs.clean=git-lfs clean -- %f",
                "filter.mine.smudge=",
                "filter.mine.required=false",
                "core.sshCommand=ssh -o BatchMode=yes -o ConnectTimeout=20",
                "merge.mine.driver=false",
            ]
        );
    }

    #[test]
    fn all_helpers_of_the_user_stay_in_their_order() {
        let settings = [
            setting("credential.helper", "store", false),
            setting("credential.https://example.com.helper", "mine", false),
            setting("credential.helper", "!evil", true),
            setting("credential.https://example.com.helper", "!evil", true),
        ];
        assert_eq!(
            overrides(&settings),
            ["credential.helper=", "credential.helper=store", "credential.https://example.com.helper=mine"]
        );
    }

    #[test]
    fn where_the_first_value_counts_that_of_the_user_stays() {
        let evil =
            [setting("remote.origin.uploadpack", "evil", true), setting("core.gitproxy", "evil", true)];
        let found = replace_programs(&evil);
        assert!(found.has_remote_programs && found.has_git_proxy && found.overrides.is_empty());
        for (proxy, is_replaced) in [("mine", false), ("mine for kernel.org", true)] {
            let users =
                [setting("remote.origin.uploadpack", "mine", false), setting("core.gitproxy", proxy, false)];
            let found = replace_programs(&[&users[..], &evil].concat());
            assert_eq!((found.has_remote_programs, found.has_git_proxy), (false, is_replaced), "{proxy}");
        }
    }
}
