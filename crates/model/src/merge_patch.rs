//! JSON merge patches (RFC 7396): what changed between two documents, and how to apply it.
//!
//! A merge patch cannot say "set this member to null": null means "remove". [`diff`] reports when that
//! would lose something, so that history can keep the whole document instead.

use serde_json::{Map, Value};

/// The change from one document to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// The merge patch.
    pub patch: Value,
    /// False if the target holds a null that the patch cannot express.
    pub exact: bool,
}

/// The merge patch that turns `before` into `after`.
pub fn diff(before: &Value, after: &Value) -> Patch {
    let mut exact = true;
    let patch = match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            Value::Object(diff_objects(before, after, &mut exact))
        }
        _ => copied(after, &mut exact),
    };
    Patch { patch, exact }
}

/// Applies a merge patch to `target`.
pub fn apply(target: &mut Value, patch: &Value) {
    let Value::Object(members) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(object) = target else { return };
    for (key, value) in members {
        if value.is_null() {
            object.shift_remove(key);
        } else {
            apply(object.entry(key.as_str()).or_insert(Value::Null), value);
        }
    }
}

fn diff_objects(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    exact: &mut bool,
) -> Map<String, Value> {
    let mut patch = Map::new();
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    for (key, new) in after {
        match (before.get(key), new) {
            (Some(old), new) if old == new => {}
            (Some(Value::Object(old)), Value::Object(new)) => {
                patch.insert(key.clone(), Value::Object(diff_objects(old, new, exact)));
            }
            (_, new) => {
                patch.insert(key.clone(), copied(new, exact));
            }
        }
    }
    patch
}

fn copied(value: &Value, exact: &mut bool) -> Value {
    if holds_null(value) {
        *exact = false;
    }
    value.clone()
}

fn holds_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(members) => members.values().any(holds_null),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn only_what_changed_is_in_the_patch() {
        let before = json!({"a": 1, "b": {"c": 2, "d": 3}, "gone": true});
        let after = json!({"a": 1, "b": {"c": 2, "d": 4}, "new": [null]});
        let Patch { patch, exact } = diff(&before, &after);
        assert_eq!(patch, json!({"gone": null, "b": {"d": 4}, "new": [null]}));
        assert!(exact);
    }

    #[test]
    fn a_member_that_becomes_null_is_reported() {
        let patch = diff(&json!({"a": 1}), &json!({"a": null}));
        assert!(!patch.exact);
        assert!(!diff(&json!({}), &json!({"a": {"b": null}})).exact);
    }

    /// The examples of RFC 7396, appendix A.
    #[test]
    fn applies_as_the_rfc_says() {
        for (target, patch, result) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "b"}), json!({"b": "c"}), json!({"a": "b", "b": "c"})),
            (json!({"a": "b"}), json!({"a": null}), json!({})),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (json!({"a": "c"}), json!({"a": ["b"]}), json!({"a": ["b"]})),
            (json!({"a": {"b": "c"}}), json!({"a": {"b": "d", "c": null}}), json!({"a": {"b": "d"}})),
            (json!(["a", "b"]), json!(["c", "d"]), json!(["c", "d"])),
            (json!({"a": "b"}), json!(["c"]), json!(["c"])),
            (json!({"e": null}), json!({"a": 1}), json!({"e": null, "a": 1})),
            (json!([1, 2]), json!({"a": "b", "c": null}), json!({"a": "b"})),
            (json!({}), json!({"a": {"bb": {"ccc": null}}}), json!({"a": {"bb": {}}})),
        ] {
            let mut value = target.clone();
            apply(&mut value, &patch);
            assert_eq!(value, result, "{target} + {patch}");
        }
    }

    fn without_null() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z]{0,4}".prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-d]", inner, 0..4)
                    .prop_map(|m| Value::Object(m.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn applying_the_difference_gives_the_target(before in without_null(), after in without_null()) {
            let patch = diff(&before, &after);
            prop_assert!(patch.exact);
            let mut value = before;
            apply(&mut value, &patch.patch);
            prop_assert_eq!(value, after);
        }
    }
}
