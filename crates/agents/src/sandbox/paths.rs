//! Paths in profiles and settings: `~` is the home folder, `${NAME:-PATH}` a variable with a default.

use crate::host::HostEnvironment;
use std::path::{Component, Path, PathBuf};

/// The absolute path that a text names; none if it names none here. A final slash is lost.
pub fn expand_path(text: &str, host: &HostEnvironment) -> Option<PathBuf> {
    let path = match text.strip_prefix("${") {
        Some(variable) => {
            let (name, rest) = variable.split_once('}')?;
            let (name, default) =
                name.split_once(":-").map_or((name, None), |(name, path)| (name, Some(path)));
            let base = match host.get(name) {
                Some(value) => PathBuf::from(value),
                None => from_home(default?, host)?,
            };
            base.join(rest.trim_start_matches('/'))
        }
        None => from_home(text, host)?,
    };
    let is_plain = path.components().all(|part| part != Component::ParentDir);
    (path.is_absolute() && is_plain).then(|| path.components().collect())
}

fn from_home(text: &str, host: &HostEnvironment) -> Option<PathBuf> {
    match text.strip_prefix('~') {
        Some(rest) => {
            let home = Path::new(host.get("HOME")?);
            (rest.is_empty() || rest.starts_with('/')).then(|| home.join(rest.trim_start_matches('/')))
        }
        None => Some(PathBuf::from(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_and_variables_are_replaced() {
        let variables = [("HOME", "/home/ada"), ("CODEX_HOME", "/data/codex"), ("EMPTY", "")];
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let host = HostEnvironment {
            folder: "/repo".into(),
            in_repository: true,
            hook: None,
            active_folder: None,
            variables,
        };
        for (text, path) in [
            ("~/.claude/", Some("/home/ada/.claude")),
            ("~", Some("/home/ada")),
            ("/var/cache", Some("/var/cache")),
            ("${CODEX_HOME:-~/.codex}/", Some("/data/codex")),
            ("${CODEX_HOME:-~/.codex}/config.toml", Some("/data/codex/config.toml")),
            ("${EMPTY:-~/.x}/y", Some("/home/ada/.x/y")),
            ("${UNSET}/y", None),
            ("~other/x", None),
            ("relative/x", None),
            ("/a/../b", None),
        ] {
            assert_eq!(expand_path(text, &host), path.map(PathBuf::from), "{text}");
        }
    }
}
