//! The queue on disk, without processes around it: what a killed, interrupted or finished run finds again.

use crate::launching::{Room, order};
use charrette_agents::queue::{CallAnswer, CallQueue, CallRequest, LeaseRequest, QueueError};
use charrette_engine::ports::{LaunchOrder, Launcher as _};
use charrette_model::queue::{CallState, EndReason};
use charrette_model::stamp::{Now, Stamp};
use charrette_store::Holder;
use std::path::Path;
use std::time::Duration;

const MAX: u64 = 1000;

fn queue(folder: &Path) -> CallQueue {
    CallQueue::new(
        folder,
        Holder { pid: 1, since: "?".to_owned(), command: "test".to_owned(), namespace: None },
    )
}

fn request(prompt: &str) -> CallRequest {
    let text = |text: &str| text.to_owned();
    CallRequest {
        run: text("run-1"),
        feature: Some(text("add-login")),
        phase: text("write"),
        step: text("planner"),
        seat: text("planner"),
        agent: text("ada"),
        vendor: text("people"),
        model: None,
        effort: None,
        repository: text("/r"),
        folder: text("/r"),
        writing: false,
        web: false,
        prompt: text(prompt),
        timeout: Duration::from_mins(20),
    }
}

fn now(text: &str) -> Now {
    Now::frozen(Stamp::parse(&format!("2026-11-{text}Z")).unwrap().at())
}

fn noon() -> Now {
    now("15T12:00:00.000")
}

fn lease(queue: &CallQueue, at: Now) -> Option<String> {
    let request = LeaseRequest { agent: None, holder: "h", duration: Duration::from_mins(1) };
    queue.lease_next(request, at).unwrap().map(|taken| taken.call.id)
}

fn text(text: &str) -> CallAnswer {
    CallAnswer::Text(text.to_owned())
}

#[test]
fn an_answer_is_found_again_until_the_run_ends_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let call = queue.enqueue(&request("Plan."), noon()).unwrap();
    let id = call.id().to_owned();
    assert_eq!(call.take(MAX, noon()).unwrap(), None);
    drop(call);
    // Answered while nobody waits.
    queue.answer(&id, "the plan").unwrap();
    let call = queue.enqueue(&request("Plan."), noon()).unwrap();
    assert_eq!(call.id(), id);
    assert_eq!(call.take(MAX, noon()).unwrap(), Some(text("the plan")));
    drop(call);
    // Killed before it was recorded.
    let call = queue.enqueue(&request("Plan."), noon()).unwrap();
    assert_eq!(call.take(MAX, noon()).unwrap(), Some(text("the plan")));
    drop(call);
    assert!(matches!(queue.answer(&id, "again").unwrap_err(), QueueError::Answered(_)));
    queue.end_taken("another-run", noon()).unwrap();
    assert!(matches!(queue.answer(&id, "again").unwrap_err(), QueueError::Answered(_)));
    queue.end_taken("run-1", noon()).unwrap();
    let error = queue.answer(&id, "again").unwrap_err();
    assert!(matches!(error, QueueError::Over { reason: EndReason::Answered, .. }), "{error}");
    // The same question, asked anew.
    let call = queue.enqueue(&request("Plan."), noon()).unwrap();
    assert_eq!((call.id(), call.take(MAX, noon()).unwrap()), (id.as_str(), None));
}

#[test]
fn a_question_that_is_sent_back_is_the_second_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let attempts = || queue.list(noon()).unwrap().into_iter().map(|it| it.call.attempt).collect::<Vec<_>>();
    let first = queue.enqueue(&request("Plan."), noon()).unwrap();
    assert_eq!(attempts(), [1]);
    queue.answer(first.id(), "no plan").unwrap();
    first.take(MAX, noon()).unwrap();
    let second = queue.enqueue(&request("Plan. Your last answer…"), noon()).unwrap();
    assert_ne!(first.id(), second.id());
    assert_eq!(attempts(), [2]);
    drop((first, second));
    // A resumed run asks both again, in the same order.
    let first = queue.enqueue(&request("Plan."), noon()).unwrap();
    assert_eq!(first.take(MAX, noon()).unwrap(), Some(text("no plan")));
    let second = queue.enqueue(&request("Plan. Your last answer…"), noon()).unwrap();
    assert_eq!((attempts(), second.take(MAX, noon()).unwrap()), (vec![2], None));
}

#[test]
fn a_call_has_one_driver_and_one_lease() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    assert_eq!(lease(&queue, noon()), None);
    assert!(!folder.path().join("queue").exists(), "looking creates nothing");
    let call = queue.enqueue(&request("Plan."), noon()).unwrap();
    let error = queue.enqueue(&request("Plan."), noon()).unwrap_err();
    assert!(matches!(error, QueueError::Driven(_)), "{error}");
    let id = call.id().to_owned();
    assert_eq!(lease(&queue, noon()), Some(id.clone()));
    assert_eq!(lease(&queue, now("15T12:00:59.000")), None);
    assert_eq!(lease(&queue, now("15T12:01:00.000")), Some(id.clone()), "the lease has expired");
    // As long as somebody waits, the clock of the seat is theirs to end.
    assert_eq!(lease(&queue, now("15T13:00:00.000")), Some(id.clone()));
    drop(call);
    let late = now("15T14:00:00.000");
    assert_eq!(queue.list(late).unwrap()[0].state, CallState::Suspended);
    assert_eq!(lease(&queue, late), None);
    let resumed = queue.enqueue(&request("Plan."), late).unwrap();
    assert_eq!(resumed.id(), id);
    assert_eq!(queue.list(late).unwrap()[0].state, CallState::Open);
    drop(resumed);
    assert_eq!(lease(&queue, now("15T14:19:00.000")), Some(id), "its clock started again");
}

