//! JSON merge patches (RFC 7396): computing and applying.
//!
//! A merge patch cannot set a member to null, because null means "remove". Documents are therefore compared
//! without their null members; see [`without_nulls`].

use serde_json::{Map, Value};

/// The merge patch that turns `before` into `after`, neither of which has null members.
pub fn diff(before: &Value, after: &Value) -> Value {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => Value::Object(diff_objects(before, after)),
        _ => after.clone(),
    }
}

/// The document without null members, at any depth.
pub fn without_nulls(mut document: Value) -> Value {
    strip_nulls(&mut document);
    document
}

fn strip_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(strip_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_nulls),
        _ => {}
    }
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

fn diff_objects(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let removed = before.keys().filter(|key| !after.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    let changed = after.iter().filter_map(|(key, new)| match before.get(key) {
        Some(old) if old == new => None,
        Some(old) => Some((key.clone(), diff(old, new))),
        None => Some((key.clone(), new.clone())),
    });
    removed.chain(changed).collect()
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
        assert_eq!(diff(&before, &after), json!({"gone": null, "b": {"d": 4}, "new": [null]}));
    }

    #[test]
    fn null_members_are_left_out_at_any_depth() {
        let document = json!({"a": null, "b": {"c": null, "d": [null, {"e": null}]}});
        assert_eq!(without_nulls(document), json!({"b": {"d": [null, {}]}}));
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

    fn any_json() -> impl Strategy<Value = Value> {
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
        fn applying_the_difference_gives_the_target(before in any_json(), after in any_json()) {
            let patch = diff(&before, &after);
            let mut value = before;
            apply(&mut value, &patch);
            prop_assert_eq!(value, after);
        }
    }
}
