//! Serves over standard input and output. The output is claimed once: everything else that prints goes to standard error.

use crate::place::Place;
use crate::server::Server;
use charrette_app::AppError;
use rmcp::service::{ServerInitializeError, serve_server};
use rmcp::transport::async_rw::AsyncRwTransport;
use std::fs::File;
use std::io;
use std::os::fd::AsFd as _;

/// Maximum length of an incoming line in bytes; longer ones are dropped.
const MAX_LINE: usize = 4 << 20;
/// Maximum number of calls that work at the same time; the others wait for their turn.
const MAX_WORKERS: usize = 8;

/// Serves until the host closes standard input.
pub fn serve(place: Place) -> Result<(), AppError> {
    let failed = |error: io::Error| AppError::failed(format!("cannot serve: {error}"));
    let output = claim_output().map_err(failed)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_WORKERS)
        .build()
        .map_err(failed)?;
    let served = runtime.block_on(async {
        let streams = (tokio::io::stdin(), tokio::fs::File::from_std(output));
        let transport = AsyncRwTransport::new_server(streams.0, streams.1).with_max_line_length(MAX_LINE);
        match serve_server(Server::new(place), transport).await {
            Ok(running) => running.waiting().await.map(drop).map_err(|error| error.to_string()),
            // The host left before it had said anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    });
    // A thread may still be reading standard input.
    runtime.shutdown_background();
    served.map_err(|error| AppError::failed(format!("the connection to the host failed: {error}")))
}

/// Takes standard output for the protocol and puts standard error in its place.
fn claim_output() -> io::Result<File> {
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(File::from(output))
}
