//! Suggestions for names that are not known.

/// The closest known name, if any is close.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    known
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(&known.to_lowercase(), &name), known))
        .filter(|(distance, known)| *distance <= (known.chars().count() / 3).max(1))
        .min()
        .map(|(_, known)| known)
}

/// Suggests the closest known name, as the end of a sentence; empty if none is close.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or(String::new(), |known| format!("; did you mean {known}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_close_names_are_suggested() {
        let known = ["understanding", "approach", "scope"];
        for (name, found) in
            [("undrestanding", Some("understanding")), ("Scop", Some("scope")), ("budget", None), ("", None)]
        {
            assert_eq!(nearest(name, known), found, "{name}");
        }
        assert_eq!(did_you_mean("aproach", known), "; did you mean approach?");
        assert_eq!(did_you_mean("budget", known), "");
    }
}
