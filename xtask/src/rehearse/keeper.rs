//! Keeps the calls of a queue: their texts are removed when a run ends, so they are copied while it goes on. The copy has
//! the form of the queue and is read with [`super::queue::read_queue`].

use super::queue::{ANSWER, CALL, PROMPT, TAKEN, folders};
use crate::TaskResult;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Pause between two looks. Between the last answer and the end of a run many files are written, so none is missed.
const PAUSE: Duration = Duration::from_millis(50);

/// Background thread that copies new calls and answers.
pub(crate) struct QueueKeeper {
    stops: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<()>>,
    to: PathBuf,
}

impl QueueKeeper {
    /// Begins to copy from `queue` to `to`; both may not exist yet.
    pub(crate) fn start(queue: &Path, to: &Path) -> QueueKeeper {
        let stops = Arc::new(AtomicBool::new(false));
        let (queue, copy, flag) = (queue.to_owned(), to.to_owned(), Arc::clone(&stops));
        let thread = std::thread::spawn(move || {
            while !flag.load(Ordering::Relaxed) {
                keep_calls(&queue, &copy)?;
                std::thread::sleep(PAUSE);
            }
            keep_calls(&queue, &copy)
        });
        QueueKeeper { stops, thread, to: to.to_owned() }
    }

    /// Copies what is left and ends. Returns the number of calls without an answer.
    pub(crate) fn finish(self) -> TaskResult<usize> {
        self.stops.store(true, Ordering::Relaxed);
        match self.thread.join() {
            Ok(result) => result?,
            Err(_) => return Err("the copy of the queue failed".into()),
        }
        let mut unanswered = 0;
        for agent in folders(&self.to)? {
            unanswered += folders(&agent)?.iter().filter(|call| !call.join(ANSWER).is_file()).count();
        }
        Ok(unanswered)
    }
}

/// Copies every call and answer that is not in the copy yet.
fn keep_calls(queue: &Path, to: &Path) -> io::Result<()> {
    for agent in folders(queue)? {
        for call in folders(&agent)? {
            let (Some(agent), Some(id)) = (agent.file_name(), call.file_name()) else { continue };
            let kept = to.join(agent).join(id);
            if !kept.join(CALL).is_file() {
                // A call may end between two looks; its record stays, its texts go.
                let (Ok(record), Ok(prompt)) =
                    (std::fs::read(call.join(CALL)), std::fs::read(call.join(PROMPT)))
                else {
                    continue;
                };
                fs_err::create_dir_all(&kept)?;
                fs_err::write(kept.join(PROMPT), prompt)?;
                replace(&kept.join(CALL), &record)?;
            }
            if !kept.join(ANSWER).is_file() {
                let answer = std::fs::read(call.join(ANSWER)).or_else(|_| std::fs::read(call.join(TAKEN)));
                if let Ok(answer) = answer {
                    replace(&kept.join(ANSWER), &answer)?;
                }
            }
        }
    }
    Ok(())
}

/// Writes a file through a temporary one: a file that is there is whole.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = path.with_extension("new");
    fs_err::write(&temporary, bytes)?;
    fs_err::rename(&temporary, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearse::read_queue;

    #[test]
    fn texts_survive_the_end_of_their_calls() {
        let folder = tempfile::tempdir().unwrap();
        let (queue, copy) = (folder.path().join("queue"), folder.path().join("kept"));
        keep_calls(&queue, &copy).unwrap();
        let call = queue.join("claude/0123456789abcdef");
        fs_err::create_dir_all(&call).unwrap();
        fs_err::write(call.join(CALL), r#"{"run": "r", "seat": "planner", "step": "planner"}"#).unwrap();
        fs_err::write(call.join(PROMPT), "Plan.").unwrap();
        keep_calls(&queue, &copy).unwrap();
        fs_err::write(call.join(TAKEN), "The plan.").unwrap();
        keep_calls(&queue, &copy).unwrap();
        for name in [PROMPT, TAKEN] {
            fs_err::remove_file(call.join(name)).unwrap();
        }
        keep_calls(&queue, &copy).unwrap();
        assert_eq!(read_queue(&queue, None).unwrap(), [], "a call that is over has no texts");
        let kept = read_queue(&copy, Some("r")).unwrap();
        assert_eq!((kept[0].prompt.as_str(), kept[0].answer.as_deref()), ("Plan.", Some("The plan.")));
        let keeper = QueueKeeper::start(&queue, &copy);
        assert_eq!(keeper.finish().unwrap(), 0);
    }
}
