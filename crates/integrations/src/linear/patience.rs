//! How often and how long something is tried.

use std::time::Duration;

/// How often and how long something is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How often in all.
    pub attempts: u32,
    /// The wait after the first attempt; it doubles from there.
    pub first_wait: Duration,
    /// The longest wait between two attempts, even if the service asks for more.
    pub longest_wait: Duration,
    /// How long one attempt may take.
    pub attempt: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            attempts: 5,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(30),
            attempt: Duration::from_secs(20),
        }
    }
}

impl Patience {
    /// For a check that a person waits for.
    pub fn brief() -> Patience {
        Patience { attempts: 1, attempt: Duration::from_secs(10), ..Patience::default() }
    }

    /// How long to wait after that attempt, from 1; none if there is no point in trying again.
    pub(super) fn wait(&self, attempt: u32, asked: Option<Duration>) -> Option<Duration> {
        if attempt >= self.attempts || asked.is_some_and(|asked| asked > self.longest_wait) {
            return None;
        }
        let doubled = self.first_wait.saturating_mul(2_u32.saturating_pow(attempt - 1));
        Some(asked.unwrap_or(doubled).min(self.longest_wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_what_the_service_asks_for_counts_up_to_a_limit() {
        let seconds = Duration::from_secs;
        let patience =
            Patience { attempts: 5, first_wait: seconds(2), longest_wait: seconds(10), attempt: seconds(1) };
        for (attempt, asked, wait) in [
            (1, None, Some(2)),
            (2, None, Some(4)),
            (3, None, Some(8)),
            (4, None, Some(10)),
            (5, None, None),
            (1, Some(7), Some(7)),
            (1, Some(0), Some(0)),
            (1, Some(11), None),
            (5, Some(1), None),
        ] {
            let found = patience.wait(attempt, asked.map(seconds));
            assert_eq!(found, wait.map(seconds), "attempt {attempt}, asked for {asked:?}");
        }
    }
}
