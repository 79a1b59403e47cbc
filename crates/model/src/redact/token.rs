//! Self-describing keys and tokens: prefixes of services, JWTs, bearer tokens.
//!
//! All of them are long runs of letters, digits and a few marks. So the search looks at every fifteenth byte
//! and skips everything that is not part of such a run; only runs are read byte by byte.

use super::marker::Secret;
use super::value::looks_generated;
use std::ops::Range;

pub(super) const JWT: &str = "JWT";
pub(super) const BEARER: &str = "bearer token";
const STRIPE: &str = "Stripe key";
const SLACK_WEBHOOK: &str = "Slack webhook";
const DISCORD_WEBHOOK: &str = "Discord webhook";
const TELEGRAM: &str = "Telegram token";

/// Format of a service's keys.
struct Rule {
    prefix: &'static [u8],
    name: &'static str,
    /// Minimum length behind the prefix.
    shortest: usize,
    /// True if `-` and `_` may follow as well as letters and digits.
    marks: bool,
    /// True if it is recognised inside a word too, because the prefix is unmistakable.
    anywhere: bool,
}

const fn rule(
    prefix: &'static str,
    name: &'static str,
    shortest: usize,
    marks: bool,
    anywhere: bool,
) -> Rule {
    Rule { prefix: prefix.as_bytes(), name, shortest, marks, anywhere }
}

const RULES: [Rule; 42] = [
    rule("sk-ant-", "Anthropic key", 16, true, true),
    rule("sk-proj-", "OpenAI key", 16, true, true),
    rule("sk-svcacct-", "OpenAI key", 16, true, true),
    rule("sk-admin-", "OpenAI key", 16, true, true),
    rule("sk-or-v1-", "OpenRouter key", 16, true, true),
    rule("sk-", "API key", 20, false, false),
    rule("sk_live_", STRIPE, 16, false, true),
    rule("sk_test_", STRIPE, 16, false, true),
    rule("rk_live_", STRIPE, 16, false, true),
    rule("whsec_", "webhook secret", 24, false, true),
    rule("ghp_", "GitHub token", 30, false, true),
    rule("gho_", "GitHub token", 30, false, true),
    rule("ghu_", "GitHub token", 30, false, true),
    rule("ghs_", "GitHub token", 30, false, true),
    rule("ghr_", "GitHub token", 30, false, true),
    rule("github_pat_", "GitHub token", 20, true, true),
    rule("glpat-", "GitLab token", 20, true, true),
    rule("gldt-", "GitLab token", 20, true, false),
    rule("xoxa-", "Slack token", 10, true, true),
    rule("xoxb-", "Slack token", 10, true, true),
    rule("xoxe-", "Slack token", 10, true, true),
    rule("xoxp-", "Slack token", 10, true, true),
    rule("xoxr-", "Slack token", 10, true, true),
    rule("xoxs-", "Slack token", 10, true, true),
    rule("xapp-1-", "Slack token", 10, true, true),
    rule("hooks.slack.com/services/", SLACK_WEBHOOK, 20, true, false),
    rule("discord.com/api/webhooks/", DISCORD_WEBHOOK, 60, true, false),
    rule("discordapp.com/api/webhooks/", DISCORD_WEBHOOK, 60, true, false),
    rule("hvs.", "Vault token", 24, true, false),
    rule("AKIA", "AWS key id", 16, false, false),
    rule("ASIA", "AWS key id", 16, false, false),
    rule("AIza", "Google key", 35, true, false),
    rule("ya29.", "Google token", 20, true, false),
    rule("GOCSPX-", "Google secret", 20, true, true),
    rule("lin_api_", "Linear key", 20, false, true),
    rule("lin_oauth_", "Linear key", 20, false, true),
    rule("npm_", "npm token", 36, false, false),
    rule("hf_", "Hugging Face token", 30, false, false),
    rule("pypi-AgEI", "PyPI token", 16, true, true),
    rule("dop_v1_", "DigitalOcean token", 32, false, true),
    rule("shpat_", "Shopify token", 32, false, true),
    rule("SG.", "SendGrid key", 22, true, false),
];

