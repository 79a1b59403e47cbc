//! The retry policy under paused time: waits pass at once, and are measured.

use charrette_http::{RetryPolicy, RetryVerdict};
use std::time::Duration;
use tokio::time::Instant;

const POLICY: RetryPolicy = RetryPolicy {
    max_tries: 5,
    first_wait: Duration::from_secs(2),
    max_wait: Duration::from_secs(10),
    jitter_seed: None,
};

/// Fails every time; returns the number of tries and the waits that were reported, in seconds.
async fn fail(policy: RetryPolicy, verdict: RetryVerdict) -> (u32, Vec<f64>) {
    let (mut tries, mut waits) = (0, Vec::new());
    let start = Instant::now();
    let request = || {
        tries += 1;
        std::future::ready(Err::<(), u32>(tries))
    };
    let failed = policy.run(
        request,
        |_| verdict,
        |wait| {
            assert_eq!(*wait.error, wait.tries);
            waits.push(wait.wait);
        },
    );
    assert_eq!(failed.await, Err(tries), "the last error is returned");
    assert!(start.elapsed() >= waits.iter().sum(), "every wait is slept");
    (tries, waits.iter().map(Duration::as_secs_f64).collect())
}

#[tokio::test(start_paused = true)]
async fn waits_double_with_jitter_up_to_the_limit() {
    for _ in 0..100 {
        let (tries, waits) = fail(POLICY, RetryVerdict::Backoff).await;
        assert_eq!((tries, waits.len()), (5, 4));
        for (wait, [least, most]) in waits.iter().zip([[2.0, 4.0], [4.0, 8.0], [8.0, 10.0], [10.0, 10.0]]) {
            assert!((least..=most).contains(wait), "{waits:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_service_is_given_at_least_the_time_it_asks_for() {
    for _ in 0..100 {
        let (tries, waits) = fail(POLICY, RetryVerdict::After(Duration::from_secs(7))).await;
        assert_eq!((tries, waits.len()), (5, 4));
        assert!(waits.iter().all(|wait| (7.0..=9.0).contains(wait)), "{waits:?}");
    }
    let (_, waits) = fail(POLICY, RetryVerdict::After(Duration::from_secs(10))).await;
    assert_eq!(waits, [10.0; 4], "jitter does not exceed the limit");
    let (tries, waits) = fail(POLICY, RetryVerdict::After(Duration::from_secs(11))).await;
    assert_eq!((tries, waits.len()), (1, 0), "a longer wait than the limit ends the tries");
}

#[tokio::test(start_paused = true)]
async fn pointless_and_forbidden_retries_do_not_happen() {
    assert_eq!(fail(POLICY, RetryVerdict::Never).await.0, 1);
    for max_tries in [0, 1] {
        assert_eq!(fail(RetryPolicy { max_tries, ..POLICY }, RetryVerdict::Backoff).await.0, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn jitter_follows_from_its_seed_and_is_random_without_one() {
    let seeded = |seed| RetryPolicy { jitter_seed: Some(seed), ..POLICY };
    let first = fail(seeded(1), RetryVerdict::Backoff).await;
    assert_eq!(first, fail(seeded(1), RetryVerdict::Backoff).await);
    assert_ne!(first, fail(seeded(2), RetryVerdict::Backoff).await);
    assert_ne!(fail(POLICY, RetryVerdict::Backoff).await, fail(POLICY, RetryVerdict::Backoff).await);
}
