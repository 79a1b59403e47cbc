//! Launches in the worktree of a task: who may write there, with what, and what stays.

use crate::launching::{Room, canonical, has, order};
use charrette_engine::ports::{KeptAnswer, LaunchError, LaunchOrder, Launcher as _, Workplace};
use std::path::Path;
use std::sync::{Arc, Mutex};

fn in_worktree(folder: &Path) -> LaunchOrder {
    LaunchOrder { workplace: Workplace::Worktree(folder.into()), ..order() }
}

fn worktree(room: &Room) -> std::path::PathBuf {
    let folder = room.path("state/worktrees/run/T001");
    fs_err::create_dir_all(&folder).unwrap();
    canonical(&folder)
}

fn reason(result: Result<impl std::fmt::Debug, LaunchError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn a_write_seat_works_in_its_worktree_and_its_work_stays() {
    let room = Room::new("echo made > made; echo \"$CHARRETTE_WRITES\" > writes; say s-1 Done. 1");
    let folder = worktree(&room);
    let answer = room.launch(in_worktree(&folder)).unwrap();
    assert_eq!((answer.text.as_str(), answer.changes.len()), ("Done.", 0));
    let calls = room.calls();
    assert_eq!(canonical(&calls[0].0), folder);
    assert!(has(&calls[0].1, "--permission-mode acceptEdits"), "{calls:?}");
    assert_eq!(fs_err::read_to_string(folder.join("made")).unwrap(), "made\n");
    // What the hook lets it write: the worktree and its scratch.
    let writes = fs_err::read_to_string(folder.join("writes")).unwrap();
    let lane = room.path("lanes/lane-1");
    assert_eq!(writes.trim(), format!("{}:{}", folder.display(), lane.display()));
    // A reader of the same worktree.
    let reads = LaunchOrder { workplace: Workplace::WorktreeToRead(folder.as_path().into()), ..order() };
    let room = Room::new("echo \"${CHARRETTE_WRITES:-none}\" >&2; say s-1 \"${CHARRETTE_WRITES:-none}\" 1");
    assert_eq!(room.launch(reads).unwrap().text, "none");
    assert_eq!(canonical(&room.calls()[0].0), folder);
    assert!(has(&room.calls()[0].1, "--tools Read,Grep,Glob"), "{:?}", room.calls());
}

#[test]
fn a_session_continues_in_the_same_worktree() {
    let room = Room::new("case \"$*\" in *--resume*) say s-1 Again. 3;; *) say s-1 First. 1;; esac");
    let folder = worktree(&room);
    let first = room.launch(in_worktree(&folder)).unwrap();
    let again = room.launch(LaunchOrder { session: first.session, ..in_worktree(&folder) }).unwrap();
    assert_eq!(again.text, "Again.");
    assert!(has(&room.calls()[1].1, "--resume s-1"), "{:?}", room.calls());
}

#[test]
fn every_kind_with_tools_takes_a_write_seat_and_no_other() {
    let mut room = Room::new("cat > /dev/null; echo x > made; echo Plain.");
    let client = room.path("client").display().to_string();
    room.settings = format!(
        "[agents.plain]\nkind = \"command\"\ncommand = {client:?}\n\
         [agents.remote]\nkind = \"openai\"\nurl = \"http://127.0.0.1:9/v1\"\nmodel = \"m\"\n"
    );
    let folder = worktree(&room);
    let launch = |agent: &str| room.launch(LaunchOrder { agent: agent.to_owned(), ..in_worktree(&folder) });
    assert_eq!(launch("plain").unwrap().text.trim(), "Plain.");
    assert!(folder.join("made").exists());
    assert_eq!(reason(launch("remote")), "an endpoint has no tools on this machine and cannot change files");
    assert_eq!(reason(launch("embedded")), "it drafts texts and cannot change files");
    assert_eq!(room.calls().len(), 1);
}

#[test]
fn a_call_in_the_queue_names_the_worktree() {
    let mut room = Room::new("exit 1");
    room.settings = "[agents.ada]\nkind = \"queue\"\n".to_owned();
    let folder = worktree(&room);
    let (cancel, state) = (room.cancel.clone(), room.path("state/queue"));
    let waiting = std::thread::spawn(move || {
        let find = || {
            let found = std::process::Command::new("grep").args(["-rhsC", "99", "T001"]).arg(&state).output();
            String::from_utf8(found.unwrap().stdout).unwrap()
        };
        let call = std::iter::repeat_with(find).find(|text| !text.is_empty()).unwrap();
        cancel.request();
        call
    });
    let result = room.launch(LaunchOrder { agent: "ada".to_owned(), ..in_worktree(&folder) });
    let call = waiting.join().unwrap();
    assert!(matches!(result, Err(LaunchError::Interrupted)), "{result:?}");
    assert!(call.contains(&folder.display().to_string()), "{call}");
    assert!(call.contains("\"writing\": true") || call.contains("\"writing\":true"), "{call}");
}

#[test]
fn a_folder_that_holds_more_than_a_worktree_is_refused() {
    let room = Room::new("say s-1 Done. 1");
    std::os::unix::fs::symlink(room.path("repo"), room.path("link")).unwrap();
    for (folder, problem) in [
        (room.path("repo"), "holds the repository"),
        (room.path("."), "holds the repository"),
        ("/".into(), "holds the repository"),
        (room.path("nowhere"), "its worktree is missing"),
        (room.path("client"), "its worktree is missing"),
        (room.path("link"), "its worktree is missing"),
        ("relative".into(), "its worktree is missing"),
    ] {
        let reason = reason(room.launch(in_worktree(&folder)));
        assert!(reason.contains(problem), "{}: {reason}", folder.display());
    }
    assert_eq!(room.calls().len(), 0);
}

#[test]
fn an_answer_that_was_kept_is_completed_without_the_agent() {
    let room = Room::new("echo more >> made; say s-1 Done. 1");
    let folder = worktree(&room);
    let kept: Arc<Mutex<Option<KeptAnswer>>> = Arc::default();
    let slot = kept.clone();
    let keeper = charrette_engine::ports::AnswerKeeper(Arc::new(move |answer| {
        *slot.lock().unwrap() = Some(answer);
        Ok(())
    }));
    room.launch(LaunchOrder { keeper, ..in_worktree(&folder) }).unwrap();
    let kept = kept.lock().unwrap().take().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let answer = runtime.block_on(room.pool().complete(in_worktree(&folder), kept)).unwrap();
    assert_eq!((answer.text.as_str(), answer.session.as_deref()), ("Done.", Some("s-1")));
    assert_eq!(fs_err::read_to_string(folder.join("made")).unwrap(), "more\n");
    assert_eq!(room.calls().len(), 1);
}
