//! Answers are checked: grammar and citations go back together, once; what is still wrong is struck out, never refused.

use crate::stage::{block_on, scripted};
use charrette_engine::ports::checkout::Delivery;
use charrette_engine::ports::{
    AgentAnswer, AnswerCitations, BoxFuture, BranchOrder, BranchReport, Checkout, EntryReport, LaunchError,
    LaunchOrder, Launcher, PortError,
};
use charrette_engine::{AgentCall, CitationPolicy, seat};
use charrette_model::ledger::CitationCounts;
use charrette_model::panel::cite::{SourceFacts, SourceKind};
use charrette_testkit::Sandbox;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// Agent that gives prepared answers, and keeps the prompts and the counts.
#[derive(Default)]
struct Script {
    answers: Mutex<VecDeque<&'static str>>,
    prompts: Mutex<Vec<String>>,
    counts: Mutex<Vec<CitationCounts>>,
}

impl Launcher for Script {
    fn launch(&self, order: LaunchOrder) -> BoxFuture<'static, Result<AgentAnswer, LaunchError>> {
        self.prompts.lock().unwrap().push(order.prompt);
        let answer = self.answers.lock().unwrap().pop_front();
        Box::pin(async move {
            let text = answer.ok_or_else(|| LaunchError::failed("it hangs"))?.to_owned();
            Ok(AgentAnswer { text, ..AgentAnswer::default() })
        })
    }

    fn record_citations(&self, citations: AnswerCitations) {
        assert_eq!((citations.seat.as_str(), citations.agent.as_str()), ("planner", "claude"));
        self.counts.lock().unwrap().push(citations.counts);
    }
}

/// Repository with one file of two lines.
struct Repository;

impl SourceFacts for Repository {
    fn kind(&self, path: &str) -> Option<SourceKind> {
        (path == "src/a.rs").then_some(SourceKind::Text { lines: 2 })
    }

    fn lines(&self, _: &str, first: usize, last: usize) -> Vec<String> {
        ["fn one() {}", "fn two() {}"][first - 1..last].iter().map(|line| (*line).to_owned()).collect()
    }
}

impl Checkout for Repository {
    fn enter(&self) -> BoxFuture<'static, Result<EntryReport, PortError>> {
        Box::pin(async { Ok(EntryReport::default()) })
    }

    fn switch_branch(&self, _: BranchOrder) -> BoxFuture<'static, Result<BranchReport, PortError>> {
        Box::pin(async { Ok(BranchReport::default()) })
    }

    fn exists(&self, path: &str) -> bool {
        path == "src/a.rs"
    }

    fn deliver(&self, _: Delivery) -> BoxFuture<'static, Result<(), PortError>> {
        Box::pin(async { Ok(()) })
    }

    fn sources(&self, _: &[String]) -> Option<Arc<dyn SourceFacts>> {
        Some(Arc::new(Repository))
    }
}

struct Asked {
    /// The file that was written; none if the step failed.
    file: Option<String>,
    prompts: Vec<String>,
    counts: Vec<CitationCounts>,
}

