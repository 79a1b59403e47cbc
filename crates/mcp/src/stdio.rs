//! Serves over standard input and output. The output is claimed once: everything else that prints goes to standard error.

use crate::place::Place;
use crate::server::Server;
use charrette_app::AppError;
use rmcp::service::{ServerInitializeError, serve_server};
use rmcp::transport::async_rw::AsyncRwTransport;
use rustix::fs::FileType;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::pipe;

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
        let transport =
            AsyncRwTransport::new_server(open_input(), open_output(output)).with_max_line_length(MAX_LINE);
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

/// Standard input. A pipe is read without a thread of its own, which takes a third of the time of a call.
fn open_input() -> Box<dyn AsyncRead + Send + Unpin> {
    match pipe_path(io::stdin().as_fd()).and_then(|path| pipe::OpenOptions::new().open_receiver(path)) {
        Ok(pipe) => Box::new(pipe),
        Err(_) => Box::new(tokio::io::stdin()),
    }
}

fn open_output(output: File) -> Box<dyn AsyncWrite + Send + Unpin> {
    match pipe_path(output.as_fd()).and_then(|path| pipe::OpenOptions::new().open_sender(path)) {
        Ok(pipe) => Box::new(pipe),
        Err(_) => Box::new(tokio::fs::File::from_std(output)),
    }
}

/// Path at which a pipe can be opened again (Linux): what is set for that, such as not to block, is not set for others
/// that have the same pipe. An error for anything else.
fn pipe_path(stream: BorrowedFd<'_>) -> io::Result<String> {
    let kind = FileType::from_raw_mode(rustix::fs::fstat(stream)?.st_mode);
    if kind == FileType::Fifo {
        Ok(format!("/proc/self/fd/{}", stream.as_raw_fd()))
    } else {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Takes standard output for the protocol and puts standard error in its place.
fn claim_output() -> io::Result<File> {
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdout(io::stderr())?;
    Ok(File::from(output))
}
