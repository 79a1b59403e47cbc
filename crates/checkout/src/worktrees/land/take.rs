//! Commands with which a person takes work that waits, as they can be typed in the checkout.

use super::Checkout;
use charrette_engine::ports::worktrees::LandOrder;
use charrette_model::tree::TreePath;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Maximum number of paths in a command.
const MAX_PATHS: usize = 12;

/// The command that stashes what is in the way, then takes the work with `merge`. A specification that is not committed
/// is in the way too, because the work has it; it gets a stash of its own, so that `git stash pop` gives back what is the
/// person's.
pub(super) fn take_command(
    order: &LandOrder,
    checkout: &Checkout,
    in_the_way: &[TreePath],
    merge: &str,
) -> String {
    let is_specification =
        |path: &TreePath| order.specification.iter().any(|name| name.as_bytes() == path.as_bytes());
    let mut specification: Vec<&TreePath> =
        checkout.dirty.iter().filter(|path| is_specification(path)).collect();
    specification.retain(|path| checkout.touched.iter().any(|one| one.path == **path));
    let own: Vec<&TreePath> = in_the_way.iter().filter(|path| !is_specification(path)).collect();
    let mut command = String::new();
    for (paths, message) in [(specification, " -m 'the specification before it was implemented'"), (own, "")]
    {
        if let Some(words) = shell_words(&shorten(&paths, &checkout.dirty)) {
            // Writing to a string cannot fail.
            let _ = write!(command, "git stash push --include-untracked{message} -- {words} && ");
        }
    }
    command + merge
}

/// The folder of these paths, if they are all that is not committed in it.
fn shorten(paths: &[&TreePath], dirty: &BTreeSet<TreePath>) -> Vec<TreePath> {
    let folder_of = |path: &TreePath| {
        let end = path.as_bytes().iter().rposition(|byte| *byte == b'/')?;
        Some(TreePath::new(&path.as_bytes()[..end]))
    };
    let whole = || paths.iter().map(|path| (*path).clone()).collect();
    let Some(folder) = paths.first().and_then(|path| folder_of(path)).filter(|_| paths.len() > 1) else {
        return whole();
    };
    let is_in_folder = |path: &TreePath| {
        path.as_bytes().strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"))
    };
    let in_folder = dirty.iter().filter(|path| is_in_folder(path)).count();
    let is_all = paths.iter().all(|path| is_in_folder(path)) && in_folder == paths.len();
    if is_all { vec![folder] } else { whole() }
}

/// Paths as words of a shell; none if there are none, too many, or some that cannot be typed.
fn shell_words(paths: &[TreePath]) -> Option<String> {
    let words: Option<Vec<String>> = paths.iter().map(shell_word).collect();
    words.filter(|words| !words.is_empty() && words.len() <= MAX_PATHS).map(|words| words.join(" "))
}

fn shell_word(path: &TreePath) -> Option<String> {
    let text = std::str::from_utf8(path.as_bytes()).ok()?;
    if text != path.to_string() && text.chars().any(char::is_control) {
        return None;
    }
    let is_plain = |c: char| c.is_alphanumeric() || "._/+@%=,-".contains(c);
    let literal = if text.starts_with(':') || text.contains(['*', '?', '[', '\\']) {
        format!(":(literal){text}")
    } else {
        text.to_owned()
    };
    if literal.chars().all(is_plain) {
        return Some(literal);
    }
    Some(format!("'{}'", literal.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_its_files_if_nothing_else_in_it_is_stashed() {
        let all = ["specs/f/a", "specs/f/b", "x"].map(TreePath::new);
        let dirty: BTreeSet<TreePath> = all.iter().cloned().collect();
        assert_eq!(shorten(&[&all[0], &all[1]], &dirty), [TreePath::new("specs/f")]);
        assert_eq!(shorten(&[&all[0]], &dirty), [all[0].clone()]);
        assert_eq!(shorten(&[&all[0], &all[2]], &dirty), [all[0].clone(), all[2].clone()]);
        let dirty = dirty.into_iter().chain([TreePath::new("specs/f/notes")]).collect();
        assert_eq!(shorten(&[&all[0], &all[1]], &dirty).len(), 2);
    }

    #[test]
    fn paths_are_words_of_a_shell() {
        for (path, word) in [
            ("till/a-b.py", Some("till/a-b.py")),
            ("a b", Some("'a b'")),
            ("it's", Some(r"'it'\''s'")),
            ("a*", Some("':(literal)a*'")),
            ("a\nb", None),
        ] {
            assert_eq!(shell_word(&TreePath::new(path)).as_deref(), word, "{path:?}");
        }
    }
}
