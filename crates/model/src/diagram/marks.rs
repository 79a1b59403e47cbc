//! Search for the bytes of a flowchart that matter to its rule, eight at a time.
//!
//! Most of a diagram is names and words. Looking at every byte of those takes several times as long as
//! splitting the text into lines; testing eight bytes with a handful of operations does not.

/// The brackets, quotes, backslashes, pipes and line ends of a text, with their offsets.
pub(super) fn marks(text: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    let (chunks, rest) = text.as_chunks::<8>();
    let tail = text.len() - rest.len();
    let in_chunks = chunks.iter().enumerate().flat_map(|(index, chunk)| {
        let mut mask = mark_bits(u64::from_le_bytes(*chunk));
        std::iter::from_fn(move || {
            // The lowest bit belongs to the first byte; it is taken off once seen.
            let place = (mask != 0).then(|| mask.trailing_zeros() as usize / 8)?;
            mask &= mask - 1;
            Some((index * 8 + place, chunk[place]))
        })
    });
    let in_rest = rest.iter().enumerate().map(move |(index, byte)| (tail + index, *byte));
    in_chunks.chain(in_rest.filter(|(_, byte)| is_mark(*byte)))
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'[' | b']' | b'{' | b'}' | b'(' | b')' | b'"' | b'\\' | b'|' | b'\n')
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The high bit of every byte that is a mark.
fn mark_bits(bytes: u64) -> u64 {
    // With bit 5 set, `[`, `\` and `]` become `{`, `|` and `}`, which are neighbours: 3, 4 and 5 above `x`.
    let above_x = (bytes | (ONES * 0x20)) ^ (ONES * 0x78);
    let low = above_x & !HIGH;
    let at_least_3 = low + ONES * (0x80 - 3);
    let at_least_6 = low + ONES * (0x80 - 6);
    let brackets = at_least_3 & !at_least_6 & !above_x & HIGH;
    // `(` and `)` differ in the last bit only.
    brackets | equal(bytes | ONES, b')') | equal(bytes, b'"') | equal(bytes, b'\n')
}

/// The high bit of every byte that is `byte`.
fn equal(bytes: u64, byte: u8) -> u64 {
    let different = bytes ^ (ONES * u64::from(byte));
    !(((different & !HIGH) + !HIGH) | different) & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one_by_one(text: &[u8]) -> Vec<(usize, u8)> {
        text.iter().copied().enumerate().filter(|(_, byte)| is_mark(*byte)).collect()
    }

    #[test]
    fn every_byte_is_told_apart_in_every_place() {
        for byte in 0..=255 {
            for place in 0..8 {
                for filler in [b'a', 0, 0xff, b'['] {
                    let mut text = [filler; 17];
                    text[place] = byte;
                    text[16] = byte;
                    assert_eq!(marks(&text).collect::<Vec<_>>(), one_by_one(&text), "{byte:#x} at {place}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn eight_at_a_time_finds_the_same_as_one_at_a_time(text in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(marks(&text).collect::<Vec<_>>(), one_by_one(&text));
        }
    }
}
