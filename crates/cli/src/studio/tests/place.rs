//! Repositories to enter, and the studio in them.

use crate::site::Site;
use crate::studio::StudioHere;
use charrette_engine::Cancel;
use charrette_engine::flows::design::{BranchOrder, Branched, Entrance, Refusal, Studio as _};
use charrette_model::checkpoint::DocumentName;
use charrette_model::checkpoint::RunRecord;
use charrette_model::checkpoint::progress::begin_run;
use charrette_model::config::{Layer, read_layers};
use charrette_model::stamp::Now;
use charrette_store::{Location, locate};
use charrette_testkit::Sandbox;
use std::future::Future;

/// What the studio says about branches that were not vouched for.
pub(super) const USER: &str = "ada-lovelace";

/// A repository whose first branch is called that, with one commit and a user who has a name.
pub(super) fn repository(main: &str) -> Sandbox {
    let sandbox = empty_repository(main);
    sandbox.write("file", "first");
    sandbox.git(["add", "file"]);
    sandbox.commit("first");
    sandbox
}

/// The same without a commit. Whatever this machine's user has configured must not matter.
pub(super) fn empty_repository(main: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.git(["init", "-q", "-b", main]);
    for (key, value) in [
        ("user.name", "Ada Lovelace"),
        ("user.email", "ada@example.com"),
        ("commit.gpgSign", "false"),
        ("core.hooksPath", "/dev/null"),
    ] {
        sandbox.git(["config", key, value]);
    }
    sandbox
}

/// A repository with a remote called origin, which is one commit ahead.
pub(super) fn behind(main: &str) -> Sandbox {
    let sandbox = repository(main);
    publish(&sandbox, main);
    sandbox.git(["update-ref", "-d", &format!("refs/remotes/origin/{main}")]);
    sandbox
}

/// The same, with a commit of its own that changes the same file.
pub(super) fn diverged(main: &str) -> Sandbox {
    let sandbox = behind(main);
    sandbox.write("file", "mine");
    sandbox.git(["commit", "-q", "-a", "-m", "mine"]);
    sandbox
}

/// Makes an origin that has one more commit, which changes `file`.
fn publish(sandbox: &Sandbox, main: &str) {
    let origin = sandbox.outside("origin.git");
    let origin = origin.to_str().unwrap();
    sandbox.git(["init", "-q", "--bare", "-b", main, origin]);
    sandbox.git(["remote", "add", "origin", origin]);
    sandbox.write("file", "second");
    sandbox.git(["commit", "-q", "-a", "-m", "second"]);
    sandbox.git(["push", "-q", "origin", main]);
    sandbox.git(["reset", "-q", "--hard", "HEAD~1"]);
}

/// The studio for a design called add-login. Settings are those of the sandbox's charrette.toml.
pub(super) fn studio(sandbox: &Sandbox) -> StudioHere {
    vouched(sandbox, None)
}

/// The same for a caller who gives `--branch-info`.
pub(super) fn vouched(sandbox: &Sandbox, branch_info: Option<&str>) -> StudioHere {
    StudioHere::of(&site(sandbox), &design(), branch_info, &Cancel::default())
}

fn design() -> DocumentName {
    DocumentName::from_stem("design-add-login").unwrap()
}

fn site(sandbox: &Sandbox) -> Site {
    let root = sandbox.work().canonicalize().unwrap();
    let repository = match locate(&root).unwrap() {
        Location::WorkTree(repository) => Some(repository),
        _ => None,
    };
    let text = fs_err::read_to_string(root.join("charrette.toml")).unwrap_or_default();
    let (settings, problems) = read_layers(&[Layer { origin: "charrette.toml".to_owned(), text }]);
    assert_eq!(problems, []);
    let now = Now::real("2026-11-15T12:00:00Z".parse().unwrap());
    Site { root, repository, layers: Vec::new(), settings, problems, now }
}

/// Commits settings, so that they are no dirt.
pub(super) fn configure(sandbox: &Sandbox, settings: &str) {
    sandbox.write("charrette.toml", settings);
    sandbox.git(["add", "charrette.toml"]);
    sandbox.commit("settings");
}

/// Begins the run that the studio belongs to.
pub(super) fn begin(sandbox: &Sandbox) {
    let site = site(sandbox);
    let run = RunRecord { id: "r".to_owned(), ..RunRecord::default() };
    let begun = site.documents().transition(&design(), "begin", site.now, |_, circumstances| {
        begin_run(("design", Some("add-login")), run.clone(), &["research"], circumstances)
    });
    begun.unwrap();
}

/// The branch that the run's document names.
pub(super) fn noted(sandbox: &Sandbox) -> Option<String> {
    site(sandbox).documents().load(&design()).unwrap().unwrap().document.run.unwrap().branch
}

pub(super) fn enter(studio: &StudioHere) -> Result<Entrance, Refusal> {
    wait(studio.enter())
}

pub(super) fn create(studio: &StudioHere) -> Result<Branched, Refusal> {
    wait(studio.branch(BranchOrder { create: true, from: String::new() }))
}

pub(super) fn stay(studio: &StudioHere, from: &str) -> Result<Branched, Refusal> {
    wait(studio.branch(BranchOrder { create: false, from: from.to_owned() }))
}

pub(super) fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// The branch that is checked out.
pub(super) fn current(sandbox: &Sandbox) -> String {
    sandbox.git(["branch", "--show-current"])
}

/// The subject of a commit.
pub(super) fn subject(sandbox: &Sandbox, commit: &str) -> String {
    sandbox.git(["log", "-1", "--format=%s", commit])
}

/// What a refused preflight says.
pub(super) fn preflight_refused(error: &str) -> String {
    format!(
        "PREFLIGHT_ERROR={error}\n⚠ charrette design requires clean main to start. To continue, choose one of: (a) git checkout main && git status clean → re-run; (b) check out or create a {USER}/* feature branch and re-run (the branch naming convention is the explicit opt-in to continue from current state); (c) commit or stash uncommitted changes on main first."
    )
}