/// Names of everything found here.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|rule| rule.name).chain([JWT, BEARER, TELEGRAM])
}

pub(super) fn find(text: &[u8], found: &mut Vec<Secret<'_>>) {
    for run in runs(text) {
        if let Some(length) = bearer(&text[..run.start], &text[run.clone()]) {
            found.push(Secret { at: run.start..run.start + length, name: BEARER });
            continue;
        }
        if let Some(length) = telegram(&text[..run.start], &text[run.clone()]) {
            found.push(Secret { at: run.start..run.start + length, name: TELEGRAM });
            continue;
        }
        // Anything shorter than the shortest key cannot be one, neither as a run nor as the rest of it.
        let last = run.end - RUN;
        let mut at = run.start;
        while at <= last {
            if may_begin(text[at], text[at + 1])
                && let Some(secret) = secret_at(text, at, run.end)
            {
                at = secret.at.end;
                found.push(secret);
            } else {
                at += 1;
            }
        }
    }
}

fn secret_at(text: &[u8], at: usize, end: usize) -> Option<Secret<'static>> {
    let here = &text[at..end];
    let begins = begins_word(text, at);
    if begins && let Some(length) = jwt(here) {
        return Some(Secret { at: at..at + length, name: JWT });
    }
    let fits = |rule: &&Rule| (begins || rule.anywhere) && here.starts_with(rule.prefix);
    let rule = RULES.iter().find(fits)?;
    let length = rule.length(here)?;
    Some(Secret { at: at..at + length, name: rule.name })
}

/// Cheap filter: true if some key starts with these two bytes.
fn may_begin(first: u8, second: u8) -> bool {
    let pair = usize::from(first) << 8 | usize::from(second);
    PAIRS[pair / 64] >> (pair % 64) & 1 == 1
}

/// Pairs of bytes that keys start with, as a bit set.
static PAIRS: [u64; 1024] = {
    let mut table = [0; 1024];
    let mut n = 0;
    while n <= RULES.len() {
        let prefix = if n < RULES.len() { RULES[n].prefix } else { b"eyJ" };
        let pair = (prefix[0] as usize) << 8 | prefix[1] as usize;
        table[pair / 64] |= 1 << (pair % 64);
        n += 1;
    }
    table
};

impl Rule {
    /// Length of the key at the start of `text`, if it is one.
    fn length(&self, text: &[u8]) -> Option<usize> {
        let rest = &text[self.prefix.len()..];
        let is_path = matches!(self.name, SLACK_WEBHOOK | DISCORD_WEBHOOK);
        let is_part = |b: &u8| {
            b.is_ascii_alphanumeric()
                || (self.marks && matches!(b, b'-' | b'_' | b'.'))
                || (is_path && *b == b'/')
        };
        // A prefix can be repeated without end: bounded before it is known to be a key.
        let seen = &rest[..rest.len().min(4 * self.shortest)];
        let seen = &seen[..seen.iter().position(|b| !is_part(b)).unwrap_or(seen.len())];
        if seen.len() < self.shortest {
            return None;
        }
        let is_key = match self.name {
            // Base 32, of a fixed length; whole words in capitals are longer or shorter.
            "AWS key id" => {
                seen.len() == 16 && seen.iter().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
            }
            // The prefix is unmistakable.
            STRIPE => true,
            _ => seen.iter().any(u8::is_ascii_digit) && seen.iter().any(u8::is_ascii_alphabetic),
        };
        let whole = rest.iter().position(|b| !is_part(b)).unwrap_or(rest.len());
        // The full stop after a key ends a sentence.
        let stops = rest[..whole].iter().rev().take_while(|b| **b == b'.').count();
        is_key.then_some(self.prefix.len() + whole - stops)
    }
}

/// Three parts of base64url, the first of which is a JSON object.
fn jwt(text: &[u8]) -> Option<usize> {
    if !text.starts_with(b"eyJ") {
        return None;
    }
    let mut length = 0;
    for (n, part) in text.split(|b| *b == b'.').take(3).enumerate() {
        let plain = part.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')).count();
        if plain < 8 || (plain < part.len() && n < 2) {
            return None;
        }
        length += plain + usize::from(n > 0);
        if n == 2 {
            return Some(length);
        }
    }
    None
}

