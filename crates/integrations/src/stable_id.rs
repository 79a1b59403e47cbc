//! Ids that follow from what they stand for: computing one again gives the same id.

use sha2::{Digest as _, Sha256};

/// A hash of the parts, shaped as a UUID v4, which services accept as an id chosen by the client.
pub fn stable_id(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // The length first, so that no two lists of parts are the same bytes.
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_parts_give_the_same_id_and_others_another() {
        let id = stable_id(&["run", "step"]);
        assert_eq!(id, stable_id(&["run", "step"]));
        for other in [&["run", "step2"][..], &["runs", "tep"], &["runstep"], &["run", "step", ""]] {
            assert_ne!(id, stable_id(other), "{other:?}");
        }
    }

    #[test]
    fn stable_ids_are_uuids_of_version_four() {
        for n in 0..100 {
            let id = uuid::Uuid::parse_str(&stable_id(&["run", &n.to_string()])).unwrap();
            assert_eq!((id.get_version_num(), id.get_variant()), (4, uuid::Variant::RFC4122));
        }
    }
}
