//! Launches with scripted clients: the folder they work in, the web, and sessions.

use charrette_agents::host::HostEnvironment;
use charrette_agents::pool::{AgentPolicy, AgentPool, AgentPoolConfig, drivers_folder};
use charrette_agents::profile::Roster;
use charrette_agents::sandbox::SandboxConfig;
use charrette_engine::Cancel;
use charrette_engine::ports::{
    AgentAnswer, AnswerKeeper, BoxFuture, Clock, LaunchError, LaunchOrder, Launcher as _, Tree, TreeAccess,
    TreeSnapshot, Workplace,
};
use charrette_model::config::{Layer, read_layers};
use charrette_model::seats::SeatTables;
use charrette_model::stamp::Now;
use charrette_model::tree::TreeChange;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A work tree in which nothing changes. Copies have one file, or fail.
struct StillTree {
    fails: bool,
}

impl Tree for StillTree {
    fn snapshot(&self) -> BoxFuture<'static, Result<TreeSnapshot, String>> {
        Box::pin(async { Ok(TreeSnapshot(Arc::new(()))) })
    }

    fn changes(
        &self,
        _: TreeSnapshot,
        _: TreeSnapshot,
    ) -> BoxFuture<'static, Result<Vec<TreeChange>, String>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn patch(&self, _: Vec<TreeChange>) -> BoxFuture<'static, Result<Vec<u8>, String>> {
        Box::pin(async { Err("no patch".to_owned()) })
    }

    fn undo(&self, _: Vec<TreeChange>) -> BoxFuture<'static, Result<Vec<String>, String>> {
        Box::pin(async { Err("no undo".to_owned()) })
    }

    fn copy_head(&self, to: PathBuf) -> BoxFuture<'static, Result<(), String>> {
        let fails = self.fails;
        Box::pin(async move {
            fs_err::create_dir_all(&to).unwrap();
            fs_err::write(to.join("committed"), "committed").unwrap();
            if fails { Err("disk full".to_owned()) } else { Ok(()) }
        })
    }
}

struct RealClock;

impl Clock for RealClock {
    fn now(&self) -> Now {
        Now::real(jiff::Timestamp::now())
    }
}

/// A client like Claude Code whose behaviour is a shell script, in a folder of its own.
pub(crate) struct Room {
    folder: tempfile::TempDir,
    pub(crate) settings: String,
    probes: bool,
    tree_fails: bool,
    pub(crate) cancel: Cancel,
}

/// Prints what Claude Code prints for an answer in session `$1`.
const SAY: &str = r#"say() {
    echo "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"$1\",\"model\":\"m\",\"tools\":[],\"mcp_servers\":[]}"
    echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"$2\",\"session_id\":\"$1\",\"num_turns\":1,\"total_cost_usd\":$3,\"terminal_reason\":\"completed\",\"permission_denials\":[],\"usage\":{\"input_tokens\":10,\"output_tokens\":1},\"modelUsage\":{\"m\":{\"inputTokens\":10,\"outputTokens\":1,\"costUSD\":$3,\"costBasis\":\"list\"}}}"
}
"#;

