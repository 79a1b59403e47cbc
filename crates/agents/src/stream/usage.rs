//! Arithmetic with token usage.

use charrette_model::checkpoint::Usage;

/// Usage of one call: the `total` of its session without the `earlier` usage.
///
/// A total below the earlier one was reset, so it is the usage of the call.
pub(crate) fn subtract_earlier(total: &Usage, earlier: Option<&Usage>) -> Usage {
    let Some(earlier) = earlier else { return total.clone() };
    let is_continued =
        total.input >= earlier.input && total.output >= earlier.output && total.cached >= earlier.cached;
    if !is_continued {
        return total.clone();
    }
    Usage {
        input: total.input - earlier.input,
        output: total.output - earlier.output,
        cached: total.cached - earlier.cached,
        usd: total.usd.zip(earlier.usd).map(|(total, earlier)| round_usd(total - earlier).max(0.0)),
    }
}

/// Sum of two usages. If one cost is unknown, so is the sum.
pub(crate) fn add_usage(one: &Usage, other: &Usage) -> Usage {
    Usage {
        input: one.input.saturating_add(other.input),
        output: one.output.saturating_add(other.output),
        cached: one.cached.saturating_add(other.cached),
        usd: one.usd.zip(other.usd).map(|(one, other)| round_usd(one + other)),
    }
}

/// Dollars, rounded to a billionth: sums of binary fractions are not exact.
pub(crate) fn round_usd(usd: f64) -> f64 {
    (usd * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64, cached: u64, usd: Option<f64>) -> Usage {
        Usage { input, output, cached, usd }
    }

    #[test]
    fn earlier_usage_is_subtracted() {
        let before = usage(1000, 10, 300, Some(0.0042));
        let cases = [
            (usage(2000, 20, 600, Some(0.0084)), Some(&before), usage(1000, 10, 300, Some(0.0042))),
            (usage(2000, 20, 600, None), Some(&before), usage(1000, 10, 300, None)),
            (usage(500, 20, 300, Some(0.1)), Some(&before), usage(500, 20, 300, Some(0.1))),
            (usage(500, 20, 0, Some(0.1)), None, usage(500, 20, 0, Some(0.1))),
        ];
        for (total, earlier, own) in cases {
            assert_eq!(subtract_earlier(&total, earlier), own, "{total:?} {earlier:?}");
        }
        let unpriced = usage(1000, 10, 300, None);
        assert_eq!(subtract_earlier(&usage(2000, 20, 600, Some(0.1)), Some(&unpriced)).usd, None);
    }

    #[test]
    fn a_sum_with_an_unknown_part_has_no_price() {
        assert_eq!(
            add_usage(&usage(1, 2, 3, Some(0.1)), &usage(10, 20, 30, Some(0.2))),
            usage(11, 22, 33, Some(0.3))
        );
        assert_eq!(
            add_usage(&usage(u64::MAX, 2, 3, Some(0.1)), &usage(1, 0, 0, None)),
            usage(u64::MAX, 2, 3, None)
        );
    }
}
