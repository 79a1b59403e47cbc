//! Main and its remote: up to date, ahead, diverged, gone, silent.

use crate::fixture::{
    USER, behind, checkout, configure, create, current, diverged, enter, options, preflight_refused,
    repository, subject,
};
use charrette_checkout::{PortError, RunCheckout};
use charrette_testkit::Sandbox;
use std::time::Duration;

fn warnings(sandbox: &Sandbox) -> Vec<String> {
    enter(&checkout(sandbox)).unwrap().warnings
}

#[test]
fn main_is_brought_up_to_date() {
    for main in ["main", "trunk"] {
        let sandbox = behind(main);
        assert_eq!(warnings(&sandbox), [""; 0]);
        assert_eq!((subject(&sandbox, main).as_str(), current(&sandbox).as_str()), ("second", main));
        assert_eq!(warnings(&sandbox), [""; 0], "nothing to do");
    }
}

#[test]
fn local_commits_go_on_top_of_the_remotes() {
    let sandbox = behind("main");
    sandbox.write("mine", "mine");
    sandbox.git(["add", "mine"]);
    sandbox.commit("mine");
    assert_eq!(warnings(&sandbox), [""; 0]);
    let subjects = sandbox.git(["log", "--format=%s"]);
    assert_eq!(subjects.lines().collect::<Vec<_>>(), ["mine", "second", "first"]);
}

#[test]
fn a_rebase_that_does_not_go_is_undone_and_refused() {
    let sandbox = diverged("main");
    let before = sandbox.git(["rev-parse", "main"]);
    let Err(PortError::Refused(said)) = enter(&checkout(&sandbox)) else { panic!("not refused") };
    let expected = preflight_refused("Failed to rebase onto origin/main");
    assert!(said.starts_with(&format!("{expected}\ngit: ")), "{said}");
    assert_eq!((sandbox.git(["rev-parse", "main"]), current(&sandbox)), (before, "main".to_owned()));
    assert_eq!(
        (sandbox.read("file").as_str(), sandbox.git(["status", "--porcelain"]).as_str()),
        ("mine", "")
    );
    assert!(!sandbox.path(".git/rebase-merge").exists());
}

#[test]
fn a_remote_that_cannot_be_asked_is_a_warning_a_refusal_or_nothing() {
    let without = "there is no remote called origin";
    let behind_text =
        |reason: &str| format!("**⚠ Cannot fetch origin/main ({reason}). main may be behind its remote.**");
    let sandbox = repository("main");
    assert_eq!(warnings(&sandbox), [behind_text(without)]);
    configure(&sandbox, "[preflight]\nfetch = \"fail\"\n");
    let expected = preflight_refused("Failed to fetch origin/main");
    assert_eq!(enter(&checkout(&sandbox)), Err(PortError::Refused(format!("{expected}\ngit: {without}"))));
    configure(&sandbox, "[preflight]\nfetch = \"off\"\n");
    assert_eq!(warnings(&sandbox), [""; 0]);

    let sandbox = behind("main");
    std::fs::remove_dir_all(sandbox.outside("origin.git")).unwrap();
    let said = warnings(&sandbox);
    assert!(said[0].starts_with("**⚠ Cannot fetch origin/main ("), "{said:?}");
    assert_eq!((said.len(), subject(&sandbox, "main").as_str()), (1, "first"));
}

#[test]
fn a_remote_that_never_answers_is_given_up_on() {
    let sandbox = repository("main");
    // A port that takes connections and never answers.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || listener.incoming().collect::<Vec<_>>());
    sandbox.git(["remote", "add", "origin", &format!("git://127.0.0.1:{port}/x.git")]);
    let impatient = checkout(&sandbox).with_fetch_timeout(Duration::from_secs(1));
    let said = enter(&impatient).unwrap().warnings;
    assert_eq!(
        said,
        ["**⚠ Cannot fetch origin/main (no answer within 1 seconds). main may be behind its remote.**"]
    );
    // It is not asked again, nor is that said again.
    let branched = create(&impatient).unwrap();
    assert_eq!(branched.name, format!("{USER}/add-login"));
    assert!(!branched.warnings.iter().any(|warning| warning.contains("fetch")), "{:?}", branched.warnings);

    sandbox.git(["switch", "-q", "main"]);
    let options = options(&sandbox);
    options.cancel.request();
    assert_eq!(enter(&RunCheckout::new(options)), Err(PortError::Interrupted));
}

#[test]
fn nobody_is_asked_for_a_password() {
    // A port that takes connections and asks for a name and a password.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(
                b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            );
        }
    });
    let sandbox = repository("main");
    sandbox.git(["remote", "add", "origin", &format!("http://127.0.0.1:{port}/x.git")]);
    sandbox.git(["config", "credential.helper", ""]);
    sandbox.git(["config", "core.askPass", ""]);
    sandbox.git(["config", "http.proxy", ""]);
    let said = warnings(&sandbox);
    assert!(said[0].contains("terminal prompts disabled"), "{said:?}");
}
