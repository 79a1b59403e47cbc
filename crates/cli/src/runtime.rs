//! The runtime that agents are waited for in, and the signals that ask for the end.

use charrette_app::AppError;
use charrette_engine::Cancel;

/// A runtime, and a request to end that listens to the signals that mean it.
pub(crate) fn block_on<T>(work: impl AsyncFnOnce(Cancel) -> Result<T, AppError>) -> Result<T, AppError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| AppError::failed(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let cancel = Cancel::default();
        listen(&cancel).map_err(|error| AppError::failed(format!("cannot listen for signals: {error}")))?;
        work(cancel).await
    })
}

/// Turns the signals that mean "end" into a request to end. A second one makes it urgent, nothing worse.
fn listen(cancel: &Cancel) -> std::io::Result<()> {
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
