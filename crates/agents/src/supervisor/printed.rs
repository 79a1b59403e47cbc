//! Talking to a process that is given a text and prints something.

use super::clocks::{Clocks, Pulse};
use super::errand::Feed;
use super::lines::Piece;
use super::supervise::{Ears, Report, parts};
use crate::group::Group;
use crate::outcome::{Clock, Failure, FailureKind};
use crate::stream::{End, Reader};
use charrette_engine::Cancel;
use charrette_engine::cancel::Urgency;
use std::process::ExitStatus;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::ChildStdin;
use tokio::time::Instant;

/// How long the pipes of a process that has ended may stay open: somebody it started may hold them.
const DRAIN: Duration = Duration::from_millis(500);

/// What is said of one that answered and had to be ended.
const LINGERED: &str = "answered but did not exit; it was ended";

/// Why listening came to an end.
enum Stop {
    /// It ended by itself.
    Ended,
    /// It has answered, and did not end.
    Lingered,
    /// A clock ran out.
    Clock(Clock),
    /// Its vendor says to wait, or it floods us.
    Trouble(FailureKind),
    /// We were asked to end.
    Interrupted,
}

/// Feeds it, listens to it, ends it, and says what it came to.
pub(super) async fn attend(
    group: Group,
    ears: Ears,
    (feed, reader): (Feed, Box<dyn Reader>),
    (clocks, ends_on_rate_limit): (Clocks, bool),
    cancel: &Cancel,
) -> Report {
    let pulse = Pulse::start();
    let mut attended = Attended { group, reader, ears, clocks, pulse, ends_on_rate_limit, status: None };
    let stop = attended.listen(feed, cancel).await;
    let status = match (&stop, attended.status) {
        (Stop::Ended, Some(status)) => Some(status),
        _ => attended.group.end(clocks.grace, cancel).await,
    };
    attended.judged(&stop, status)
}

/// A process that is being listened to.
struct Attended {
    group: Group,
    reader: Box<dyn Reader>,
    ears: Ears,
    clocks: Clocks,
    pulse: Pulse,
    ends_on_rate_limit: bool,
    status: Option<ExitStatus>,
}

impl Attended {
    /// Feeds it and listens to it until it has ended or must be ended.
    async fn listen(&mut self, feed: Feed, cancel: &Cancel) -> Stop {
        let child = self.group.child();
        let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
        let mut feeding = Box::pin(give(child.stdin.take(), feed));
        let (mut fed, mut heard, mut complaint) = (false, vec![0; 64 << 10], vec![0; 8 << 10]);
        let mut linger: Option<Instant> = None;
        let mut drain: Option<Instant> = None;
        loop {
            if self.status.is_some() && stdout.is_none() && stderr.is_none() {
                return Stop::Ended;
            }
            let (deadline, clock) = self.pulse.next(&self.clocks);
            let until = drain.or(linger).unwrap_or(deadline).min(deadline);
            tokio::select! {
                read = hear(&mut stdout, &mut heard), if stdout.is_some() => {
                    if read == 0 {
                        continue;
                    }
                    self.pulse.beat();
                    self.ears.stdout.hear(&heard[..read], |piece| read_piece(&mut *self.reader, piece));
                    if let Some(trouble) = self.trouble() {
                        return Stop::Trouble(trouble);
                    }
                    // More may follow, even after an answer: then that is what counts.
                    linger = self.reader.is_complete().then(|| Instant::now() + 2 * self.clocks.grace);
                }
                read = hear(&mut stderr, &mut complaint), if stderr.is_some() => {
                    self.ears.stderr.hear(&complaint[..read], |piece| read_aside(&mut *self.reader, piece));
                    if let Some(trouble) = self.trouble() {
                        return Stop::Trouble(trouble);
                    }
                }
                () = &mut feeding, if !fed => fed = true,
                status = self.group.child().wait(), if self.status.is_none() => {
                    self.status = status.ok();
                    drain = Some(Instant::now() + DRAIN);
                    if self.status.is_none() {
                        return Stop::Ended;
                    }
                }
                () = tokio::time::sleep_until(until) => {
                    return if self.status.is_some() {
                        Stop::Ended
                    } else if linger.is_some_and(|linger| linger <= Instant::now()) {
                        Stop::Lingered
                    } else {
                        Stop::Clock(clock)
                    };
                }
                () = cancel.requested(Urgency::Soon) => return Stop::Interrupted,
            }
        }
    }