#[test]
fn a_clock_ends_a_call_unless_its_answer_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let call = queue.enqueue(&request("Plan."), noon()).unwrap();
    assert_eq!(call.time_out(MAX, noon()).unwrap(), None);
    let error = queue.answer(call.id(), "too late").unwrap_err();
    assert!(matches!(error, QueueError::Over { reason: EndReason::Timeout, .. }), "{error}");
    assert_eq!(
        error.to_string(),
        format!("call {} is over (the clock of its seat ended); this answer was not taken", call.id())
    );
    assert!(
        !call.answer_file().with_file_name("prompt.md").exists(),
        "the texts of a call that is over are removed"
    );
    drop(call);
    let call = queue.enqueue(&request("Plan."), noon()).unwrap();
    queue.answer(call.id(), "just in time").unwrap();
    assert_eq!(call.time_out(MAX, noon()).unwrap(), Some(text("just in time")));
}

#[test]
fn unusable_answers_end_their_call() {
    for (written, expected) in [
        (vec![b'x'; 1001], CallAnswer::TooLarge),
        (b" \n".to_vec(), CallAnswer::Empty),
        (b"caf\xe9".to_vec(), CallAnswer::Text("caf\u{fffd}".to_owned())),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let queue = queue(folder.path());
        let call = queue.enqueue(&request("Plan."), noon()).unwrap();
        // By a program that writes the file itself.
        fs_err::write(call.answer_file(), written).unwrap();
        let is_usable = matches!(expected, CallAnswer::Text(_));
        assert_eq!(call.take(MAX, noon()).unwrap(), Some(expected));
        let error = queue.answer(call.id(), "another").unwrap_err();
        assert_eq!(
            matches!(error, QueueError::Over { reason: EndReason::Unusable, .. }),
            !is_usable,
            "{error}"
        );
    }
}

#[test]
fn a_waiting_run_sees_that_its_call_was_ended_or_removed() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let call = queue.enqueue(&request("Plan."), noon()).unwrap();
    queue.end_run("run-1", noon()).unwrap();
    assert_eq!(call.take(MAX, noon()).unwrap(), Some(CallAnswer::Ended(EndReason::Abandoned)));
    fs_err::remove_dir_all(folder.path().join("queue/ada")).unwrap();
    assert_eq!(call.take(MAX, noon()).unwrap(), Some(CallAnswer::Removed));
}

#[test]
fn old_calls_are_removed_when_new_ones_come() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    let count = || fs_err::read_dir(folder.path().join("queue/ada")).unwrap().count();
    queue.enqueue(&request("over"), noon()).unwrap().time_out(MAX, noon()).unwrap();
    drop(queue.enqueue(&request("open"), noon()).unwrap());
    // The leftover of a process that was killed while it created a call.
    let torn = folder.path().join("queue/ada").join(format!(".{}", request("torn").id()));
    fs_err::create_dir(&torn).unwrap();
    fs_err::write(torn.join("prompt.md"), "half").unwrap();
    assert_eq!(queue.list(noon()).unwrap().len(), 1);
    drop(queue.enqueue(&request("torn"), noon()).unwrap());
    assert_eq!(count(), 3);
    drop(queue.enqueue(&request("a week later"), now("23T12:00:00.000")).unwrap());
    assert_eq!(count(), 3, "the call that is over is gone");
    let later = Now::frozen("2026-12-20T12:00:00Z".parse().unwrap());
    drop(queue.enqueue(&request("a month later"), later).unwrap());
    assert_eq!(count(), 2, "nobody came back for the two oldest");
}

#[test]
fn names_and_ids_never_become_paths() {
    let folder = tempfile::tempdir().unwrap();
    let queue = queue(folder.path());
    for name in ["../x", "a/b", "", ".", "..", "a\nb"] {
        let request = CallRequest { agent: name.to_owned(), ..request("Plan.") };
        assert!(queue.enqueue(&request, noon()).is_err(), "{name:?}");
    }
    assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 0);
    drop(queue.enqueue(&request("Plan."), noon()).unwrap());
    for id in ["../ada", "..", "", "ada", "0123456789ABCDEF"] {
        assert!(matches!(queue.answer(id, "x").unwrap_err(), QueueError::InvalidId(_)), "{id:?}");
    }
    assert!(matches!(queue.answer("0123456789abcdef", "x").unwrap_err(), QueueError::Unknown(_)));
}

#[test]
fn the_clock_of_a_seat_stands_still_while_its_driver_is_stopped() {
    let mut room = Room::new("exit 1");
    room.settings = "[agents.ada]\nkind = \"queue\"\nvendor = \"people\"".to_owned();
    let (pool, queue) = (room.pool(), queue(&room.path("state")));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.unwrap().block_on(async {
        let call = pool.launch(LaunchOrder { agent: "ada".to_owned(), ..order() });
        let person = async {
            let now = Now::real(jiff::Timestamp::now());
            let id = loop {
                match queue.list(now).unwrap().first() {
                    Some(open) => break open.call.id.clone(),
                    None => tokio::time::sleep(Duration::from_millis(10)).await,
                }
            };
            // The driver is stopped for a day, and then looks at the time.
            tokio::time::advance(Duration::from_hours(24)).await;
            tokio::time::sleep(Duration::from_secs(1)).await;
            queue.answer(&id, "an answer at last").unwrap();
        };
        let (answer, ()) = tokio::join!(call, person);
        assert_eq!(answer.unwrap().text, "an answer at last");
    });
}
