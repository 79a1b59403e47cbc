//! Heuristic for secret values: long, mixed, and not made of words.

/// The shortest value that can be distinguished from a word.
pub(super) const MIN_BYTES: usize = 16;

/// Maximum number of bytes of a value that are inspected. Far more than the verdict needs.
pub(super) const INSPECTED_BYTES: usize = 256;

/// True if the value looks randomly generated: letters and digits in no human order.
pub(super) fn looks_generated(value: &[u8]) -> bool {
    let value = &value[..value.len().min(INSPECTED_BYTES)];
    value.len() >= MIN_BYTES
        && value.iter().all(u8::is_ascii_graphic)
        && value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
        && !is_reference(value)
        && !is_placeholder(value)
        && !is_uuid(value)
        && !is_made_of_words(value)
        && bits_per_byte(value) >= 3.0
}

/// True for a reference to a value rather than the value itself: a variable, a call, a URL.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let starts = [&b"$"[..], b"{", b"<", b"%(", b"*", b"@"];
    starts.iter().any(|start| value.starts_with(start))
        || contains(value, b"://")
        || value.iter().any(|&b| matches!(b, b'(' | b'{' | b'<'))
        || contains(value, b"::")
}

/// True for the word that stands for a password in an example: `user:password@host`.
pub(super) fn is_placeholder_password(value: &[u8]) -> bool {
    const WORDS: [&str; 7] = ["password", "passwd", "pass", "pwd", "secret", "token", "passphrase"];
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

fn is_placeholder(value: &[u8]) -> bool {
    let mut lower = [0; INSPECTED_BYTES];
    let lower = &mut lower[..value.len()];
    lower.copy_from_slice(value);
    lower.make_ascii_lowercase();
    let words = [&b"xxxx"[..], b"....", b"example", b"placeholder", b"changeme", b"your-", b"your_", b"****"];
    words.iter().any(|word| contains(lower, word))
}

/// True for a UUID, which names a thing.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(n, b)| match n {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// `parse_token2`, `id_ed25519_work.pem`, `X509RequestInheritOptions`: letters stay with letters and digits
/// with digits, and a capital starts a word. Generated text switches between them all the time.
fn is_made_of_words(value: &[u8]) -> bool {
    let changes = value.windows(2).filter(|two| {
        let (one, other) = (Class::new(two[0]), Class::new(two[1]));
        let begins_word = one == Class::Capital && other == Class::Small;
        one != other && !begins_word && one != Class::Separator && other != Class::Separator
    });
    changes.count() * 5 <= value.len()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Small,
    Capital,
    Digit,
    Separator,
    Mark,
}

impl Class {
    fn new(b: u8) -> Class {
        match b {
            b'a'..=b'z' => Class::Small,
            b'A'..=b'Z' => Class::Capital,
            b'0'..=b'9' => Class::Digit,
            b'-' | b'_' | b'.' | b'/' | b':' | b'+' | b'@' | b'=' => Class::Separator,
            _ => Class::Mark,
        }
    }
}

/// Shannon entropy. Random text of sixteen letters and digits has more than three bits per byte.
fn bits_per_byte(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for &b in value {
        counts[usize::from(b)] += 1;
    }
    let length = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX));
    let share = |count: &u32| f64::from(*count) / length;
    counts.iter().filter(|count| **count > 0).map(share).map(|share| -share * share.log2()).sum()
}

pub(super) fn contains(text: &[u8], part: &[u8]) -> bool {
    memchr::memmem::find(text, part).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_values_are_told_from_words() {
        for value in [
            "hT7kQ2mZx9Lw4Rb1",
            "9f86d081884c7d659a2feaa0c55ad015",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEY",
            "aGVsbG8td29ybGQtMTIzNDU2Nzg5MA",
            "p4$$-w0rd!#2024_Zq",
        ] {
            assert!(looks_generated(value.as_bytes()), "{value}");
        }
        for value in [
            "short1",
            "configurationService.apiKey2",
            "parse_token2_from_header",
            "id_ed25519_work_laptop.pem",
            "/run/secrets/db_password_2024-01-01",
            "${DATABASE_PASSWORD_1}",
            "process.env.MY_SECRET_2",
            "getApiKey2FromConfiguration()",
            "550e8400-e29b-41d4-a716-446655440000",
            "https://vault.example.net/v1/secret/9",
            "aaaaaaaaaaaaaaaaaaaaaaa1",
            "xxxxxxxxxxxxxxxx1234",
            "your-api-key-goes-here-123",
            "TokenKind::Identifier2",
            "twenty-four-hours-and-no-digits",
            "X509RequestInheritOptions",
            "D3DKMT_PRESENTHISTORYTOKEN_0",
            "Curve25519SeedBin",
        ] {
            assert!(!looks_generated(value.as_bytes()), "{value}");
        }
    }
}
