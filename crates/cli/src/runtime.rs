//! Async runtime of a command, cancelled by signals.

use charrette_app::AppError;
use charrette_engine::Cancel;

/// Runs `work` on a single-threaded runtime; SIGINT, SIGTERM and SIGHUP request its cancellation.
pub(crate) fn block_on<T>(work: impl AsyncFnOnce(Cancel) -> Result<T, AppError>) -> Result<T, AppError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| AppError::failed(format!("cannot start the async runtime: {error}")))?;
    runtime.block_on(async {
        let cancel = Cancel::default();
        cancel_on_signals(&cancel)
            .map_err(|error| AppError::failed(format!("cannot install signal handlers: {error}")))?;
        work(cancel).await
    })
}

/// Requests cancellation on SIGINT, SIGTERM and SIGHUP. A second signal makes the request urgent.
fn cancel_on_signals(cancel: &Cancel) -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let mut signals = signal(kind)?;
        let cancel = cancel.clone();
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                cancel.request();
            }
        });
    }
    Ok(())
}
