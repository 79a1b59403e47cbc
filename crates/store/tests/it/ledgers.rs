//! Ledgers: rows that stay whole, and tolerant readers.

use charrette_model::checkpoint::Usage;
use charrette_model::ledger::CallRecord;
use charrette_model::stamp::Stamp;
use charrette_store::LogFolder;
use charrette_store::ledger::{LedgerError, append, append_call, append_day, calls, calls_of_day, runs};
use charrette_testkit::Sandbox;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::Duration;

fn call(seat: &str) -> CallRecord {
    let usage = Usage { input: 10, output: 2, cached: 0, usd: None };
    CallRecord {
        at: Stamp::parse("2026-11-15T12:00:00.000Z").unwrap(),
        run: "01".to_owned(),
        command: "design".to_owned(),
        phase: "write".to_owned(),
        step: "2a".to_owned(),
        seat: seat.to_owned(),
        agent: "codex".to_owned(),
        vendor: Some("openai".to_owned()),
        model: None,
        session: None,
        status: "ok".to_owned(),
        seconds: 3.0,
        input: None,
        output: None,
        cached: None,
        usd: None,
        session_total: None,
        citations: None,
    }
    .with_usage(Some(&usage))
}

#[test]
fn calls_are_read_in_order_whatever_stands_between_them() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.work();
    assert_eq!(calls(&workspace).unwrap(), []);
    append_call(&LogFolder::new(&workspace), &call("a")).unwrap();
    let torn = "rubbish\n\0\u{1}\n{\"v\":1,\"type\":\"call\",\"at\":\"2026";
    fs_err::OpenOptions::new()
        .append(true)
        .open(workspace.join("tokens.jsonl"))
        .unwrap()
        .write_all(torn.as_bytes())
        .unwrap();
    append_call(&LogFolder::new(&workspace), &call("b")).unwrap();
    assert_eq!(calls(&workspace).unwrap(), [call("a"), call("b")]);
    let times = sandbox.read("timing-ledger.tsv");
    assert_eq!(times.lines().count(), 2);
    assert!(times.lines().all(|row| row.split('\t').count() == 13));
    for file in ["tokens.jsonl", "timing-ledger.tsv"] {
        assert_eq!(sandbox.path(file).metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn many_writers_at_once_lose_nothing() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.work();
    std::thread::scope(|scope| {
        for n in 0..8 {
            let workspace = &workspace;
            scope.spawn(move || {
                for m in 0..50 {
                    append_call(&LogFolder::new(workspace), &call(&format!("seat-{n}-{m}"))).unwrap();
                }
            });
        }
    });
    let mut seats: Vec<String> = calls(&workspace).unwrap().into_iter().map(|call| call.seat).collect();
    seats.sort();
    seats.dedup();
    assert_eq!(seats.len(), 400);
}

#[test]
fn a_user_has_one_file_per_day() {
    let sandbox = Sandbox::new();
    let folder = sandbox.outside("state/spend");
    let day = jiff::civil::date(2026, 11, 15);
    append_day(&folder, day, &call("a")).unwrap();
    append_day(&folder, day.tomorrow().unwrap(), &call("b")).unwrap();
    assert_eq!(calls_of_day(&folder, day).unwrap(), [call("a")]);
    assert_eq!(calls_of_day(&folder, jiff::civil::date(2026, 1, 1)).unwrap(), []);
    assert!(folder.join("calls-2026-11-16.jsonl").exists());
}

#[test]
fn all_runs_are_found_by_their_workspaces() {
    let sandbox = Sandbox::new();
    assert_eq!(runs(&sandbox.path(".specs")).unwrap(), []);
    for run in ["20261116-b", "20261115-a", "empty"] {
        fs_err::create_dir_all(sandbox.path(".specs").join(run)).unwrap();
    }
    sandbox.write(".specs/.gitignore", "*\n");
    append_call(&LogFolder::new(&sandbox.path(".specs/20261116-b")), &call("b")).unwrap();
    append_call(&LogFolder::new(&sandbox.path(".specs/20261115-a")), &call("a")).unwrap();
    let found = runs(&sandbox.path(".specs")).unwrap();
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["20261115-a", "20261116-b"]);
}

