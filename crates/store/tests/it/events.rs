//! The event log: whole lines, bounded size, any writers and any contents.

use crate::parts;
use charrette_store::LogFolder;
use charrette_store::events::{EventLog, EventLogError, FILE, MAX_BYTES, MAX_LINE_BYTES, read};
use charrette_testkit::Sandbox;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

/// An event of about that many bytes.
pub(crate) fn event(by: &str, n: usize, bytes: usize) -> String {
    format!(r#"{{"by":"{by}","n":{n},"text":"{}"}}"#, "x".repeat(bytes))
}

/// Producer and number of an event.
pub(crate) fn maker(line: &str) -> (String, usize) {
    let event: serde_json::Value = serde_json::from_str(line).unwrap();
    (event["by"].as_str().unwrap().to_owned(), usize::try_from(event["n"].as_u64().unwrap()).unwrap())
}

pub(crate) fn add_raw(sandbox: &Sandbox, text: impl AsRef<[u8]>) {
    let mut file = fs_err::OpenOptions::new().create(true).append(true).open(sandbox.path(FILE)).unwrap();
    file.write_all(text.as_ref()).unwrap();
}

fn length(sandbox: &Sandbox) -> u64 {
    sandbox.path(FILE).metadata().unwrap().len()
}

#[test]
fn events_are_read_as_they_were_written_and_are_for_their_owner() {
    let sandbox = Sandbox::new();
    assert_eq!(read(&sandbox.work()), (Vec::new(), 0));
    let log = EventLog::open(&LogFolder::new(&sandbox.work())).unwrap();
    assert_eq!(read(&sandbox.work()), (Vec::new(), 0));
    let lines: Vec<String> = (0..3).map(|n| event("é", n, n)).collect();
    for line in &lines {
        log.append(line).unwrap();
    }
    assert_eq!(read(&sandbox.work()), (lines, 0));
    assert_eq!(sandbox.path(FILE).metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn events_with_line_breaks_are_rejected() {
    let sandbox = Sandbox::new();
    let log = EventLog::open(&LogFolder::new(&sandbox.work())).unwrap();
    assert!(matches!(log.append("{\n}"), Err(EventLogError::NotALine)));
    assert!(matches!(log.append(&event("a", 0, MAX_LINE_BYTES)), Err(EventLogError::TooLong(_))));
    assert_eq!(length(&sandbox), 0);
}

#[test]
fn several_events_are_one_write_without_those_that_do_not_fit() {
    let sandbox = Sandbox::new();
    let log = EventLog::open(&LogFolder::new(&sandbox.work())).unwrap();
    let [first, long, last] = [event("a", 0, 1), event("a", 1, MAX_LINE_BYTES), event("a", 2, 1)];
    let appended = log.append_all(&[first.as_str(), &long, "{\n}", &last]);
    assert!(matches!(appended, Err(EventLogError::TooLong(_))), "{appended:?}");
    assert_eq!(read(&sandbox.work()), (vec![first, last], 0));
}

#[test]
fn links_pipes_and_folders_are_rejected() {
    let sandbox = Sandbox::new();
    for (folder, arrange) in [
        (
            "link",
            Box::new(|| symlink(sandbox.path("target"), sandbox.path("link").join(FILE)).unwrap())
                as Box<dyn Fn()>,
        ),
        ("folder", Box::new(|| fs_err::create_dir(sandbox.path("folder").join(FILE)).unwrap())),
        (
            "pipe",
            Box::new(|| {
                let pipe = sandbox.path("pipe").join(FILE);
                assert!(sandbox.command("mkfifo").arg(pipe).status().unwrap().success());
            }),
        ),
    ] {
        fs_err::create_dir(sandbox.path(folder)).unwrap();
        arrange();
        let error = EventLog::open(&LogFolder::new(&sandbox.path(folder))).unwrap_err();
        let is_named = matches!(error, EventLogError::Symlink(_) | EventLogError::NotAFile(_));
        assert!(is_named, "{folder}: {error}");
        assert_eq!(read(&sandbox.path(folder)), (Vec::new(), 0), "{folder}");
    }
    assert!(!sandbox.path("target").exists());
    assert!(matches!(EventLog::open(&LogFolder::new(&sandbox.path("nowhere"))), Err(EventLogError::Io(_))));
}

#[test]
fn torn_and_foreign_lines_are_passed_over_and_counted() {
    let sandbox = Sandbox::new();
    let log = EventLog::open(&LogFolder::new(&sandbox.work())).unwrap();
    log.append(&event("a", 0, 1)).unwrap();
    add_raw(&sandbox, b"\n\xff\xfe\0\n[1]\n{\"by\":\n{\"torn\":");
    log.append(&event("a", 1, 1)).unwrap();
    add_raw(&sandbox, "{\"no\":\"line end\"}");
    assert_eq!(read(&sandbox.work()), (vec![event("a", 0, 1), event("a", 1, 1)], 5));
}

#[test]
fn the_oldest_half_is_dropped_at_a_line() {
    let sandbox = Sandbox::new();
    let log = EventLog::open(&LogFolder::new(&sandbox.work())).unwrap();
    let (mut n, mut longest) = (0, 0);
    while length(&sandbox) >= longest {
        longest = length(&sandbox);
        log.append(&event("a", n, 5_000 + n % 7)).unwrap();
        n += 1;
    }
    assert!(longest <= MAX_BYTES && longest > MAX_BYTES - 6_000, "{longest}");
    assert!(length(&sandbox) <= MAX_BYTES / 2 + 6_000 && length(&sandbox) > MAX_BYTES / 2 - 6_000);
    assert_eq!(sandbox.path(FILE).metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let (lines, torn) = read(&sandbox.work());
    assert_eq!(torn, 0);
    let kept: Vec<usize> = lines.iter().map(|line| maker(line).1).collect();
    assert_eq!(kept, (n - kept.len()..n).collect::<Vec<_>>());
    log.append(&event("a", n, 1)).unwrap();
    assert_eq!(maker(read(&sandbox.work()).0.last().unwrap()).1, n);
    assert_eq!(fs_err::read_dir(sandbox.work()).unwrap().count(), 1, "no temp file is left");
}

#[test]
fn a_file_that_is_far_too_long_is_read_from_its_end_and_cut() {
    let sandbox = Sandbox::new();
    let many = format!("{}\n", event("old", 1, 1_000)).repeat(30_000);
    add_raw(&sandbox, &many);
    add_raw(&sandbox, format!("{}\n", event("new", 1, 1)));
    let (lines, torn) = read(&sandbox.work());
    assert_eq!((torn, lines.last()), (0, Some(&event("new", 1, 1))));
    assert!(lines.len() < 10_000);
    EventLog::open(&LogFolder::new(&sandbox.work())).unwrap().append(&event("new", 2, 1)).unwrap();
    assert!(length(&sandbox) <= MAX_BYTES / 2 + 100);
    assert_eq!(read(&sandbox.work()).0.last(), Some(&event("new", 2, 1)));

    // One line without an end, of which nothing can be kept.
    sandbox.write(FILE, vec![0; 20 << 20]);
    assert_eq!(read(&sandbox.work()), (Vec::new(), 0));
    EventLog::open(&LogFolder::new(&sandbox.work())).unwrap().append(&event("new", 3, 1)).unwrap();
    assert_eq!(read(&sandbox.work()), (vec![event("new", 3, 1)], 0));
}

#[test]
fn a_log_goes_on_when_its_file_was_removed_or_replaced() {
    let sandbox = Sandbox::new();
    let log = EventLog::open(&LogFolder::new(&sandbox.work())).unwrap();
    log.append(&event("a", 0, 1)).unwrap();
    fs_err::remove_file(sandbox.path(FILE)).unwrap();
    log.append(&event("a", 1, 1)).unwrap();
    assert_eq!(read(&sandbox.work()).0, [event("a", 1, 1)]);
    sandbox.write("other", "");
    fs_err::rename(sandbox.path("other"), sandbox.path(FILE)).unwrap();
    log.append(&event("a", 2, 1)).unwrap();
    assert_eq!(read(&sandbox.work()).0, [event("a", 2, 1)]);
    assert_eq!(sandbox.path(FILE).metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_held_lock_does_not_block_writers() {
    let sandbox = Sandbox::new();
    let log = EventLog::open(&LogFolder::new(&sandbox.work())).unwrap();
    let held = fs_err::File::open(sandbox.path(FILE)).unwrap().into_file();
    held.lock().unwrap();
    for n in 0..1_000 {
        log.append(&event("a", n, 1)).unwrap();
    }
    assert_eq!(read(&sandbox.work()).0.len(), 1_000);
    add_raw(&sandbox, format!("{}\n", event("b", 0, 1_000)).repeat(10_000));
    assert!(
        matches!(log.append(&event("a", 0, 1)), Err(EventLogError::Locked(_))),
        "only the bound needs the lock"
    );
    // Not only closed: a child that another test is just starting may have a copy of it, and with it the lock.
    held.unlock().unwrap();
    log.append(&event("a", 1_000, 1)).unwrap();
    assert!(length(&sandbox) < MAX_BYTES);
}

/// Number of events the part appends: two parts together exceed the limit several times.
pub(crate) const MANY: usize = 3_000;

/// A part: appends many events under the name of its process.
#[test]
fn part_that_adds() {
    if parts::is_part("events::part_that_adds") {
        let log = EventLog::open(&LogFolder::new(&std::env::current_dir().unwrap())).unwrap();
        let by = std::process::id().to_string();
        for n in 0..MANY {
            log.append(&event(&by, n, 4_000)).unwrap();
        }
    }
}

#[test]
fn two_processes_at_once_lose_nothing_but_the_oldest() {
    let sandbox = Sandbox::new();
    let mut both = [(); 2].map(|()| parts::process(&sandbox, "events::part_that_adds").spawn().unwrap());
    for one in &mut both {
        assert!(one.wait().unwrap().success());
    }
    assert!(length(&sandbox) <= MAX_BYTES);
    let (lines, torn) = read(&sandbox.work());
    assert_eq!(torn, 0);
    for one in both {
        let by = one.id().to_string();
        let kept: Vec<usize> =
            lines.iter().map(|line| maker(line)).filter(|(who, _)| *who == by).map(|(_, n)| n).collect();
        assert_eq!(kept, (MANY - kept.len()..MANY).collect::<Vec<_>>(), "of {by}");
    }
}

#[test]
fn a_log_whose_folder_became_a_link_out_of_the_repository_gets_no_more_events() {
    let sandbox = Sandbox::new();
    let outside = sandbox.outside("elsewhere");
    fs_err::create_dir_all(&outside).unwrap();
    fs_err::create_dir_all(sandbox.path(".specs/x")).unwrap();
    let log = EventLog::open(&LogFolder::inside(&sandbox.work(), &sandbox.path(".specs/x"))).unwrap();
    log.append(&event("a", 0, 1)).unwrap();
    fs_err::rename(sandbox.path(".specs/x"), sandbox.path(".specs/y")).unwrap();
    symlink(&outside, sandbox.path(".specs/x")).unwrap();
    let refused = log.append(&event("a", 1, 1));
    assert!(matches!(refused, Err(EventLogError::Symlink(_))), "{refused:?}");
    assert_eq!(fs_err::read_dir(&outside).unwrap().count(), 0);
    assert_eq!(read(&sandbox.path(".specs/y")), (vec![event("a", 0, 1)], 0));
}
