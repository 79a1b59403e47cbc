//! Condenses a long text for a prompt: every heading stays, and the beginning of each section. A text that is hardly more
//! than headings is cut at the end.

/// Marks text that was left out.
const CUT: &str = "[…]\n";

/// Shares of a budget: sizes below the fair share are met whole, and what they leave is divided among the rest.
pub(super) fn fair_shares(sizes: &[usize], budget: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|index| sizes[*index]);
    let mut shares = vec![0; sizes.len()];
    let (mut left, mut waiting) = (budget, sizes.len());
    for index in order {
        let share = sizes[index].min(left / waiting.max(1));
        shares[index] = share;
        left -= share;
        waiting -= 1;
    }
    shares
}

/// Shortens a text to about `limit` bytes. Cuts at line ends where it can.
pub(crate) fn condense(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let sections = sections(text);
    let sizes: Vec<usize> = sections.iter().map(|section| section.len()).collect();
    // The marks of the cuts count as well, each with the end of its line.
    let marks = (CUT.len() + 1) * sections.len();
    if marks * 2 > limit {
        return format!("{}\n{CUT}", cut(text, limit).trim_end());
    }
    let shares = fair_shares(&sizes, limit - marks);
    let mut condensed = String::with_capacity(limit);
    for (section, share) in sections.iter().zip(shares) {
        if section.len() <= share {
            condensed.push_str(section);
            continue;
        }
        condensed.push_str(cut(section, share));
        if !condensed.is_empty() && !condensed.ends_with('\n') {
            condensed.push('\n');
        }
        if !condensed.ends_with(CUT) {
            condensed.push_str(CUT);
        }
    }
    condensed
}

/// The text in sections that each begin with a heading.
fn sections(text: &str) -> Vec<&str> {
    let (mut sections, mut start, mut at) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        if line.starts_with('#') && at > start {
            sections.push(&text[start..at]);
            start = at;
        }
        at += line.len();
    }
    sections.push(&text[start..]);
    sections
}

/// The beginning of a section, at most `limit` bytes: whole lines if that leaves at least half of it.
fn cut(section: &str, limit: usize) -> &str {
    let end = (0..=limit.min(section.len())).rev().find(|at| section.is_char_boundary(*at)).unwrap_or(0);
    let part = &section[..end];
    match part.rfind('\n') {
        Some(line_end) if line_end >= end / 2 => &part[..=line_end],
        _ => part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_ones_are_met_whole_and_the_rest_share_what_is_left() {
        assert_eq!(fair_shares(&[10, 100, 20], 90), [10, 60, 20]);
        assert_eq!(fair_shares(&[100, 100], 90), [45, 45]);
        assert_eq!(fair_shares(&[1, 2], 90), [1, 2]);
        assert_eq!(fair_shares(&[], 90), [0; 0]);
    }

    #[test]
    fn every_heading_stays() {
        let text = format!("# A\n{}# B\nshort\n## C\n{}", "line of a\n".repeat(50), "line of c\n".repeat(50));
        let condensed = condense(&text, 200);
        assert!(condensed.len() <= 220, "{}", condensed.len());
        assert!(condensed.starts_with("# A\nline of a\n"), "{condensed}");
        assert!(condensed.contains("[…]\n# B\nshort\n## C\nline of c\n"), "{condensed}");
        assert!(condensed.ends_with("[…]\n"));
    }

    proptest! {
        #[test]
        fn a_condensed_text_keeps_to_its_limit(text in "[#a-zä \n]{0,2000}", limit in 200_usize..1500) {
            let condensed = condense(&text, limit);
            if text.len() <= limit {
                prop_assert_eq!(condensed, text);
            } else {
                prop_assert!(condensed.len() <= limit + CUT.len() + 1, "{} of {limit}", condensed.len());
                prop_assert!(condensed.len() >= limit / 4, "{} of {limit}", condensed.len());
            }
        }
    }
}
