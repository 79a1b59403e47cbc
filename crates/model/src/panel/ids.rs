//! Ids of ballot items: `DECISION_3`, `FINDING_1`, `OOS_2`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// Kind of a ballot item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ItemKind {
    /// Contested decision, voted on by the judges.
    Decision,
    /// Finding about the plan, voted on by the voters.
    Finding,
    /// Observation outside the scope of the plan, voted on by the voters.
    OutOfScope,
}

impl ItemKind {
    const ALL: [ItemKind; 3] = [ItemKind::Decision, ItemKind::Finding, ItemKind::OutOfScope];

    fn prefix(self) -> &'static str {
        match self {
            ItemKind::Decision => "DECISION_",
            ItemKind::Finding => "FINDING_",
            ItemKind::OutOfScope => "OOS_",
        }
    }
}

/// Id of a ballot item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemId {
    pub kind: ItemKind,
    /// From 1.
    pub n: u32,
}

impl ItemId {
    /// Id of the decision with number `n`.
    pub fn decision(n: u32) -> ItemId {
        ItemId { kind: ItemKind::Decision, n }
    }

    /// Parses an id, ignoring case. The number has no sign and no leading zero.
    pub fn parse(name: &str) -> Option<ItemId> {
        ItemKind::ALL.into_iter().find_map(|kind| {
            let (prefix, digits) = name.split_at_checked(kind.prefix().len())?;
            let plain = digits.starts_with(|c| matches!(c, '1'..='9'));
            let n = digits.parse().ok().filter(|_| plain)?;
            prefix.eq_ignore_ascii_case(kind.prefix()).then_some(ItemId { kind, n })
        })
    }
}

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind.prefix(), self.n)
    }
}

impl Serialize for ItemId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ItemId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ItemId, D::Error> {
        let name = String::deserialize(deserializer)?;
        let unexpected = || {
            de::Error::invalid_value(
                de::Unexpected::Str(&name),
                &"a name like FINDING_1, OOS_1 or DECISION_1",
            )
        };
        ItemId::parse(&name).ok_or_else(unexpected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_and_written_in_one() {
        for (name, id) in [
            ("DECISION_1", Some("DECISION_1")),
            ("decision_500", Some("DECISION_500")),
            ("Finding_10", Some("FINDING_10")),
            ("oos_2", Some("OOS_2")),
            ("FINDING_4294967295", Some("FINDING_4294967295")),
            ("FINDING_4294967296", None),
            ("FINDING_0", None),
            ("FINDING_01", None),
            ("FINDING_+1", None),
            ("FINDING_-1", None),
            ("FINDING_1a", None),
            ("FINDING_N", None),
            ("FINDING_", None),
            ("FINDING_١", None),
            ("FINDING 1", None),
            ("FINDING-1", None),
            ("FINDINGS_1", None),
            ("TROUVAILLE_1", None),
            ("OOé_1", None),
            ("", None),
        ] {
            assert_eq!(ItemId::parse(name).map(|id| id.to_string()).as_deref(), id, "{name}");
        }
    }

    #[test]
    fn names_are_text_in_json() {
        let id: ItemId = serde_json::from_str("\"oos_7\"").unwrap();
        assert_eq!(id, ItemId { kind: ItemKind::OutOfScope, n: 7 });
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"OOS_7\"");
        let error = serde_json::from_str::<ItemId>("\"F1\"").unwrap_err().to_string();
        assert!(error.starts_with("invalid value: string \"F1\", expected a name like FINDING_1"), "{error}");
        assert!(serde_json::from_str::<ItemId>("7").is_err());
    }
}
