//! The counted terms of a file, as a few bytes: terms sorted, differences and counts in seven-bit groups.

use crate::words::split::Term;

/// How often a term stands in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Count {
    /// Anywhere.
    pub(crate) body: usize,
    /// In names that are defined there.
    pub(crate) defs: usize,
}

/// Writes a block: how many terms the file has in all, then each with its count, sorted.
pub(crate) fn write(length: usize, counts: impl Iterator<Item = (Term, Count)>) -> Vec<u8> {
    let mut out = Vec::new();
    push(&mut out, length);
    let mut before = 0;
    for (term, count) in counts {
        push(&mut out, (term - before) as usize);
        before = term;
        push(&mut out, count.body << 1 | usize::from(count.defs > 0));
        if count.defs > 0 {
            push(&mut out, count.defs);
        }
    }
    out.shrink_to_fit();
    out
}

/// How many terms the file has.
pub(crate) fn length(block: &[u8]) -> usize {
    Reader(block).number().unwrap_or(0)
}

/// Looks `wanted` up, which is sorted; calls `found` with the position in it.
pub(crate) fn find(block: &[u8], wanted: &[Term], mut found: impl FnMut(usize, Count)) {
    let mut reader = Reader(block);
    let _ = reader.number();
    let (mut term, mut next) = (0_usize, 0);
    while next < wanted.len() {
        let (Some(step), Some(body)) = (reader.number(), reader.number()) else { return };
        let defs = if body & 1 == 1 { reader.number().unwrap_or(0) } else { 0 };
        term += step;
        while next < wanted.len() && (wanted[next] as usize) < term {
            next += 1;
        }
        if next < wanted.len() && wanted[next] as usize == term {
            found(next, Count { body: body >> 1, defs });
            next += 1;
        }
    }
}

fn push(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// Reads numbers; what ends too early has no more of them.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<usize> {
        let (mut number, mut shift) = (0_usize, 0);
        loop {
            let (first, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= usize::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                return Some(number);
            }
            shift += 7;
            if shift > 56 {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn what_was_written_is_found(counts in prop::collection::btree_map(any::<Term>(), (1..5000_usize, 0..300_usize), 0..80), other in any::<Term>()) {
            let counts: BTreeMap<Term, Count> = counts.into_iter().map(|(term, (body, defs))| (term, Count { body, defs })).collect();
            let block = write(12345, counts.clone().into_iter());
            prop_assert_eq!(length(&block), 12345);
            let mut wanted: Vec<Term> = counts.keys().copied().chain([other]).collect();
            wanted.sort_unstable();
            wanted.dedup();
            let mut read = BTreeMap::new();
            find(&block, &wanted, |at, count| { read.insert(wanted[at], count); });
            prop_assert_eq!(read, counts);
        }

        #[test]
        fn rubbish_is_read_without_harm(block in prop::collection::vec(any::<u8>(), 0..100), wanted in prop::collection::btree_set(any::<Term>(), 0..9)) {
            let wanted: Vec<Term> = wanted.into_iter().collect();
            find(&block, &wanted, |at, _| assert!(at < wanted.len()));
            length(&block);
        }
    }
}