    fn trouble(&self) -> Option<FailureKind> {
        if self.ears.stdout.total().max(self.ears.stderr.total()) > self.ears.flood {
            return Some(FailureKind::Flood);
        }
        match self.reader.trouble()? {
            FailureKind::RateLimit { .. } if !self.ends_on_rate_limit => None,
            trouble => Some(trouble),
        }
    }

    /// What it came to, in the light of why it ended.
    fn judged(self, stop: &Stop, status: Option<ExitStatus>) -> Report {
        let Attended { mut reader, ears, clocks, pulse, .. } = self;
        let elapsed = pulse.elapsed();
        let bytes = ears.stdout.total();
        let (said, unwritten) = ears.stdout.finish(|piece| read_piece(&mut *reader, piece));
        let (complained, _) = ears.stderr.finish(|piece| read_aside(&mut *reader, piece));
        let (code, signal) = parts(status);
        let mut outcome = reader.outcome(&End { code, signal, stderr: &complained });
        let fail = |kind, message: String| Err(Failure { kind, message });
        match stop {
            Stop::Interrupted => outcome.answer = fail(FailureKind::Interrupted, "interrupted".to_owned()),
            Stop::Lingered => outcome.notes.push(LINGERED.to_owned()),
            // Its reader gives an answer for one that was ended only if there is one.
            Stop::Clock(_) if outcome.answer.is_ok() => outcome.notes.push(LINGERED.to_owned()),
            Stop::Clock(clock) => {
                outcome.answer = fail(FailureKind::Clock(*clock), clocks.verdict(*clock, elapsed));
            }
            Stop::Trouble(FailureKind::Flood) => {
                outcome.answer =
                    fail(FailureKind::Flood, format!("ended after it had printed {bytes} bytes"));
            }
            Stop::Trouble(kind @ FailureKind::RateLimit { retry_after }) => {
                let wait = retry_after.map_or_else(String::new, |wait| format!(" for {}s", wait.as_secs()));
                outcome.answer = fail(*kind, format!("its vendor says to wait{wait}"));
            }
            Stop::Trouble(kind) => {
                let last = complained.lines().rev().find(|line| !line.trim().is_empty());
                outcome.answer = match outcome.answer {
                    Ok(_) => fail(*kind, format!("could not go on: {}", last.unwrap_or("it said nothing"))),
                    Err(failure) => Err(Failure { kind: *kind, ..failure }),
                };
            }
            Stop::Ended => {}
        }
        if let Some(error) = unwritten {
            outcome.notes.push(format!("what it printed could not all be kept: {error}"));
        }
        Report { outcome, code, signal, elapsed, bytes, said, complained, left_behind: 0 }
    }
}

fn read_piece(reader: &mut dyn Reader, piece: Piece<'_>) {
    match piece {
        Piece::Line(line) => reader.line(line),
        Piece::Part(part, ends) => reader.part(part, ends),
    }
}

fn read_aside(reader: &mut dyn Reader, piece: Piece<'_>) {
    if let Piece::Line(line) = piece {
        reader.aside(line);
    }
}

/// Reads what there is. Nothing means that the pipe is closed; it is forgotten then.
async fn hear(pipe: &mut Option<impl AsyncRead + Unpin>, buffer: &mut [u8]) -> usize {
    let Some(open) = pipe else { return 0 };
    let read = open.read(buffer).await.unwrap_or(0);
    if read == 0 {
        *pipe = None;
    }
    read
}

async fn give(pipe: Option<ChildStdin>, feed: Feed) {
    if let (Some(mut pipe), Feed::Text(text)) = (pipe, feed) {
        // It may answer without having read everything.
        let _ = pipe.write_all(text.as_bytes()).await;
        let _ = pipe.shutdown().await;
    }
}
