//! The plug-in in a client, as its files say.

use crate::bench::Bench;
use charrette_hosts::{Client, Scope, UserFolders, installed_plugin};

/// Names and contents of files.
type Files = &'static [(&'static str, &'static str)];

/// Files of a home and of a repository, and whether Claude Code has the plug-in there: in the repository, for the user.
const CLAUDE: [(&str, Files, bool, bool); 6] = [
    ("nothing", &[], false, false),
    ("user", &[("home/settings.json", "{\"enabledPlugins\": {\"charrette@charrette\": true}}")], true, true),
    (
        "repository",
        &[("settings.json", "{\"enabledPlugins\": {\"charrette@ours\": true}, /* c */ }")],
        true,
        false,
    ),
    (
        "switched off here",
        &[
            ("home/settings.json", "{\"enabledPlugins\": {\"charrette@charrette\": true}}"),
            ("settings.local.json", "{\"enabledPlugins\": {\"charrette@charrette\": false}}"),
        ],
        false,
        true,
    ),
    ("another", &[("home/settings.json", "{\"enabledPlugins\": {\"charrettes@x\": true}}")], false, false),
    ("torn", &[("home/settings.json", "{\"enabledPlugins\": {\"charrette@x\": tr")], false, false),
];

#[test]
fn claude_code_says_it_in_its_settings() {
    for (name, files, in_repository, for_user) in CLAUDE {
        let bench = Bench::new();
        for (file, text) in files {
            match file.strip_prefix("home/") {
                Some(file) => write(&bench, &format!(".claude/{file}"), text),
                None => bench.sandbox.write(&format!(".claude/{file}"), text),
            }
        }
        let has = |scope: &Scope| installed_plugin(Client::Claude, scope, &folders(&bench)).is_some();
        assert_eq!((has(&bench.repository()), has(&bench.user())), (in_repository, for_user), "{name}");
    }
}

#[test]
fn codex_and_gemini_say_it_in_the_home() {
    let bench = Bench::new();
    let has = |client| installed_plugin(client, &bench.repository(), &folders(&bench)).is_some();
    assert!(!has(Client::Codex) && !has(Client::Gemini));
    write(&bench, ".codex/config.toml", "[plugins.\"charrette@charrette\"]\nenabled = true\n");
    write(&bench, ".gemini/extensions/charrette/.gemini-extension-install.json", "{}");
    assert!(has(Client::Codex) && has(Client::Gemini) && !has(Client::Opencode));
    write(&bench, ".codex/config.toml", "[plugins.\"charrette@charrette\"]\nenabled = false\n");
    assert!(!has(Client::Codex));
}

fn folders(bench: &Bench) -> UserFolders {
    UserFolders::below(&bench.sandbox.home())
}

fn write(bench: &Bench, file: &str, text: &str) {
    let path = bench.sandbox.home().join(file);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
}
