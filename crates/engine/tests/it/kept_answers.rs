//! Answers are paid for once, also if what they became could not be placed.

use crate::stage::{block_on, launching};
use charrette_engine::ports::{AgentAnswer, BoxFuture, KeptAnswer, LaunchError, LaunchOrder, Launcher};
use charrette_engine::seat;
use charrette_testkit::Sandbox;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Agent that leaves a link to nothing where its driver keeps what is superseded.
struct Vandal {
    in_the_way: PathBuf,
    asked: AtomicUsize,
}

impl Launcher for Vandal {
    fn launch(&self, order: LaunchOrder) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        symlink("nowhere", &self.in_the_way).unwrap();
        let answer = KeptAnswer { text: "A plan.".to_owned(), ..KeptAnswer::default() };
        (order.keeper.0)(answer.clone()).unwrap();
        Box::pin(async move { Ok(answer.answer()) })
    }
}

#[test]
fn an_answer_that_cannot_be_placed_is_kept_and_not_asked_for_again() {
    let sandbox = Sandbox::repository();
    let in_the_way = sandbox.path(".specs/x/superseded");
    let agent = Arc::new(Vandal { in_the_way: in_the_way.clone(), asked: AtomicUsize::new(0) });
    let ask = || {
        let run = launching(&sandbox, agent.clone());
        let call =
            seat("planner").chain(["claude"]).prompt("Plan it.").reads("request.md").writes("plan.txt");
        block_on(async { run.phase("all").agent(call).await }).map(drop)
    };
    sandbox.write(".specs/x/plan.txt", "An earlier plan.");
    ask().unwrap_err();
    assert_eq!(sandbox.read(".specs/x/plan.txt"), "An earlier plan.");
    fs_err::remove_file(in_the_way).unwrap();
    ask().unwrap();
    assert_eq!(sandbox.read(".specs/x/plan.txt"), "A plan.");
    assert_eq!(agent.asked.load(Ordering::SeqCst), 1);
}
