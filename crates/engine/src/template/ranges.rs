//! The function `range` of templates. That of the template engine panics on bounds that are far apart.

use super::supervised;
use minijinja::{Error, ErrorKind, Value};

/// Maximum number of items.
const MAX_ITEMS: i128 = 100_000;

/// Number of items after which the time is looked at.
const ITEMS_PER_LOOK: i128 = 64;

/// Numbers from `lower` to `upper`, or to `lower` from 0.
pub(super) fn range(lower: i64, upper: Option<i64>, step: Option<i64>) -> Result<Value, Error> {
    let (start, end) = upper.map_or((0, lower), |upper| (lower, upper));
    let (start, end, step) = (i128::from(start), i128::from(end), i128::from(step.unwrap_or(1)));
    let distance = match step {
        0 => return Err(Error::new(ErrorKind::InvalidOperation, "cannot create range with step of 0")),
        1.. => end - start,
        _ => start - end,
    };
    let items = (distance.max(0) + step.abs() - 1) / step.abs();
    if items > MAX_ITEMS {
        return Err(super::too_large(
            "the number of items of a range",
            usize::try_from(MAX_ITEMS).unwrap_or_default(),
        ));
    }
    let items = i32::try_from(items).unwrap_or_default();
    Ok(Value::make_iterable(move || {
        (0..items).map(move |at| {
            let at = i128::from(at);
            if at % ITEMS_PER_LOOK == 0 {
                supervised::end_if_over();
            }
            i64::try_from(start + at * step).unwrap_or_default()
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(lower: i64, upper: Option<i64>, step: Option<i64>) -> String {
        range(lower, upper, step).map_or_else(|error| error.to_string(), |all| all.to_string())
    }

    #[test]
    fn ranges_are_those_of_the_template_engine() {
        for (lower, upper, step, all) in [
            (3, None, None, "[0, 1, 2]"),
            (-3, None, None, "[]"),
            (2, Some(4), None, "[2, 3]"),
            (4, Some(2), None, "[]"),
            (1, Some(8), Some(3), "[1, 4, 7]"),
            (1, Some(7), Some(3), "[1, 4]"),
            (7, Some(1), Some(-3), "[7, 4]"),
            (8, Some(1), Some(-3), "[8, 5, 2]"),
            (1, Some(7), Some(-3), "[]"),
            (1, Some(2), Some(0), "invalid operation: cannot create range with step of 0"),
        ] {
            assert_eq!(items(lower, upper, step), all, "{lower} {upper:?} {step:?}");
        }
        assert_eq!(range(5, None, None).ok().and_then(|all| all.len()), Some(5));
    }

    #[test]
    fn bounds_may_be_as_far_apart_as_numbers_go() {
        let too_many = "invalid operation: the number of items of a range exceeds 100000 (limit)";
        for (lower, upper, step, all) in [
            (i64::MAX, i64::MIN, -1, too_many),
            (i64::MIN, i64::MAX, 1, too_many),
            (0, 100_001, 1, too_many),
            (1, 5, i64::MIN, "[]"),
            (5, 1, i64::MIN, "[5]"),
            (i64::MIN, i64::MAX, i64::MAX, "[-9223372036854775808, -1, 9223372036854775806]"),
        ] {
            assert_eq!(items(lower, Some(upper), Some(step)), all, "{lower} {upper} {step}");
        }
    }
}
