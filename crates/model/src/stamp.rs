//! Timestamps in documents: ISO 8601 in UTC with milliseconds.
//!
//! The clock itself is elsewhere; the caller of a transition passes the time as a [`Now`].

use jiff::{Timestamp, Unit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A timestamp in a document. A parsed one is written back unchanged.
#[derive(Debug, Clone, JsonSchema, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String", extend("format" = "date-time"))]
pub struct Stamp {
    text: String,
    at: Timestamp,
}

impl Stamp {
    /// Formats a point in time: UTC, milliseconds, `Z`.
    pub fn new(at: Timestamp) -> Stamp {
        let at = at.round(Unit::Millisecond).unwrap_or(at);
        Stamp { text: format!("{at:.3}"), at }
    }

    /// Parses a timestamp; any RFC 3339 form with an offset is accepted.
    pub fn parse(text: &str) -> Result<Stamp, InvalidStamp> {
        match text.parse::<Timestamp>() {
            Ok(at) => Ok(Stamp { text: text.to_owned(), at }),
            Err(_) => Err(InvalidStamp(text.to_owned())),
        }
    }

    /// The text in the document.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn at(&self) -> Timestamp {
        self.at
    }
}

impl PartialEq for Stamp {
    fn eq(&self, other: &Stamp) -> bool {
        self.at == other.at
    }
}

impl Eq for Stamp {}

impl PartialOrd for Stamp {
    fn partial_cmp(&self, other: &Stamp) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stamp {
    fn cmp(&self, other: &Stamp) -> std::cmp::Ordering {
        self.at.cmp(&other.at)
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for Stamp {
    type Error = InvalidStamp;

    fn try_from(text: String) -> Result<Stamp, InvalidStamp> {
        Stamp::parse(&text)
    }
}

impl From<Stamp> for String {
    fn from(stamp: Stamp) -> String {
        stamp.text
    }
}

/// Formats a Unix time as a day in UTC, `2026-01-29`; `None` if it is out of range.
pub fn format_day(seconds: i64) -> Option<String> {
    Timestamp::from_second(seconds).ok().map(|at| at.strftime("%Y-%m-%d").to_string())
}

#[derive(Debug, thiserror::Error)]
#[error("'{}' is not an ISO 8601 time such as 2026-01-29T10:30:00.000Z", crate::escape::printable(.0))]
pub struct InvalidStamp(String);

/// The time of a transition.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    at: Timestamp,
    frozen: bool,
}

impl Now {
    pub fn real(at: Timestamp) -> Now {
        Now { at, frozen: false }
    }

    /// A time fixed from outside, for reproducible output.
    pub fn frozen(at: Timestamp) -> Now {
        Now { at, frozen: true }
    }

    pub fn at(self) -> Timestamp {
        self.at
    }

    /// The time `present`, unless time is frozen.
    #[must_use]
    pub fn advanced_to(self, present: Timestamp) -> Now {
        if self.frozen { self } else { Now { at: present, frozen: false } }
    }

    pub fn stamp(self) -> Stamp {
        Stamp::new(self.at)
    }

    /// The stamp of a change to a document last changed at `previous`.
    ///
    /// A document's stamps only ever grow, even when the clock is set back or two changes share a
    /// millisecond: that is how a writer with an old copy is detected. Frozen time stays frozen.
    pub fn stamp_after(self, previous: Option<&Stamp>) -> Stamp {
        let now = self.stamp();
        match previous {
            Some(previous) if !self.frozen && now <= *previous => {
                let next = previous.at().checked_add(jiff::SignedDuration::from_millis(1));
                Stamp::new(next.unwrap_or(previous.at()))
            }
            _ => now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn stamps_have_milliseconds_and_z() {
        assert_eq!(Stamp::new(at("2026-01-29T10:30:00Z")).as_str(), "2026-01-29T10:30:00.000Z");
        assert_eq!(Stamp::new(at("2026-01-29T10:30:00.123456Z")).as_str(), "2026-01-29T10:30:00.123Z");
    }

    #[test]
    fn parsed_stamps_keep_their_text() {
        let stamp = Stamp::parse("2026-01-29T11:30:00+01:00").unwrap();
        assert_eq!(stamp.to_string(), "2026-01-29T11:30:00+01:00");
        assert_eq!(stamp, Stamp::parse("2026-01-29T10:30:00.000Z").unwrap());
        assert!(Stamp::parse("yesterday").is_err());
    }

    #[test]
    fn unix_times_are_formatted_as_days() {
        assert_eq!(format_day(0).as_deref(), Some("1970-01-01"));
        assert_eq!(format_day(1_769_682_600).as_deref(), Some("2026-01-29"));
        assert_eq!(format_day(i64::MAX), None);
    }

    #[test]
    fn stamps_grow_when_the_clock_does_not() {
        let previous = Stamp::parse("2026-01-29T10:30:00.000Z").unwrap();
        let behind = at("2025-01-01T00:00:00Z");
        assert_eq!(Now::real(behind).stamp_after(Some(&previous)).as_str(), "2026-01-29T10:30:00.001Z");
        assert_eq!(
            Now::real(previous.at()).stamp_after(Some(&previous)).as_str(),
            "2026-01-29T10:30:00.001Z"
        );
        assert_eq!(Now::frozen(behind).stamp_after(Some(&previous)).as_str(), "2025-01-01T00:00:00.000Z");
    }
}
