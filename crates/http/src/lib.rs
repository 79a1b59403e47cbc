//! The one HTTP client. Nothing else in charrette builds a `reqwest::Client`.
//!
//! An [`HttpClient`] sends requests to one [`Address`]: without proxies and redirects, with timeouts, over TLS
//! unless the caller allows plain HTTP, and with body limits. Its errors never repeat the address or a header,
//! which may hold secrets. A [`RetryPolicy`] repeats a request with exponential backoff and jitter; the caller
//! decides which failures are worth a retry. A client by itself sends a request once.

mod address;
mod client;
mod error;
mod retry;

pub use address::{Address, AddressError, PlainHttp};
pub use client::{HttpClient, HttpResponse, Timeouts};
pub use error::HttpError;
pub use reqwest::{StatusCode, header};
pub use retry::{RetryPolicy, RetryVerdict, RetryWait};
