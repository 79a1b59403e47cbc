//! Forecast of a call's usage from past calls.

use super::call::CallRecord;
use crate::checkpoint::Usage;

/// Median usage of the seat's past answered calls, each figure by itself; `None` if none of them reported
/// usage.
///
/// For an even number of calls it is the mean of the middle two. Dollars are forecast from calls with a price
/// only.
pub fn forecast(seat: &str, past: &[CallRecord]) -> Option<Usage> {
    let calls: Vec<&CallRecord> =
        past.iter().filter(|call| call.seat == seat && call.is_answered()).collect();
    let tokens =
        |of: fn(&CallRecord) -> Option<u64>| median(calls.iter().filter_map(|call| of(call)).collect());
    let usd = median_usd(calls.iter().filter_map(|call| call.price()).collect());
    let [input, output, cached] =
        [tokens(|call| call.input), tokens(|call| call.output), tokens(|call| call.cached)];
    if [input, output, cached].iter().all(Option::is_none) && usd.is_none() {
        return None;
    }
    Some(Usage { input: input.unwrap_or(0), output: output.unwrap_or(0), cached: cached.unwrap_or(0), usd })
}

fn median(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get((values.len() - 1) / 2)?;
    Some(lower.midpoint(upper))
}

fn median_usd(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get((values.len() - 1) / 2)?;
    Some(f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::super::call::tests::call;
    use super::*;

    #[test]
    fn the_median_of_answered_calls_of_that_seat() {
        let usage = |input, usd| Some(Usage { input, output: 2, cached: 0, usd });
        let mut past = vec![
            call("a", "x", "ok", usage(100, Some(0.1))),
            call("a", "x", "ok", usage(1, None)),
            call("a", "x", "timed out", usage(9999, Some(99.0))),
            call("b", "x", "ok", usage(7777, Some(7.0))),
            call("a", "y", "ok", None),
            call("a", "y", "ok", usage(50, Some(0.3))),
        ];
        let expected = Usage { input: 50, output: 2, cached: 0, usd: Some(0.2) };
        assert_eq!(forecast("a", &past), Some(expected));
        past.push(call("a", "x", "ok", usage(60, None)));
        assert_eq!(forecast("a", &past).unwrap().input, 55);
        assert_eq!(forecast("c", &past), None);
        assert_eq!(forecast("a", &past[4..5]), None);
    }
}
