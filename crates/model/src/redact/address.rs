//! Passwords in URLs, `scheme://user:password@host`, and tokens, `scheme://token@host`.

use super::marker::Secret;
use super::value::{is_placeholder_password, is_reference, looks_generated};
use memchr::memchr_iter;

pub(super) const NAME: &str = "url password";
pub(super) const TOKEN: &str = "url token";

/// Maximum distance of user and password from the `@`.
const SEARCH_BYTES: usize = 512;

pub(super) fn find(text: &[u8], found: &mut Vec<Secret<'_>>) {
    let mut seen = 0;
    for at in memchr_iter(b'@', text) {
        if at < seen {
            continue;
        }
        let from = at.saturating_sub(SEARCH_BYTES).max(seen);
        let ends_user = |&b: &u8| b == b'/' || ends_authority(b);
        let start = text[from..at].iter().rposition(ends_user).map_or(from, |n| from + n + 1);
        if !text[..start].ends_with(b"://") {
            continue;
        }
        // The last `@` before the path counts: a password may contain one.
        let rest = &text[at..text.len().min(at + SEARCH_BYTES)];
        let authority = rest.iter().position(|&b| b == b'/' || ends_authority(b)).unwrap_or(rest.len());
        let end = at + rest[..authority].iter().rposition(|&b| b == b'@').unwrap_or(0);
        seen = end + 1;
        let Some(colon) = text[start..end].iter().position(|&b| b == b':') else {
            if looks_generated(&text[start..end]) {
                found.push(Secret { at: start..end, name: TOKEN });
            }
            continue;
        };
        let password = start + colon + 1..end;
        let shown = &text[password.clone()];
        if !shown.is_empty() && !is_reference(shown) && !is_placeholder_password(shown) {
            found.push(Secret { at: password, name: NAME });
        }
    }
}

fn ends_authority(b: u8) -> bool {
    b.is_ascii_whitespace()
        || b.is_ascii_control()
        || matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b'?' | b'#')
}
