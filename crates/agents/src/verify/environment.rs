//! Environment of a verify command: where programs and their caches are, and nothing that opens a door.

use crate::host::HostEnvironment;
use charrette_model::redact::is_secret;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Variables that are passed on, unless their value is a secret. A final `*` is a wildcard.
const PASSED: &[&str] = &[
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    // Places of tool chains and of their caches.
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOROOT",
    "GOPATH",
    "GOMODCACHE",
    "JAVA_HOME",
    "GRADLE_USER_HOME",
    "MAVEN_HOME",
    "ANDROID_HOME",
    "DOTNET_ROOT",
    "NUGET_PACKAGES",
    "NVM_DIR",
    "VOLTA_HOME",
    "PNPM_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "UV_CACHE_DIR",
    "RBENV_ROOT",
    "GEM_HOME",
    "GEM_PATH",
    "BUNDLE_PATH",
    "COMPOSER_HOME",
    "MIX_HOME",
    "HEX_HOME",
    "OPAMROOT",
    "STACK_ROOT",
    "PKG_CONFIG_PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "SDKROOT",
];

/// Variables that are passed on too if the command has the network.
const PASSED_WITH_NETWORK: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
];

/// Variables with fixed values: nobody watches, nobody answers.
const FIXED: &[(&str, &str)] = &[
    ("CI", "true"),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
];

/// Variables of programs that cannot build without a cache that they may write, with its name in the temporary folder.
/// Python would take compiled modules beside the sources for current ones if a source changed within a second.
pub(crate) const BUILD_CACHES: [(&str, &str); 4] = [
    ("GOCACHE", "go-build"),
    ("PIP_CACHE_DIR", "pip"),
    ("PYTHONPYCACHEPREFIX", "python"),
    ("npm_config_cache", "npm"),
];

/// The whole environment of a command with that temporary folder.
pub(super) fn command_environment(
    host: &HostEnvironment,
    temporary: &Path,
    network: bool,
) -> BTreeMap<OsString, OsString> {
    let with_network: &[&str] = if network { PASSED_WITH_NETWORK } else { &[] };
    let is_passed = |name: &OsStr, value: &OsStr| {
        let Some(name) = name.to_str() else { return false };
        let is_listed = PASSED.iter().chain(with_network).any(|rule| match rule.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => name == *rule,
        });
        is_listed && !is_secret(name, value.as_encoded_bytes()) && !has_credentials(&value.to_string_lossy())
    };
    let variables = host.variables.iter().filter(|(name, value)| is_passed(name, value));
    let mut environment: BTreeMap<OsString, OsString> =
        variables.map(|(name, value)| (name.clone(), value.clone())).collect();
    // A relative entry would lead into the worktree, which an agent has changed.
    let path = host.get("PATH").into_iter().flat_map(std::env::split_paths);
    let path = std::env::join_paths(path.filter(|folder| folder.is_absolute()));
    environment.insert("PATH".into(), path.unwrap_or_default());
    environment.extend(FIXED.iter().map(|(name, value)| (name.into(), value.into())));
    environment.extend(BUILD_CACHES.map(|(name, folder)| (name.into(), temporary.join(folder).into())));
    environment.insert("TMPDIR".into(), temporary.into());
    environment
}

/// True if a value is an address with a name or password in it.
fn has_credentials(value: &str) -> bool {
    let authority =
        value.split_once("://").map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default());
    authority.is_some_and(|authority| authority.contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_gets_places_and_no_tokens() {
        let variables = [
            ("PATH", "/usr/bin:.:node_modules/.bin:/bin"),
            ("HOME", "/home/ada"),
            ("LC_ALL", "C.UTF-8"),
            ("CARGO_HOME", "/home/ada/.cargo"),
            ("GH_TOKEN", "ghp_0123456789012345678901234567890123456789"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("CARGO_REGISTRY_TOKEN", "x"),
            ("CLAUDE_CODE_MESSAGING_SOCKET", "/run/x"),
            ("LD_PRELOAD", "/tmp/x.so"),
            ("HTTPS_PROXY", "http://proxy:3128"),
            ("HTTP_PROXY", "http://ada:secret-of-ada@proxy:3128"),
        ];
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let host = HostEnvironment {
            folder: "/repo".into(),
            in_repository: true,
            hook: None,
            active_folder: None,
            variables,
        };
        let text = |network: bool| -> String {
            let environment = command_environment(&host, Path::new("/t"), network);
            let lines =
                environment.iter().map(|(name, value)| format!("{}={}", name.display(), value.display()));
            lines.collect::<Vec<_>>().join("\n")
        };
        assert_eq!(
            text(false),
            "CARGO_HOME=/home/ada/.cargo\nCI=true\nGIT_OPTIONAL_LOCKS=0\nGIT_TERMINAL_PROMPT=0\nGOCACHE=/t/go-build\n\
             HOME=/home/ada\nLC_ALL=C.UTF-8\nNO_COLOR=1\nPATH=/usr/bin:/bin\nPIP_CACHE_DIR=/t/pip\n\
             PYTHONPYCACHEPREFIX=/t/python\nTERM=dumb\nTMPDIR=/t\nnpm_config_cache=/t/npm"
        );
        let with_network = text(true);
        assert!(with_network.contains("HTTPS_PROXY=http://proxy:3128"), "{with_network}");
        assert!(!with_network.contains("secret-of-ada"), "{with_network}");
    }
}