/// Length of the token at the start of `text`, if `Bearer` precedes it.
fn bearer(before: &[u8], text: &[u8]) -> Option<usize> {
    let before = before.strip_suffix(b" ")?;
    let word = &before[before.len().saturating_sub(6)..];
    let length = text.len() - text.iter().rev().take_while(|b| **b == b'.').count();
    (word.eq_ignore_ascii_case(b"bearer") && looks_generated(&text[..length])).then_some(length)
}

/// Length of the token at the start of `text`, if the number of a Telegram bot precedes it.
fn telegram(before: &[u8], text: &[u8]) -> Option<usize> {
    const LENGTH: usize = 35;
    let before = before.strip_suffix(b":")?;
    let digits = before.iter().rev().take(12).take_while(|b| b.is_ascii_digit()).count();
    let is_bounded = before[..before.len() - digits].last().is_none_or(|b| !b.is_ascii_alphanumeric());
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let length = text.iter().take_while(is_part).count();
    let is_token = text.starts_with(b"AA") && length == LENGTH && text.iter().any(u8::is_ascii_digit);
    (is_token && (8..=10).contains(&digits) && is_bounded).then_some(LENGTH)
}

/// True if a word starts here, also after an escape sequence that ends in a letter.
fn begins_word(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    let Some(last) = before.last() else { return true };
    if !last.is_ascii_alphanumeric() {
        return true;
    }
    let escaped = |length: usize, mark: &[u8]| {
        let from = before.len().checked_sub(length + mark.len());
        from.is_some_and(|from| before[from..].starts_with(mark))
    };
    // `\n` and the like, `\u003d`, `%3D`, and terminal colours.
    (matches!(last, b'n' | b'r' | b't') && escaped(1, b"\\"))
        || (last.is_ascii_hexdigit() && (escaped(4, b"\\u") || escaped(2, b"%")))
        || (*last == b'm' && after_colour(&before[..before.len() - 1]))
}

fn after_colour(before: &[u8]) -> bool {
    let numbers = before.iter().rev().take(12).take_while(|b| b.is_ascii_digit() || **b == b';').count();
    before[..before.len() - numbers].ends_with(b"\x1b[")
        || before[..before.len() - numbers].ends_with(b"u001b[")
}

/// Length of the shortest key: shorter runs are skipped.
const RUN: usize = 15;

/// Runs of key characters, of at least [`RUN`] bytes.
fn runs(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    // Everything before `start` is done; everything from there to `sure` belongs to a run.
    let (mut start, mut sure) = (0, 0);
    std::iter::from_fn(move || {
        loop {
            let probe = start + RUN - 1;
            if probe >= text.len() {
                return None;
            }
            let floor = sure.max(start);
            if let Some(gap) = (floor..=probe).rev().find(|&at| !IN_RUN[usize::from(text[at])]) {
                start = gap + 1;
                sure = probe + 1;
                continue;
            }
            let more = text[probe + 1..].iter().position(|b| !IN_RUN[usize::from(*b)]);
            let end = more.map_or(text.len(), |more| probe + 1 + more);
            let run = start..end;
            (start, sure) = (end + 1, end + 1);
            return Some(run);
        }
    })
}

const IN_RUN: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] =
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'+' | b'~');
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_long_run_is_found_and_nothing_else(text in "[ab ._:]{0,80}") {
            let text = text.as_bytes();
            let expected: Vec<Range<usize>> = text
                .split(|b| !IN_RUN[usize::from(*b)])
                .filter(|run| run.len() >= RUN)
                .map(|run| {
                    let start = run.as_ptr() as usize - text.as_ptr() as usize;
                    start..start + run.len()
                })
                .collect();
            prop_assert!(RULES.iter().all(|rule| rule.prefix.len() + rule.shortest >= RUN));
            prop_assert_eq!(runs(text).collect::<Vec<_>>(), expected);
        }
    }
}
