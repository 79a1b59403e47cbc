//! Following the event log: every line once, whatever happens to the file.

use crate::events::{MANY, add_raw, event, maker};
use crate::parts;
use charrette_store::LogFolder;
use charrette_store::events::{EventFollower, EventLog, FILE, MAX_BYTES, MAX_LINE_BYTES};
use charrette_testkit::Sandbox;
use std::collections::HashMap;
use std::os::unix::fs::symlink;

struct Stage {
    sandbox: Sandbox,
    follow: EventFollower,
    next: usize,
}

impl Stage {
    fn new() -> Stage {
        let sandbox = Sandbox::new();
        let follow = EventFollower::new(&sandbox.work());
        Stage { sandbox, follow, next: 0 }
    }

    /// Adds as many new events, as a log would.
    fn add(&mut self, many: usize) {
        let log = EventLog::open(&LogFolder::new(&self.sandbox.work())).unwrap();
        for _ in 0..many {
            log.append(&event("a", self.next, 1)).unwrap();
            self.next += 1;
        }
    }

    /// The numbers of the events that are new.
    fn new_ones(&mut self) -> Vec<usize> {
        self.follow.next_lines().unwrap().iter().map(|line| maker(line).1).collect()
    }
}

#[test]
fn existing_events_come_first_then_new_ones() {
    let mut stage = Stage::new();
    assert_eq!(stage.new_ones(), [0; 0], "there is no file yet");
    stage.add(0);
    assert_eq!(stage.new_ones(), [0; 0], "it is empty");
    stage.add(2);
    assert_eq!(stage.new_ones(), [0, 1]);
    assert_eq!(stage.new_ones(), [0; 0]);
    stage.add(1);
    assert_eq!(stage.new_ones(), [2]);
    assert_eq!(EventFollower::new(&stage.sandbox.work()).next_lines().unwrap().len(), 3);
}

#[test]
fn a_torn_tail_is_held_back_until_its_line_ends() {
    let mut stage = Stage::new();
    let line = event("a", 7, 10);
    add_raw(&stage.sandbox, &line[..5]);
    assert_eq!(stage.new_ones(), [0; 0]);
    add_raw(&stage.sandbox, &line[5..]);
    assert_eq!(stage.new_ones(), [0; 0]);
    add_raw(&stage.sandbox, "\nrubbish\n\0\n");
    assert_eq!(stage.new_ones(), [7]);
    add_raw(&stage.sandbox, "{\"torn\":");
    stage.add(1);
    assert_eq!(stage.new_ones(), [0], "a log ends the line that somebody tore");
}

#[test]
fn a_line_that_is_too_long_is_passed_over() {
    let mut stage = Stage::new();
    stage.add(1);
    for _ in 0..3 {
        add_raw(&stage.sandbox, "x".repeat(MAX_LINE_BYTES));
        stage.new_ones();
    }
    add_raw(&stage.sandbox, "x\n");
    stage.add(1);
    assert_eq!(stage.new_ones(), [1]);
}

#[test]
fn of_a_file_that_is_far_too_long_the_end_is_read() {
    let mut stage = Stage::new();
    stage.sandbox.write(FILE, vec![b'x'; 30 << 20]);
    add_raw(&stage.sandbox, format!("\n{}\n", event("a", 1, 1)));
    assert_eq!(stage.new_ones(), [1]);
    add_raw(&stage.sandbox, format!("{}\n", event("a", 2, 1)));
    assert_eq!(stage.new_ones(), [2]);
}

#[test]
fn a_file_that_was_cut_is_read_on() {
    let mut stage = Stage::new();
    stage.add(4);
    assert_eq!(stage.new_ones().len(), 4);
    let file = fs_err::OpenOptions::new().write(true).open(stage.sandbox.path(FILE)).unwrap();

    file.set_len(60).unwrap();
    assert_eq!(stage.new_ones(), [0; 0], "what is left is known");
    stage.add(1);
    assert_eq!(stage.new_ones(), [4]);

    file.set_len(0).unwrap();
    assert_eq!(stage.new_ones(), [0; 0]);
    stage.add(1);
    assert_eq!(stage.new_ones(), [5]);

    file.set_len(0).unwrap();
    stage.add(5);
    assert_eq!(stage.new_ones(), [6, 7, 8, 9, 10], "written again before anybody looked");
}

