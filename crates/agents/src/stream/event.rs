//! Lazy parser of one line of JSON: only the requested members are parsed.
//!
//! A member of an unexpected type counts as missing: the others stay readable if a client changes one. Depth
//! costs nothing, since the content of a member is skipped.

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// Maximum number of members of an object, or items of a list, that are read.
const MAX_MEMBERS: usize = 512;

/// An object whose members are not parsed yet.
#[derive(Debug, Clone)]
pub(crate) struct Object<'a>(Vec<(String, &'a RawValue)>);

impl<'a> Object<'a> {
    pub(crate) fn parse(text: &'a str) -> Option<Object<'a>> {
        serde_json::from_str(text).ok()
    }

    /// A string; invalid characters are replaced.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.raw(name)?).map(|Text(text)| text).ok()
    }

    /// True if the member is this string.
    pub(crate) fn is(&self, name: &str, text: &str) -> bool {
        self.text(name).is_some_and(|found| found == text)
    }

    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        serde_json::from_str(self.raw(name)?).ok()
    }

    /// A number that is not negative, without its fraction.
    pub(crate) fn count(&self, name: &str) -> Option<u64> {
        let raw = self.raw(name)?;
        let whole = serde_json::from_str(raw).ok();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked, and saturating"
        )]
        whole.or_else(|| self.number(name).filter(|number| *number >= 0.0).map(|number| number as u64))
    }

    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        serde_json::from_str(self.raw(name)?).ok().filter(|number: &f64| number.is_finite())
    }

    /// An HTTP status, as number or text.
    pub(crate) fn status(&self, name: &str) -> Option<u16> {
        let status = self.count(name).or_else(|| self.text(name)?.parse().ok())?;
        u16::try_from(status).ok().filter(|status| (100..600).contains(status))
    }

    /// An object inside this one.
    pub(crate) fn object(&self, name: &str) -> Option<Object<'a>> {
        Object::parse(self.raw(name)?)
    }

    /// The objects of a list, others left out.
    pub(crate) fn objects(&self, name: &str) -> Vec<Object<'a>> {
        self.items(name).filter_map(Object::parse).collect()
    }

    /// The strings of a list, others left out.
    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        self.items(name).filter_map(|raw| serde_json::from_str(raw).ok()).map(|Text(text)| text).collect()
    }

    /// The members that are objects, by name.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, Object<'a>)> {
        self.0.iter().filter_map(|(name, raw)| Some((name.as_str(), Object::parse(raw.get())?)))
    }

    /// The JSON text of the member.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a str> {
        self.0.iter().find(|(member, _)| member == name).map(|(_, raw)| raw.get())
    }

    fn items(&self, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let List(items) = self.raw(name).and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        items.into_iter().map(RawValue::get)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Vec<(String, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while members.len() < MAX_MEMBERS {
                    let Some(Text(name)) = map.next_key()? else { return Ok(members) };
                    members.push((name, map.next_value()?));
                }
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(members)
            }
        }
        deserializer.deserialize_map(Members).map(Object)
    }
}

/// A list whose items are not parsed yet.
#[derive(Default)]
struct List<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for List<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items;
        impl<'de> Visitor<'de> for Items {
            type Value = Vec<&'de RawValue>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while items.len() < MAX_MEMBERS {
                    let Some(item) = list.next_element()? else { return Ok(items) };
                    items.push(item);
                }
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(items)
            }
        }
        deserializer.deserialize_seq(Items).map(List)
    }
}

/// A JSON string. Half a surrogate pair, as JavaScript may write it, is replaced.
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Words;
        impl Visitor<'_> for Words {
            type Value = String;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E>(self, text: &str) -> Result<String, E> {
                Ok(text.to_owned())
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
                Ok(String::from_utf8_lossy(bytes).into_owned())
            }
        }
        deserializer.deserialize_bytes(Words).map(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_of_another_type_is_a_missing_one() {
        let line = r#"{"text":"a","count":3,"part":2.5,"less":-1,"flag":true,"none":null,"in":{"b":[{"c":"d"},1,"e"]}}"#;
        let object = Object::parse(line).unwrap();
        assert_eq!(object.text("text").as_deref(), Some("a"));
        assert_eq!(object.text("count"), None);
        assert_eq!(object.text("none"), None);
        assert_eq!(object.count("count"), Some(3));
        assert_eq!(object.count("part"), Some(2));
        assert_eq!(object.count("less"), None);
        assert_eq!(object.count("text"), None);
        assert_eq!(object.number("part"), Some(2.5));
        assert_eq!(object.flag("flag"), Some(true));
        assert_eq!(object.flag("count"), None);
        let inner = object.object("in").unwrap();
        assert_eq!(inner.objects("b").len(), 1);
        assert_eq!(inner.objects("b")[0].text("c").as_deref(), Some("d"));
        assert_eq!(inner.texts("b"), ["e"]);
        assert_eq!(object.object("text").map(|object| object.0.len()), None);
    }

    #[test]
    fn only_a_whole_object_is_one() {
        for text in ["", "{", "[]", "3", "\"a\"", "{}x", "{\"a\":1", "{\"a\"}", "null"] {
            assert!(Object::parse(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn half_a_character_does_not_hide_the_rest() {
        let object = Object::parse(r#"{"half":"a\ud83d","whole":"\ud83d\ude00"}"#).unwrap();
        assert!(object.text("half").unwrap().starts_with('a'));
        assert_eq!(object.text("whole").as_deref(), Some("😀"));
    }

    #[test]
    fn depth_and_breadth_cost_nothing() {
        let deep = format!("{{\"type\":\"x\",\"deep\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(Object::parse(&deep).unwrap().is("type", "x"));
        assert!(Object::parse(&deep).unwrap().object("deep").is_none());
        assert!(Object::parse(&deep).unwrap().objects("deep").is_empty());
        let broad = format!("{{\"type\":\"x\"{}}}", ",\"a\":1".repeat(100_000));
        assert_eq!(Object::parse(&broad).unwrap().0.len(), MAX_MEMBERS);
    }
}