impl Room {
    pub(crate) fn new(script: &str) -> Room {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir_all(folder.path().join("repo")).unwrap();
        let client = folder.path().join("client");
        let log = folder.path().join("calls");
        let text = format!("#!/bin/sh\n{SAY}\necho \"$PWD $*\" >> '{}'\n{script}\n", log.display());
        fs_err::write(&client, text).unwrap();
        fs_err::set_permissions(&client, std::fs::Permissions::from_mode(0o755)).unwrap();
        Room { folder, settings: String::new(), probes: false, tree_fails: false, cancel: Cancel::default() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Name of its driver. Tests share a process, and the processes of a lane are found by this name.
    pub(crate) fn driver(&self) -> String {
        let name = self.folder.path().file_name().unwrap().to_str().unwrap();
        format!("driver{}", name.replace('.', "-"))
    }

    pub(crate) fn pool(&self) -> AgentPool {
        let client = self.path("client").display().to_string();
        let text = format!(
            "policy.probe = {}\n{}\n[agents.claude]\ncommand = {client:?}\n",
            self.probes, self.settings
        );
        let (settings, problems) = read_layers(&[Layer { origin: "x".to_owned(), text }]);
        assert_eq!(problems, []);
        let variables = [("PATH".into(), std::env::var_os("PATH").unwrap())].into_iter().collect();
        AgentPool::new(AgentPoolConfig {
            roster: Roster::from_settings(&settings).0,
            seats: SeatTables::default(),
            host: HostEnvironment {
                folder: self.path("repo"),
                in_repository: true,
                hook: None,
                active_folder: None,
                variables,
            },
            policy: AgentPolicy::from_settings(&settings),
            state_folder: self.path("state"),
            driver: self.driver(),
            purpose: "test".to_owned(),
            feature: None,
            clock: Arc::new(RealClock),
            cancel: self.cancel.clone(),
            tree: Arc::new(StillTree { fails: self.tree_fails }),
            ledgers: charrette_store::LogFolder::new(&self.path("ledgers")),
            lanes: self.path("lanes"),
            sandbox: SandboxConfig::none("not tried here"),
            embedded: None,
            embedded_allowed: false,
        })
    }

    pub(crate) fn launch(&self, order: LaunchOrder) -> Result<AgentAnswer, LaunchError> {
        fs_err::create_dir_all(self.path("ledgers")).unwrap();
        let pool = self.pool();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let result = runtime.block_on(pool.launch(order));
        // While the driver lives: the call itself has removed what it made.
        let copies = drivers_folder(&self.path("state")).join(format!(".{}.copies", self.driver()));
        let left = fs_err::read_dir(copies).map_or(0, Iterator::count);
        assert_eq!(left, 0, "a copy is left");
        result
    }

    /// Folder and arguments of each call.
    pub(crate) fn calls(&self) -> Vec<(PathBuf, String)> {
        let log = fs_err::read_to_string(self.path("calls")).unwrap_or_default();
        let split =
            |line: &str| line.split_once(' ').map(|(folder, words)| (folder.into(), words.to_owned()));
        log.lines().filter_map(split).collect()
    }
}

pub(crate) fn order() -> LaunchOrder {
    LaunchOrder {
        agent: "claude".to_owned(),
        seat: "investigator-1".to_owned(),
        phase: "write".to_owned(),
        step: "investigate/investigator-1".to_owned(),
        prompt: "Find out.".to_owned(),
        reads: Vec::new(),
        run: "run".to_owned(),
        lane: "lane-1".to_owned(),
        model: None,
        tree_access: TreeAccess::ReadOnly,
        workplace: Workplace::Checkout,
        web: false,
        session: None,
        failed: Vec::new(),
        decisions: Vec::new(),
        keeper: AnswerKeeper(std::sync::Arc::new(|_| Ok(()))),
    }
}

pub(crate) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap()
}

pub(crate) fn has(words: &str, pair: &str) -> bool {
    format!(" {words} ").contains(&format!(" {pair} "))
}

#[test]
fn in_the_checkout_a_read_only_seat_only_reads() {
    let room = Room::new("say s-1 Done. 1");
    let answer = room.launch(order()).unwrap();
    assert_eq!((answer.text.as_str(), answer.session.as_deref()), ("Done.", Some("s-1")));
    let calls = room.calls();
    assert_eq!(canonical(&calls[0].0), canonical(&room.path("repo")));
    assert!(has(&calls[0].1, "--tools Read,Grep,Glob"), "{calls:?}");
}

#[test]
fn a_scratch_workplace_is_a_copy_that_is_removed() {
    let room = Room::new(
        "cat committed > /dev/null && mkdir made && chmod 500 made && say s-1 \"$(cat committed)\" 1",
    );
    let answer = room.launch(LaunchOrder { workplace: Workplace::Scratch, ..order() }).unwrap();
    assert_eq!((answer.text.as_str(), answer.notes.as_slice()), ("committed", &[][..]));
    let calls = room.calls();
    assert!(
        calls[0].0.ends_with(format!(".{}.copies/lane-1", room.driver())) && !calls[0].0.exists(),
        "{calls:?}"
    );
    assert!(has(&calls[0].1, "--permission-mode acceptEdits"), "{calls:?}");
}

#[test]
fn a_client_that_is_not_logged_in_is_named_with_its_cure() {
    let cure = "not logged in: run `claude`, then /login (";
    for (probes, calls) in [(false, 1), (true, 2)] {
        let room = Room { probes, ..Room::new("echo 'Not logged in · Please run /login'; exit 1") };
        let failed = room.launch(order()).unwrap_err();
        assert!(failed.to_string().starts_with(cure), "{failed}");
        assert_eq!(room.calls().len(), calls, "a probe is repeated once");
    }
    let room = Room { probes: true, ..Room::new("echo no >&2; exit 3") };
    let failed = room.launch(order()).unwrap_err();
    let unhealthy = "installed but not responding (health check failed: Retry no result: exit code 3";
    assert!(failed.to_string().starts_with(unhealthy), "{failed}");
}

#[test]
fn a_copy_is_removed_after_a_failure_too() {
    let room = Room::new("echo no >&2; exit 3");
    let failed = room.launch(LaunchOrder { workplace: Workplace::Scratch, ..order() });
    assert!(matches!(failed, Err(LaunchError::Failed(_))), "{failed:?}");
    assert_eq!(room.calls().len(), 1);
}

#[test]
fn a_copy_is_removed_after_a_cancellation() {
    let room = Room::new("sleep 60");
    let (cancel, log) = (room.cancel.clone(), room.path("calls"));
    let waiting = std::thread::spawn(move || {
        while !log.exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        cancel.request();
    });
    let interrupted = room.launch(LaunchOrder { workplace: Workplace::Scratch, ..order() });
    waiting.join().unwrap();
    assert!(matches!(interrupted, Err(LaunchError::Interrupted)), "{interrupted:?}");
    assert!(!room.calls()[0].0.exists());
}

#[test]
fn without_a_copy_the_call_goes_on_in_the_checkout_and_only_reads() {
    let room = Room { tree_fails: true, ..Room::new("say s-1 Done. 1") };
    let answer = room.launch(LaunchOrder { workplace: Workplace::Scratch, ..order() }).unwrap();
    assert_eq!(answer.notes, ["has no copy of the repository and could only read: disk full"]);
    let calls = room.calls();
    assert_eq!(canonical(&calls[0].0), canonical(&room.path("repo")));
    assert!(has(&calls[0].1, "--tools Read,Grep,Glob"), "{calls:?}");
}

#[test]
fn the_web_needs_the_order_and_the_policy() {
    for (web, settings, tools) in [
        (true, "", "Read,Grep,Glob,WebFetch,WebSearch"),
        (true, "policy.web = \"research\"", "Read,Grep,Glob,WebFetch,WebSearch"),
        (true, "policy.web = \"off\"", "Read,Grep,Glob"),
        (false, "", "Read,Grep,Glob"),
    ] {
        let room = Room { settings: settings.to_owned(), ..Room::new("say s-1 Done. 1") };
        room.launch(LaunchOrder { web, ..order() }).unwrap();
        assert!(has(&room.calls()[0].1, &format!("--tools {tools}")), "{web} {settings}: {:?}", room.calls());
    }
}

#[test]
fn a_session_is_continued_and_its_earlier_cost_subtracted() {
    let room = Room::new("case \"$*\" in *--resume*) say s-1 Again. 3;; *) say s-1 First. 1;; esac");
    let first = room.launch(order()).unwrap();
    assert_eq!((first.session.as_deref(), first.usage.unwrap().usd), (Some("s-1"), Some(1.0)));
    let again = room.launch(LaunchOrder { session: first.session, ..order() }).unwrap();
    assert_eq!((again.text.as_str(), again.usage.unwrap().usd), ("Again.", Some(2.0)));
    assert!(again.notes.is_empty());
    assert!(has(&room.calls()[1].1, "--resume s-1"), "{:?}", room.calls());
}

#[test]
fn a_session_that_is_gone_is_replaced_by_a_new_one_once() {
    let room = Room::new(
        "case \"$*\" in *--resume*) echo 'No conversation found with session ID: s-0' >&2; exit 1;; *) say s-2 New. 1;; esac",
    );
    let answer = room.launch(LaunchOrder { session: Some("s-0".to_owned()), ..order() }).unwrap();
    assert_eq!((answer.text.as_str(), answer.session.as_deref()), ("New.", Some("s-2")));
    let note = "its session could not be continued, a new one was started: ";
    assert!(answer.notes.len() == 1 && answer.notes[0].starts_with(note), "{:?}", answer.notes);
    assert_eq!(room.calls().len(), 2);

    let room = Room::new("exit 1");
    let failed = room.launch(LaunchOrder { session: Some("s-0".to_owned()), ..order() });
    assert!(matches!(failed, Err(LaunchError::Failed(_))), "{failed:?}");
    assert_eq!(room.calls().len(), 2);
}

#[test]
fn a_login_is_not_a_matter_of_the_session() {
    let room = Room::new(
        r#"echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"bad key","session_id":"s","terminal_reason":"api_error"}'; exit 1"#,
    );
    let failed = room.launch(LaunchOrder { session: Some("s-0".to_owned()), ..order() });
    assert!(matches!(failed, Err(LaunchError::Failed(_))), "{failed:?}");
    assert_eq!(room.calls().len(), 1);
}

#[test]
fn a_client_without_sessions_is_asked_anew() {
    let mut room = Room::new("cat > /dev/null; echo Plain.");
    room.settings = format!(
        "[agents.plain]\nkind = \"command\"\ncommand = {:?}\n",
        room.path("client").display().to_string()
    );
    let order = LaunchOrder { agent: "plain".to_owned(), session: Some("s-0".to_owned()), ..order() };
    let answer = room.launch(order).unwrap();
    assert_eq!((answer.text.trim(), answer.session, answer.notes.len()), ("Plain.", None, 0));
    assert_eq!(room.calls().len(), 1);
}

#[test]
fn evidence_is_clean_text_without_secrets() {
    let evil = r"printf '\033]0;owned\007\033[31mred \302\2331mc1\rback\010 nul\000\n' >&2
        printf 'ghp_abcdefghijklm\033[0mnopqrstuvwxyz0123456789\n' >&2
        printf 'ghp_abcdefghijklm\033[0mnopqrstuvwxyz0123456789\n'
        exit 1";
    let LaunchError::Failed(failed) = Room::new(evil).launch(order()).unwrap_err() else {
        panic!("not failed")
    };
    let evidence = failed.evidence.unwrap();
    assert!(!evidence.contains(|c: char| c.is_control() && c != '\n'), "{evidence:?}");
    assert!(evidence.contains("red c1back nul") && !evidence.contains("ghp_a"), "{evidence:?}");
}
