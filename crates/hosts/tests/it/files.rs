//! Modes, links, folders, and files that somebody else has changed since.

use crate::bench::{Bench, snapshot};
use charrette_hosts::{ApplyError, Change, Client, Part, Receipts, apply};
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn modes_are_kept_and_a_link_stays_a_link() {
    let bench = Bench::new();
    let dotfiles = bench.sandbox.outside("dotfiles");
    fs_err::create_dir_all(&dotfiles).unwrap();
    let target = dotfiles.join("claude.json");
    fs_err::write(&target, "{\n  \"model\": \"opus\" // mine\n}\n").unwrap();
    fs_err::set_permissions(&target, std::fs::Permissions::from_mode(0o600)).unwrap();
    let folder = bench.sandbox.home().join(".claude");
    fs_err::create_dir_all(&folder).unwrap();
    let link = folder.join("settings.json");
    std::os::unix::fs::symlink(&target, &link).unwrap();

    let plan = bench.plan(Client::Claude, &bench.user());
    assert_eq!(plan.changes.len(), 1);
    assert!(plan.changes[0].is_linked());
    assert_eq!(plan.changes[0].target, target.canonicalize().unwrap());
    bench.carry_out(&plan);
    assert_eq!(fs_err::read_link(&link).unwrap(), target);
    assert!(fs_err::read_to_string(&target).unwrap().contains("charrette-hook PreToolUse"));
    assert_eq!(target.metadata().unwrap().permissions().mode() & 0o7777, 0o600);

    bench.remove(Client::Claude, &bench.user());
    assert_eq!(fs_err::read_to_string(&target).unwrap(), "{\n  \"model\": \"opus\" // mine\n}\n");
    assert_eq!(fs_err::read_link(&link).unwrap(), target);
    assert_eq!(target.metadata().unwrap().permissions().mode() & 0o7777, 0o600);
}

#[test]
fn created_files_and_folders_go_away_again() {
    for client in Client::ALL {
        let bench = Bench::new();
        let before = snapshot(&bench.root());
        let plan = bench.plan_parts(&[client], &bench.repository(), &Part::ALL);
        assert!(plan.changes.iter().all(|change| change.kind() == Change::Create), "{client:?}");
        bench.carry_out(&plan);
        assert_ne!(snapshot(&bench.root()), before);
        bench.remove(client, &bench.repository());
        assert_eq!(snapshot(&bench.root()), before, "{client:?}");

        bench.install_parts(&[client], &bench.user(), &Part::ALL);
        bench.remove(client, &bench.user());
        let left: Vec<_> = snapshot(&bench.sandbox.home()).into_iter().map(|(path, _)| path).collect();
        let is_state = |path: &std::path::PathBuf| path.starts_with(bench.sandbox.home().join("state"));
        assert!(left.iter().all(is_state), "{client:?}: {left:?}");
    }
}

#[test]
fn a_file_that_was_edited_since_loses_only_our_entries() {
    let bench = Bench::new();
    bench.sandbox.write(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    bench.install(Client::Claude, &bench.repository());
    let edited = bench.sandbox.read(".claude/settings.json").replace("opus", "haiku");
    bench.sandbox.write(".claude/settings.json", &edited);
    bench.remove(Client::Claude, &bench.repository());
    assert_eq!(bench.sandbox.read(".claude/settings.json"), "{\n  \"model\": \"haiku\"\n}\n");
}

#[test]
fn a_created_file_with_foreign_additions_stays_without_our_entries() {
    let bench = Bench::new();
    bench.install(Client::Cursor, &bench.repository());
    let text = bench.sandbox.read(".cursor/hooks.json");
    let text = text.replace("\"hooks\": {", "\"hooks\": {\n    \"stop\": [{\"command\": \"mine\"}],");
    bench.sandbox.write(".cursor/hooks.json", &text);
    bench.remove(Client::Cursor, &bench.repository());
    let left: serde_json::Value = serde_json::from_str(&bench.sandbox.read(".cursor/hooks.json")).unwrap();
    assert_eq!(left, serde_json::json!({"version": 1, "hooks": {"stop": [{"command": "mine"}]}}));
}

#[test]
fn hooks_that_came_with_the_repository_are_removed_without_a_receipt() {
    let (writer, reader) = (Bench::new(), Bench::new());
    writer.sandbox.write(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    writer.install(Client::Claude, &writer.repository());
    reader.sandbox.write(".claude/settings.json", writer.sandbox.read(".claude/settings.json"));
    reader.remove(Client::Claude, &reader.repository());
    assert_eq!(reader.sandbox.read(".claude/settings.json"), "{\n  \"model\": \"opus\"\n}\n");
}

#[test]
fn a_second_installation_after_foreign_edits_still_removes_only_our_entries() {
    let bench = Bench::new();
    bench.sandbox.write(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    bench.install(Client::Claude, &bench.repository());
    let mut value: serde_json::Value =
        serde_json::from_str(&bench.sandbox.read(".claude/settings.json")).unwrap();
    value["hooks"].as_object_mut().unwrap().remove("SessionStart");
    value["theme"] = "dark".into();
    bench.sandbox.write(".claude/settings.json", value.to_string());
    assert_eq!(bench.install(Client::Claude, &bench.repository()), 1);
    bench.remove(Client::Claude, &bench.repository());
    let left: serde_json::Value = serde_json::from_str(&bench.sandbox.read(".claude/settings.json")).unwrap();
    assert_eq!(left, serde_json::json!({"model": "opus", "theme": "dark"}));
}

#[test]
fn a_file_that_changes_between_the_diff_and_the_answer_is_not_overwritten() {
    let bench = Bench::new();
    bench.sandbox.write(".claude/settings.json", "{}\n");
    let plan = bench.plan(Client::Claude, &bench.repository());
    bench.sandbox.write(".claude/settings.json", "{\"theirs\": 1}\n");
    let before = snapshot(&bench.root());
    let state = bench.sandbox.home().join("state");
    let result = apply(&plan, &mut Receipts::default(), &state);
    assert!(matches!(result, Err(ApplyError::Changed(_))), "{result:?}");
    assert_eq!(snapshot(&bench.root()), before);
}

#[test]
fn a_failure_on_the_way_takes_everything_back() {
    let bench = Bench::new();
    bench.sandbox.write(".claude/settings.json", "{}\n");
    let mut plan = bench.plan(Client::Claude, &bench.repository());
    let before = snapshot(&bench.root());
    // The last file cannot be written: its folder is missing.
    let last = plan.changes.last_mut().unwrap();
    last.target = bench.root().join("missing/folder/file");
    last.folders.clear();
    let result = apply(&plan, &mut Receipts::default(), &bench.sandbox.home().join("state"));
    assert!(matches!(result, Err(ApplyError::Io(_))), "{result:?}");
    assert_eq!(snapshot(&bench.root()), before);
}