/// Asks the planner, whose answer must begin with `PLAN`.
fn ask(answers: &[&'static str]) -> Asked {
    ask_with(answers, |call| call)
}

fn ask_with(answers: &[&'static str], change: impl Fn(AgentCall) -> AgentCall) -> Asked {
    let sandbox = Sandbox::repository();
    let script =
        Arc::new(Script { answers: Mutex::new(answers.iter().copied().collect()), ..Script::default() });
    let run = scripted(&sandbox, script.clone(), Arc::new(Repository));
    let call = seat("planner")
        .chain(["claude"])
        .prompt("Plan it.")
        .reads(&["request.md"][..])
        .writes("plan.txt")
        .grammar(|answer| {
            let is_plan = answer.starts_with("PLAN");
            is_plan.then(|| vec![("plan.txt".to_owned(), answer.to_owned())]).ok_or("no PLAN".to_owned())
        })
        .verify(CitationPolicy { own_files: ["notes.md".to_owned()].into(), ..CitationPolicy::default() });
    let outcome = block_on(async { run.phase("all").agent(change(call)).await });
    let file = outcome.is_ok().then(|| fs_err::read_to_string(sandbox.path(".specs/x/plan.txt")).unwrap());
    let (prompts, counts) = (script.prompts.lock().unwrap().clone(), script.counts.lock().unwrap().clone());
    Asked { file, prompts, counts }
}

fn counts(right: u64, wrong: u64, corrected: u64, struck: u64) -> Vec<CitationCounts> {
    vec![CitationCounts { right, wrong, corrected, struck }]
}

#[test]
fn right_citations_cost_no_second_call() {
    let text = "PLAN src/a.rs:1, `src/a.rs:2`: \"fn two() {}\", notes.md:7, src/new.rs (new), request.md:1";
    let asked = ask(&[text]);
    assert_eq!((asked.file.as_deref(), asked.prompts.len()), (Some(text), 1));
    assert_eq!(asked.counts, counts(2, 0, 0, 0));
}

#[test]
fn a_wrong_citation_goes_back_with_the_answer_and_the_reason() {
    let asked = ask(&["PLAN src/a.rs:1 and src/a.rs:9", "PLAN src/a.rs:1 and src/a.rs:2"]);
    assert_eq!(asked.file.as_deref(), Some("PLAN src/a.rs:1 and src/a.rs:2"));
    assert_eq!(asked.counts, counts(2, 1, 1, 0));
    let retry = asked.prompts[1].strip_prefix(&asked.prompts[0]).expect("the original prompt comes first");
    assert!(retry.contains("\n```\nPLAN src/a.rs:1 and src/a.rs:9\n```\n"), "{retry}");
    assert!(retry.contains("\n1. line 1: src/a.rs:9: the file has 2 lines\n"), "{retry}");
}

#[test]
fn the_form_and_the_citations_go_back_together() {
    let asked = ask(&["Hello src/b.rs:1 src/a.rs:9", "PLAN"]);
    assert_eq!(asked.file.as_deref(), Some("PLAN"));
    let retry = &asked.prompts[1];
    assert!(
        retry.contains("\n1. no PLAN\n2. line 1: src/b.rs:1: there is no such file\n3. line 1: src/a.rs:9"),
        "{retry}"
    );
    assert_eq!(asked.counts, counts(0, 2, 2, 0));
}

#[test]
fn what_is_still_wrong_is_struck_and_counted() {
    let asked = ask(&[
        "PLAN src/a.rs:9, src/a.rs:8",
        "PLAN src/a.rs:1, src/a.rs:8\n```json\n{\"at\": \"src/b.rs:1\"}\n```",
    ]);
    assert_eq!(
        asked.file.as_deref(),
        Some("PLAN src/a.rs:1, (struck: no such place)\n```json\n{\"at\": \"src/b.rs:1\"}\n```")
    );
    assert_eq!((asked.prompts.len(), asked.counts), (2, counts(1, 2, 0, 1)));
}

#[test]
fn wrong_citations_never_cost_an_answer() {
    for second in [&["PLAN src/a.rs:9", "no form"][..], &["PLAN src/a.rs:9"]] {
        let asked = ask(second);
        assert_eq!(asked.file.as_deref(), Some("PLAN (struck: no such place)"), "{second:?}");
        assert_eq!((asked.prompts.len(), asked.counts), (2, counts(0, 1, 0, 1)));
    }
    // A grammar that needs the place keeps it.
    let needs_place = |call: AgentCall| {
        call.check(|answer| if answer.contains(".rs:") { Ok(()) } else { Err("cite a line".to_owned()) })
    };
    let asked = ask_with(&["PLAN src/a.rs:9", "PLAN src/a.rs:9"], needs_place);
    assert_eq!((asked.file.as_deref(), asked.counts), (Some("PLAN src/a.rs:9"), counts(0, 1, 0, 0)));
}

#[test]
fn an_answer_without_form_is_refused_after_two_attempts() {
    let asked = ask(&["src/a.rs:1", "src/a.rs:2"]);
    assert_eq!((asked.file, asked.prompts.len(), asked.counts.len()), (None, 2, 0));
}
