//! Async runtime of a command, cancelled by signals.

use charrette_app::AppError;
use charrette_engine::Cancel;

/// Runs `work` on a single-threaded runtime; SIGINT, SIGTERM, SIGHUP and SIGQUIT request its cancellation.
pub(crate) fn block_on<T>(work: impl AsyncFnOnce(Cancel) -> Result<T, AppError>) -> Result<T, AppError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| AppError::failed(format!("cannot start the async runtime: {error}")))?;
    let cancel = Cancel::default();
    cancel_on_signals(&cancel)
        .map_err(|error| AppError::failed(format!("cannot install signal handlers: {error}")))?;
    runtime.block_on(work(cancel))
}

/// Requests cancellation on SIGINT, SIGTERM and SIGHUP. A second signal makes the request urgent, and so does SIGQUIT
/// (Ctrl-\) by itself: left to its default it would end this process with its agents at work.
///
/// Signals are received on a thread of their own: the main one may be waiting for a lock.
fn cancel_on_signals(cancel: &Cancel) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let receivers = runtime.block_on(async {
        let once = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let requests = once.map(|kind| (kind, 1)).into_iter().chain([(SignalKind::quit(), 2)]);
        let receivers = requests.map(|(kind, requests)| Ok((signal(kind)?, requests)));
        receivers.collect::<std::io::Result<Vec<_>>>()
    })?;
    let cancel = cancel.clone();
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        runtime.block_on(async move {
            let mut tasks = tokio::task::JoinSet::new();
            for (mut signals, requests) in receivers {
                let cancel = cancel.clone();
                tasks.spawn(async move {
                    while signals.recv().await.is_some() {
                        charrette_store::lock::interrupt_waits();
                        charrette_git::interrupt_calls();
                        (0..requests).for_each(|_| cancel.request());
                    }
                });
            }
            tasks.join_all().await;
        });
    })?;
    Ok(())
}