#[test]
fn a_file_that_was_removed_is_awaited() {
    let mut stage = Stage::new();
    stage.add(2);
    stage.new_ones();
    stage.add(1);
    fs_err::remove_file(stage.sandbox.path(FILE)).unwrap();
    assert_eq!(stage.new_ones(), [2], "its end can still be read");
    assert_eq!(stage.new_ones(), [0; 0]);
    stage.add(1);
    assert_eq!(stage.new_ones(), [3]);
    fs_err::remove_file(stage.sandbox.path(FILE)).unwrap();
    stage.add(1);
    assert_eq!(stage.new_ones(), [4], "made again before anybody looked");
}

#[test]
fn a_file_that_was_replaced_by_its_end_repeats_nothing() {
    let mut stage = Stage::new();
    stage.add(6);
    assert_eq!(stage.new_ones().len(), 6);
    stage.add(2);
    let end = stage.sandbox.read(FILE).split_inclusive('\n').skip(5).collect::<String>();
    stage.sandbox.write("shorter", end);
    fs_err::rename(stage.sandbox.path("shorter"), stage.sandbox.path(FILE)).unwrap();
    stage.add(1);
    assert_eq!(stage.new_ones(), [6, 7, 8]);

    stage.sandbox.write("other", format!("{}\n", event("a", 100, 1)));
    fs_err::rename(stage.sandbox.path("other"), stage.sandbox.path(FILE)).unwrap();
    assert_eq!(stage.new_ones(), [100], "a file of its own");
}

#[test]
fn a_file_of_one_line_over_and_over_is_compared_in_no_time() {
    let mut stage = Stage::new();
    let same = format!("{}\n", event("a", 1, 1)).repeat(200_000);
    stage.sandbox.write(FILE, &same);
    stage.new_ones();
    stage.sandbox.write("other", &same[..same.len() / 2]);
    fs_err::rename(stage.sandbox.path("other"), stage.sandbox.path(FILE)).unwrap();
    assert_eq!(stage.new_ones(), [0; 0]);
}

#[test]
fn every_event_comes_once_across_replacements() {
    let mut stage = Stage::new();
    let log = EventLog::open(&LogFolder::new(&stage.sandbox.work())).unwrap();
    let mut found = Vec::new();
    let (mut last, mut replaced, mut n) = (0, 0, 0);
    while replaced < 2 {
        log.append(&event("a", n, 6_000)).unwrap();
        n += 1;
        let length = stage.sandbox.path(FILE).metadata().unwrap().len();
        replaced += usize::from(length < last);
        last = length;
        if n % 100 == 0 {
            found.extend(stage.new_ones());
        }
    }
    found.extend(stage.new_ones());
    assert_eq!(found, (0..n).collect::<Vec<_>>());
    assert!(last <= MAX_BYTES);
}

#[test]
fn a_link_is_an_error_that_loses_nothing() {
    let mut stage = Stage::new();
    stage.add(1);
    stage.new_ones();
    stage.add(1);
    fs_err::remove_file(stage.sandbox.path(FILE)).unwrap();
    symlink(stage.sandbox.path("target"), stage.sandbox.path(FILE)).unwrap();
    assert_eq!(stage.new_ones(), [1]);
    assert!(stage.follow.next_lines().is_err());
    fs_err::remove_file(stage.sandbox.path(FILE)).unwrap();
    stage.add(1);
    assert_eq!(stage.new_ones(), [2]);
}

#[test]
fn a_reader_sees_two_processes_in_order_while_the_file_is_replaced() {
    let sandbox = Sandbox::new();
    let mut both = [(); 2].map(|()| parts::process(&sandbox, "events::part_that_adds").spawn().unwrap());
    let mut follow = EventFollower::new(&sandbox.work());
    let mut last: HashMap<String, usize> = HashMap::new();
    loop {
        let are_done = both.iter_mut().all(|one| one.try_wait().unwrap().is_some());
        for line in follow.next_lines().unwrap() {
            let (by, n) = maker(&line);
            let before = last.insert(by, n);
            assert!(before.is_none_or(|before| before < n), "{n} after {before:?}");
        }
        if are_done {
            break;
        }
    }
    // A slow reader may miss what was dropped from the file meanwhile, but never its last line.
    assert!(both.iter().any(|one| last.get(&one.id().to_string()) == Some(&(MANY - 1))), "{last:?}");
}
