//! Repositories to enter, and the checkout of a run in them.

use charrette_checkout::{BranchOrder, BranchReport, CheckoutOptions, EntryReport, PortError, RunCheckout};
use charrette_engine::Cancel;
use charrette_engine::ports::Clock;
use charrette_model::checkpoint::progress::{begin_run, record_move};
use charrette_model::checkpoint::{CheckoutMove, DocumentName, RunRecord};
use charrette_model::config::{Layer, Settings, read_layers};
use charrette_model::stamp::Now;
use charrette_model::tree::OwnPaths;
use charrette_store::layout::StateFolder;
use charrette_store::{Documents, Holder, Location, locate};
use charrette_testkit::Sandbox;
use std::path::PathBuf;
use std::sync::Arc;

/// Prefix of the user's branches.
pub(crate) const USER: &str = "ada-lovelace";

/// A repository whose first branch is called that, with one commit and a user who has a name.
pub(crate) fn repository(main: &str) -> Sandbox {
    let sandbox = empty_repository(main);
    sandbox.write("file", "first");
    sandbox.git(["add", "file"]);
    sandbox.commit("first");
    sandbox
}

/// The same without a commit. Whatever this machine's user has configured must not matter.
pub(crate) fn empty_repository(main: &str) -> Sandbox {
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
pub(crate) fn behind(main: &str) -> Sandbox {
    let sandbox = repository(main);
    publish(&sandbox, main);
    sandbox.git(["update-ref", "-d", &format!("refs/remotes/origin/{main}")]);
    sandbox
}

/// The same, with a commit of its own that changes the same file.
pub(crate) fn diverged(main: &str) -> Sandbox {
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

/// The checkout of a design called add-login. Settings are those of the sandbox's charrette.toml.
pub(crate) fn checkout(sandbox: &Sandbox) -> RunCheckout {
    vouched(sandbox, None)
}

/// The same for a caller who gives `--branch-info`.
pub(crate) fn vouched(sandbox: &Sandbox, branch_info: Option<&str>) -> RunCheckout {
    let branch_info = branch_info.map(str::to_owned);
    RunCheckout::new(CheckoutOptions { branch_info, ..options(sandbox) })
}

/// Options of the run's checkout.
pub(crate) fn options(sandbox: &Sandbox) -> CheckoutOptions {
    let root = root(sandbox);
    let settings = settings(sandbox);
    CheckoutOptions {
        in_repository: matches!(locate(&root).unwrap(), Location::WorkTree(_)),
        own: OwnPaths {
            folders: vec![settings.state_folder().to_owned(), settings.workspace_folder().to_owned()],
            specs: Some(settings.specs_folder().to_owned()),
            spec_folders: None,
        },
        name: design(),
        branch_info: None,
        documents: documents(sandbox),
        clock: Arc::new(FixedClock),
        cancel: Cancel::default(),
        has_custom_ssh: false,
        settings,
        root,
    }
}

/// The top of the work tree.
pub(crate) fn root(sandbox: &Sandbox) -> PathBuf {
    sandbox.work().canonicalize().unwrap()
}

/// Settings of the sandbox's charrette.toml.
pub(crate) fn settings(sandbox: &Sandbox) -> Settings {
    let text = fs_err::read_to_string(sandbox.path("charrette.toml")).unwrap_or_default();
    let (settings, problems) = read_layers(&[Layer { origin: "charrette.toml".to_owned(), text }]);
    assert_eq!(problems, []);
    settings
}

/// A clock that stands still.
struct FixedClock;

impl Clock for FixedClock {
    fn now(&self) -> Now {
        Now::real("2026-11-15T12:00:00Z".parse().unwrap())
    }
}

fn design() -> DocumentName {
    DocumentName::from_stem("design-add-login").unwrap()
}

fn documents(sandbox: &Sandbox) -> Documents {
    let root = root(sandbox);
    let repository = match locate(&root).unwrap() {
        Location::WorkTree(repository) => Some(repository),
        _ => None,
    };
    let since = "2026-11-15T12:00:00.000Z".to_owned();
    let holder = Holder::of_this_process(since, "test".to_owned());
    Documents::new(StateFolder::new(&root, ".claude/state"), repository, holder, 500)
}

/// Commits settings, so that they are no dirt.
pub(crate) fn configure(sandbox: &Sandbox, settings: &str) {
    sandbox.write("charrette.toml", settings);
    sandbox.git(["add", "charrette.toml"]);
    sandbox.commit("settings");
}

/// Begins the run that the checkout belongs to.
pub(crate) fn begin(sandbox: &Sandbox) {
    let run = RunRecord { id: "r".to_owned(), ..RunRecord::default() };
    let begun = documents(sandbox).transition(&design(), "begin", FixedClock.now(), |_, context| {
        begin_run(design().key(), run.clone(), &["research"], context)
    });
    begun.unwrap();
}

/// Records a move of the checkout in the run's document, as a run does before it starts git.
pub(crate) fn record(sandbox: &Sandbox, from: &str, to: &str) {
    let commit = |name: &str| sandbox.git(["rev-parse", &format!("{name}^{{commit}}")]);
    let moving = CheckoutMove { from: commit(from), to: commit(to) };
    let noted = documents(sandbox).transition(&design(), "move", FixedClock.now(), |on_disk, context| {
        record_move(on_disk.unwrap(), moving.clone(), context)
    });
    noted.unwrap();
}

/// The branch that the run's document names.
pub(crate) fn noted(sandbox: &Sandbox) -> Option<String> {
    documents(sandbox).load(&design()).unwrap().unwrap().document.run.unwrap().branch
}

/// The move of the checkout that the run's document names.
pub(crate) fn noted_move(sandbox: &Sandbox) -> Option<CheckoutMove> {
    documents(sandbox).load(&design()).unwrap().unwrap().document.run.unwrap().moving
}

pub(crate) fn create(checkout: &RunCheckout) -> Result<BranchReport, PortError> {
    checkout.switch_branch(&BranchOrder { create: true, from: String::new() })
}

pub(crate) fn stay(checkout: &RunCheckout, from: &str) -> Result<BranchReport, PortError> {
    checkout.switch_branch(&BranchOrder { create: false, from: from.to_owned() })
}

pub(crate) fn enter(checkout: &RunCheckout) -> Result<EntryReport, PortError> {
    checkout.enter()
}

/// The branch that is checked out.
pub(crate) fn current(sandbox: &Sandbox) -> String {
    sandbox.git(["branch", "--show-current"])
}

/// The subject of a commit.
pub(crate) fn subject(sandbox: &Sandbox, commit: &str) -> String {
    sandbox.git(["log", "-1", "--format=%s", commit])
}

/// Text of a refused preflight.
pub(crate) fn preflight_refused(error: &str) -> String {
    format!(
        "PREFLIGHT_ERROR={error}\n⚠ charrette design requires clean main to start. To continue, choose one of: (a) git checkout main && git status clean → re-run; (b) check out or create a {USER}/* feature branch and re-run (the branch naming convention is the explicit opt-in to continue from current state); (c) commit or stash uncommitted changes on main first."
    )
}
