//! Maps with paths as keys, written as lists of pairs: a path that is no text cannot be a key in JSON.

use charrette_model::tree::TreePath;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

pub(super) fn serialize<V: Serialize, S: Serializer>(
    map: &BTreeMap<TreePath, V>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(map)
}

pub(super) fn deserialize<'de, V: DeserializeOwned, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<TreePath, V>, D::Error> {
    Ok(Vec::<(TreePath, V)>::deserialize(deserializer)?.into_iter().collect())
}
