//! Retries: exponential backoff with jitter, and `Retry-After`.

use backon::{BackoffBuilder as _, ConstantBuilder, ExponentialBuilder, Retryable as _};
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

/// Number of tries of a request, and the waits between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Maximum number of tries, the first one included.
    pub max_tries: u32,
    /// Wait after the first try, before jitter. It doubles with each try.
    pub first_wait: Duration,
    /// Maximum wait between two tries, jitter included. If the service asks for a longer wait, there is no retry.
    pub max_wait: Duration,
    /// Seed of the jitter; random if `None`.
    pub jitter_seed: Option<u64>,
}

/// The caller's verdict on a failed try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryVerdict {
    /// Another try is pointless, or not safe.
    Never,
    /// Another try after the policy's backoff.
    Backoff,
    /// Another try after the wait that the service asks for.
    After(Duration),
}

/// A wait that is about to begin.
#[derive(Debug)]
pub struct RetryWait<'a, E> {
    /// The failure of the last try.
    pub error: &'a E,
    /// Number of tries so far.
    pub tries: u32,
    pub wait: Duration,
}

impl RetryPolicy {
    /// Calls `request` until it succeeds, `classify` sees no point in a retry, or the policy's limits are
    /// reached; then the last error is returned. `on_wait` is called before each wait.
    ///
    /// Jitter only makes waits longer: a backoff by up to its own length, a wait that the service asks for by
    /// up to `first_wait`.
    pub async fn run<T, E, F: Future<Output = Result<T, E>>>(
        &self,
        request: impl FnMut() -> F,
        classify: impl Fn(&E) -> RetryVerdict,
        mut on_wait: impl FnMut(RetryWait<'_, E>),
    ) -> Result<T, E> {
        // Without its `std` feature, backon has the same seed in every process.
        let seed = self.jitter_seed.unwrap_or_else(random_seed);
        let retries = self.max_tries.saturating_sub(1) as usize;
        let backoff = ExponentialBuilder::new()
            .with_min_delay(self.first_wait)
            .with_max_delay(self.max_wait)
            .with_max_times(retries)
            .with_jitter()
            .with_jitter_seed(seed);
        let jitter = ConstantBuilder::new()
            .with_delay(self.first_wait)
            .with_max_times(retries)
            .with_jitter()
            .with_jitter_seed(seed);
        let mut jitter = jitter.build().map(|delay| delay.saturating_sub(self.first_wait));
        let mut tries = 0;
        request
            .retry(backoff)
            .adjust(|error, backoff| {
                let (backoff, jitter) = (backoff?, jitter.next()?);
                let wait = match classify(error) {
                    RetryVerdict::Never => return None,
                    RetryVerdict::After(wait) if wait > self.max_wait => return None,
                    RetryVerdict::After(wait) => wait.saturating_add(jitter),
                    RetryVerdict::Backoff => backoff,
                };
                Some(wait.min(self.max_wait))
            })
            .notify(|error, wait| {
                tries += 1;
                on_wait(RetryWait { error, tries, wait });
            })
            .await
    }
}

fn random_seed() -> u64 {
    // The keys of a new `RandomState` are random.
    RandomState::new().build_hasher().finish()
}
