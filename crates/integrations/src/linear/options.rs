//! Timeout and retries of the Linear client.

use charrette_http::RetryPolicy;
use std::time::Duration;

/// Timeout and retries of the Linear client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinearOptions {
    pub retry: RetryPolicy,
    /// Time limit of one try.
    pub timeout: Duration,
}

impl Default for LinearOptions {
    fn default() -> LinearOptions {
        let retry = RetryPolicy {
            max_tries: 5,
            first_wait: Duration::from_millis(500),
            max_wait: Duration::from_secs(30),
            jitter_seed: None,
        };
        LinearOptions { retry, timeout: Duration::from_secs(20) }
    }
}

impl LinearOptions {
    /// One short try: for a check that a person waits for.
    pub fn single_try() -> LinearOptions {
        let default = LinearOptions::default();
        LinearOptions {
            retry: RetryPolicy { max_tries: 1, ..default.retry },
            timeout: Duration::from_secs(10),
        }
    }
}
