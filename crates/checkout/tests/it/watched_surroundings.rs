//! Files around the repository: those of the user that decide what git shows, and those of other runs.

use crate::tree::{root, with_own_work};
use crate::watched::{describe, shell};
use charrette_checkout::tree::{UserGitFiles, undo};
use charrette_checkout::{Surroundings, TreeWatch};
use charrette_model::checkpoint::progress::begin_run;
use charrette_model::checkpoint::{DocumentName, RunRecord};
use charrette_model::stamp::Now;
use charrette_model::tree::{OwnPaths, TreeChange};
use charrette_store::layout::StateFolder;
use charrette_store::{Documents, Holder};
use charrette_testkit::Sandbox;

/// Changes while `act` runs, as a driver sees them.
fn changes(sandbox: &Sandbox, act: impl FnOnce()) -> Vec<TreeChange> {
    let own = OwnPaths {
        folders: vec![".claude/state".to_owned(), ".specs".to_owned()],
        specs: Some("specs".to_owned()),
        spec_folders: None,
    };
    let home = sandbox.home();
    let surroundings = Surroundings {
        user: UserGitFiles {
            configuration: vec![home.join(".config/git/config"), home.join(".gitconfig")],
            rules: vec![home.join(".config/git/ignore")],
            home: Some(home),
        },
        state: Some(StateFolder::new(&root(sandbox), ".claude/state")),
    };
    let watch = TreeWatch::new(root(sandbox), own, surroundings);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let before = runtime.block_on(watch.snapshot()).unwrap();
    act();
    let after = runtime.block_on(watch.snapshot()).unwrap();
    runtime.block_on(watch.changes(before, after)).unwrap()
}

#[test]
fn files_of_the_user_that_decide_what_git_shows_are_watched() {
    for (act, expected) in [
        ("true", &[][..]),
        ("echo 'evil*' > ~/.config/git/ignore; echo x > evil.py", &["added ~/.config/git/ignore"]),
        ("git config --global core.excludesFile ~/other", &["added ~/.gitconfig"]),
        ("echo 'evil*' > ~/named; echo x > evil.py", &["added ~/named"]),
        ("echo '[core]' > ~/included", &["added ~/included"]),
    ] {
        let sandbox = with_own_work();
        shell(
            &sandbox,
            "mkdir -p ~/.config/git; git config core.excludesFile '~/named'; git config include.path ~/included",
        );
        let changes = changes(&sandbox, || shell(&sandbox, act));
        let home = format!("{}/", sandbox.home().display());
        let found: Vec<String> =
            describe(&changes).iter().map(|change| change.replace(&home, "~/")).collect();
        let found: Vec<&str> =
            found.iter().map(String::as_str).filter(|change| !change.ends_with("evil.py")).collect();
        assert_eq!(found, expected, "{act}");
        let done = undo(&root(&sandbox), &changes).unwrap();
        assert!(done.skipped.iter().all(|skipped| skipped.reason.starts_with("is outside the work tree")));
    }
}

#[test]
fn a_file_of_the_user_that_is_a_link_is_watched_where_it_leads() {
    let sandbox = with_own_work();
    shell(&sandbox, "mkdir ~/dotfiles; echo > ~/dotfiles/gitconfig; ln -s dotfiles/gitconfig ~/.gitconfig");
    let found = changes(&sandbox, || shell(&sandbox, "git config --global core.pager evil"));
    assert_eq!(describe(&found), [format!("modified {}", sandbox.home().join(".gitconfig").display())]);
    assert_eq!(describe(&changes(&sandbox, || {})), [""; 0]);
}

struct Runs {
    documents: Documents,
}

impl Runs {
    fn new(sandbox: &Sandbox) -> Runs {
        let since = "2026-11-15T12:00:00.000Z".to_owned();
        let holder = Holder::of_this_process(since, "test".to_owned());
        Runs {
            documents: Documents::new(StateFolder::new(&root(sandbox), ".claude/state"), None, holder, 500),
        }
    }

    /// Changes the document of a run as charrette does.
    fn change(&self, stem: &str) {
        let name = DocumentName::from_stem(stem).unwrap();
        let run = RunRecord {
            id: "r".to_owned(),
            workspace: Some(format!(".specs/{stem}")),
            ..RunRecord::default()
        };
        let now = Now::real("2026-11-15T12:00:00Z".parse().unwrap());
        let begun = self.documents.transition(&name, "begin", now, |_, context| {
            begin_run(name.key(), run.clone(), &["research"], context)
        });
        begun.unwrap();
    }
}

#[test]
fn files_of_other_runs_are_watched() {
    for (act, expected) in [
        ("echo '{}' > .claude/state/evil.json", &["added .claude/state/evil.json"][..]),
        ("echo '{}' > .claude/state/design-evil.json", &["added .claude/state/design-evil.json"]),
        ("echo ' ' >> .claude/state/design-waiting.json", &["modified .claude/state/design-waiting.json"]),
        ("rm .claude/state/design-waiting.json", &["deleted .claude/state/design-waiting.json"]),
        ("echo evil > .specs/design-waiting/plan.txt", &["modified .specs/design-waiting/plan.txt"]),
        ("echo x >> .specs/design-waiting/events.jsonl", &[]),
        ("mkdir -p specs/other; echo evil > specs/other/design.md", &["added specs/other/design.md"]),
        ("mkdir -p specs/mine; echo ours > specs/mine/design.md", &[]),
        ("echo x > .specs/design-mine/plan.txt; echo ' ' >> .claude/state/design-mine.json", &[]),
        ("echo '{}' > .claude/state/active.json", &[]),
    ] {
        let sandbox = with_own_work();
        let runs = Runs::new(&sandbox);
        for run in ["waiting", "mine"] {
            runs.change(&format!("design-{run}"));
            sandbox.write(&format!(".specs/design-{run}/plan.txt"), "plan");
        }
        sandbox.write(".specs/.gitignore", "*\n");
        let driven = DocumentName::from_stem("design-mine").unwrap();
        let _lease = runs.documents.lease(&driven).unwrap();
        let changes = changes(&sandbox, || shell(&sandbox, act));
        assert_eq!(describe(&changes), expected, "{act}");
    }
}

#[test]
fn other_runs_of_charrette_are_no_change() {
    let sandbox = with_own_work();
    let runs = Runs::new(&sandbox);
    runs.change("design-waiting");
    sandbox.write(".specs/.gitignore", "*\n");
    let found = changes(&sandbox, || {
        // One that is answered, one that begins.
        runs.change("design-waiting");
        sandbox.write(".specs/design-waiting/answers.txt", "answers");
        runs.change("design-new");
        sandbox.write(".specs/design-new/plan.txt", "plan");
    });
    assert_eq!(describe(&found), [""; 0]);
}
