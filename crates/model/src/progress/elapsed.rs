//! Durations in their two largest units.

/// Formats seconds: `45s`, `2m31s`, `2m`, `1h3m`, `1h`.
pub fn elapsed(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes, rest) {
        (0, 0, rest) => format!("{rest}s"),
        (0, minutes, 0) => format!("{minutes}m"),
        (0, minutes, rest) => format!("{minutes}m{rest}s"),
        (hours, 0, _) => format!("{hours}h"),
        (hours, minutes, _) => format!("{hours}h{minutes}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_units_are_left_out() {
        for (seconds, text) in [
            (0, "0s"),
            (45, "45s"),
            (59, "59s"),
            (60, "1m"),
            (120, "2m"),
            (151, "2m31s"),
            (3599, "59m59s"),
            (3600, "1h"),
            (3659, "1h"),
            (3780, "1h3m"),
            (3799, "1h3m"),
            (90_000, "25h"),
        ] {
            assert_eq!(elapsed(seconds), text);
        }
    }
}
