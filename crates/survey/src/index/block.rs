//! Block: the term counts of a file in a compact encoding, sorted terms as deltas and counts as varints.

use crate::words::split::Term;

/// Number of occurrences of a term in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TermCount {
    /// Occurrences anywhere.
    pub(crate) body: usize,
    /// Occurrences in defined names or headings.
    pub(crate) defs: usize,
}

/// Encodes a block: the total number of terms, then each term with its count, sorted.
pub(crate) fn encode(length: usize, counts: impl Iterator<Item = (Term, TermCount)>) -> Vec<u8> {
    let mut out = Vec::new();
    push_varint(&mut out, length);
    let mut before = 0;
    for (term, count) in counts {
        push_varint(&mut out, (term - before) as usize);
        before = term;
        push_varint(&mut out, count.body << 1 | usize::from(count.defs > 0));
        if count.defs > 0 {
            push_varint(&mut out, count.defs);
        }
    }
    out.shrink_to_fit();
    out
}

/// Total number of terms in the file.
pub(crate) fn term_total(block: &[u8]) -> usize {
    VarintReader(block).number().unwrap_or(0)
}

/// Looks up the sorted terms `wanted`; calls `found` with the position in it.
pub(crate) fn lookup(block: &[u8], wanted: &[Term], mut found: impl FnMut(usize, TermCount)) {
    let mut reader = VarintReader(block);
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
            found(next, TermCount { body: body >> 1, defs });
            next += 1;
        }
    }
}

fn push_varint(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// Reads varints; none after the end.
struct VarintReader<'a>(&'a [u8]);

impl VarintReader<'_> {
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
        fn encoded_counts_are_found(counts in prop::collection::btree_map(any::<Term>(), (1..5000_usize, 0..300_usize), 0..80), other in any::<Term>()) {
            let counts: BTreeMap<Term, TermCount> = counts.into_iter().map(|(term, (body, defs))| (term, TermCount { body, defs })).collect();
            let block = encode(12345, counts.clone().into_iter());
            prop_assert_eq!(term_total(&block), 12345);
            let mut wanted: Vec<Term> = counts.keys().copied().chain([other]).collect();
            wanted.sort_unstable();
            wanted.dedup();
            let mut read = BTreeMap::new();
            lookup(&block, &wanted, |at, count| { read.insert(wanted[at], count); });
            prop_assert_eq!(read, counts);
        }

        #[test]
        fn rubbish_is_read_without_harm(block in prop::collection::vec(any::<u8>(), 0..100), wanted in prop::collection::btree_set(any::<Term>(), 0..9)) {
            let wanted: Vec<Term> = wanted.into_iter().collect();
            lookup(&block, &wanted, |at, _| assert!(at < wanted.len()));
            term_total(&block);
        }
    }
}