#[test]
fn links_pipes_and_folders_are_rejected() {
    let sandbox = Sandbox::new();
    sandbox.write("target", "");
    symlink(sandbox.path("target"), sandbox.path("link")).unwrap();
    symlink(sandbox.path("nowhere"), sandbox.path("dangling")).unwrap();
    fs_err::create_dir(sandbox.path("folder")).unwrap();
    assert!(sandbox.command("mkfifo").arg("pipe").status().unwrap().success());
    let refused = |name: &str| append(&sandbox.path(name), "row", None).unwrap_err();
    assert!(matches!(refused("link"), LedgerError::Symlink(_)));
    assert!(matches!(refused("dangling"), LedgerError::Symlink(_)));
    assert!(matches!(refused("folder"), LedgerError::NotAFile(_)));
    assert!(matches!(refused("pipe"), LedgerError::NotAFile(_)));
    assert!(matches!(refused("gone/x"), LedgerError::Io(_)));
    assert_eq!(sandbox.read("target"), "");
    assert!(!sandbox.path("nowhere").exists());

    sandbox.write("open", "old\n");
    append(&sandbox.path("open"), "new", Some(Duration::ZERO)).unwrap();
    assert_eq!(sandbox.read("open"), "old\nnew\n");
    assert_eq!(sandbox.path("open").metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_locked_ledger_is_left_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("ledger", "");
    let held = fs_err::File::open(sandbox.path("ledger")).unwrap().into_file();
    held.lock().unwrap();
    let refused = append(&sandbox.path("ledger"), "row", Some(Duration::from_millis(20))).unwrap_err();
    assert!(matches!(refused, LedgerError::Locked(_)));
    assert_eq!(sandbox.read("ledger"), "");
    drop(held);
    append(&sandbox.path("ledger"), "row", Some(Duration::from_secs(5))).unwrap();
    assert_eq!(sandbox.read("ledger"), "row\n");
}

#[test]
fn a_ledger_whose_folder_became_a_link_out_of_the_repository_gets_no_more_rows() {
    let sandbox = Sandbox::new();
    let outside = sandbox.outside("elsewhere");
    fs_err::create_dir_all(outside.join("20261116-x")).unwrap();
    for (link, target) in [(".specs/20261116-x", "elsewhere/20261116-x"), (".specs", "elsewhere")] {
        let _ = fs_err::remove_file(sandbox.path(".specs/20261116-x"));
        fs_err::create_dir_all(sandbox.path(".specs/20261116-x")).unwrap();
        let ledgers = LogFolder::inside(&sandbox.work(), &sandbox.path(".specs/20261116-x"));
        append_call(&ledgers, &call("a")).unwrap();
        fs_err::remove_dir_all(sandbox.path(link)).unwrap();
        symlink(sandbox.outside(target), sandbox.path(link)).unwrap();
        assert!(matches!(append_call(&ledgers, &call("b")), Err(LedgerError::Symlink(_))), "{link}");
        assert!(ledgers.create().is_err());
        assert_eq!(fs_err::read_dir(outside.join("20261116-x")).unwrap().count(), 0, "{link}");
    }
}

#[test]
fn a_link_that_stays_inside_the_repository_is_followed() {
    let sandbox = Sandbox::new();
    fs_err::create_dir_all(sandbox.path("notes/20261116-x")).unwrap();
    symlink("notes", sandbox.path(".specs")).unwrap();
    let ledgers = LogFolder::inside(&sandbox.work(), &sandbox.path(".specs/20261116-x"));
    append_call(&ledgers, &call("a")).unwrap();
    assert_eq!(calls(&sandbox.path("notes/20261116-x")).unwrap(), [call("a")]);
}
