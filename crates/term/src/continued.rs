//! Counts how often this process was continued after it was stopped: by `fg` after Ctrl-Z, or by another program.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

static COUNT: AtomicUsize = AtomicUsize::new(0);

/// How often this process was continued since this was asked first.
pub(crate) fn count() -> usize {
    static IS_COUNTING: OnceLock<bool> = OnceLock::new();
    // Without the count a session goes on after a moment, as in a group that cannot be stopped.
    IS_COUNTING.get_or_init(|| start_counting().is_ok());
    COUNT.load(Ordering::Relaxed)
}

/// Counts on a thread of its own, because others wait for keys or for agents.
fn start_counting() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let kind = SignalKind::from_raw(rustix::process::Signal::CONT.as_raw());
    let mut continued = {
        let _inside = runtime.enter();
        signal(kind)?
    };
    std::thread::Builder::new().name("continued".to_owned()).spawn(move || {
        runtime.block_on(async move {
            while continued.recv().await.is_some() {
                COUNT.fetch_add(1, Ordering::Relaxed);
            }
        });
    })?;
    Ok(())
}
