//! Parser of a debater's defense, and the quorum check of a debate.
//!
//! A defense has five tagged parts and one `RECOMMEND:` line for its own side. A decision goes to the judges
//! only if both defenses are valid; otherwise the synthesis stands, with a [`DefenseFailure`] as the reason. A defense
//! that is too long is valid, but its author is asked once to shorten it ([`excess_words`]). [`super::dialectic`]
//! builds the ballot from the parts.

use super::citations::cites_line;
use super::token::{self, TokenMatch, TokenScope};
use crate::markdown::{Line, is_blank, label, lines, strip_decoration, trimmed};
use crate::words;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Side of a contested decision. The thesis is always the choice of the synthesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DebateSide {
    /// Defends the chosen option.
    Thesis,
    /// Defends the alternative.
    AntiThesis,
}

impl DebateSide {
    /// Both sides, in the order of [`SIDE_TOKENS`].
    pub const BOTH: [DebateSide; 2] = [DebateSide::Thesis, DebateSide::AntiThesis];

    /// Name in file names and failure lists.
    pub fn role(self) -> &'static str {
        match self {
            DebateSide::Thesis => "thesis",
            DebateSide::AntiThesis => "antithesis",
        }
    }
}

/// Tokens of the two sides; the underscore is significant.
pub const SIDE_TOKENS: [&str; 2] = ["THESIS", "ANTI_THESIS"];

impl fmt::Display for DebateSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DebateSide::Thesis => SIDE_TOKENS[0],
            DebateSide::AntiThesis => SIDE_TOKENS[1],
        })
    }
}

/// Status and text of a seat's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SeatAnswer {
    /// `OK`, or anything else.
    pub status: String,
    pub text: String,
}

/// Status of a successful call.
pub const STATUS_OK: &str = "OK";

/// Reason why a defense is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DefenseFailure {
    /// The call of the seat failed.
    NoOutput,
    /// A part is empty or only a placeholder.
    SubstantiveEmpty,
    MissingTag,
    /// Not exactly one `RECOMMEND:` line with a known token.
    BadRecommend,
    /// The recommendation is for the other side.
    RoleMismatch,
    /// The evidence cites no `file:line`.
    MissingCitation,
}

impl DefenseFailure {
    /// Contract token of this failure.
    pub fn token(self) -> &'static str {
        match self {
            DefenseFailure::NoOutput => "no_output",
            DefenseFailure::SubstantiveEmpty => "substantive_empty",
            DefenseFailure::MissingTag => "missing_tag",
            DefenseFailure::BadRecommend => "bad_recommend",
            DefenseFailure::RoleMismatch => "role_mismatch",
            DefenseFailure::MissingCitation => "missing_citation",
        }
    }
}

/// Parts of a valid defense.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defense<'a> {
    parts: [&'a str; 5],
}

/// Tags of the parts, in the order shown to the judges.
pub const TAGS: [&str; 5] =
    ["claim", "evidence", "strongest_concession", "counter_to_opposition", "risk_if_wrong"];
const EVIDENCE: usize = 1;

/// Labels of the parts on the ballot, in the order of [`TAGS`].
const PART_LABELS: [&str; 5] =
    ["Claim", "Evidence", "Strongest concession", "Counter to the opposition", "Risk if wrong"];

/// Maximum number of words of a whole defense.
pub const DEFENSE_WORDS: usize = 300;

/// Words over a limit that are forgiven, as a share: nobody is asked again for a handful of words.
const TOLERANCE: usize = 10;

/// Maximum number of words of each part, in the order of [`TAGS`].
pub const PART_WORDS: [usize; 5] = [60, 120, 60, 80, 60];

impl<'a> Defense<'a> {
    /// The claim, used as the summary of the defense.
    pub fn claim(&self) -> &'a str {
        let [claim, ..] = self.parts;
        claim
    }

    /// All parts as one text, each with its label, without `RECOMMEND:` lines.
    pub fn body(&self) -> String {
        let parts = PART_LABELS.iter().zip(self.parts).map(|(label, part)| {
            let lines_kept: Vec<&str> =
                lines(part).filter(|line| recommendation(*line).is_none()).map(|line| line.text).collect();
            format!("{label}: {}", trimmed(&lines_kept.join("\n")))
        });
        parts.collect::<Vec<_>>().join("\n\n")
    }

    /// All parts, for the places they cite.
    pub(super) fn cited_text(&self) -> String {
        self.parts.join("\n")
    }
}

/// The parts that exceed their limit, and the whole if it does; empty if the defense is short enough. For its author.
pub fn excess_words(text: &str) -> Vec<String> {
    let parts = tagged_parts(text).map(|part| words::count(part.unwrap_or_default()));
    let mut problems: Vec<String> = TAGS
        .iter()
        .zip(parts.iter().zip(PART_WORDS))
        .filter(|(_, (count, limit))| is_excess(**count, *limit))
        .map(|(tag, (count, limit))| format!("<{tag}> has {count} words, at most {limit} are allowed"))
        .collect();
    let total: usize = parts.iter().sum();
    if is_excess(total, DEFENSE_WORDS) {
        problems.push(format!("the defense has {total} words, at most {DEFENSE_WORDS} are allowed"));
    }
    problems
}

fn is_excess(count: usize, limit: usize) -> bool {
    count > limit + limit / TOLERANCE
}

/// Parses both defenses of a decision, or returns one failure per invalid side.
pub fn check_quorum<'a>(
    thesis: &'a SeatAnswer,
    antithesis: &'a SeatAnswer,
) -> Result<[Defense<'a>; 2], Vec<(DebateSide, DefenseFailure)>> {
    let answers = [(DebateSide::Thesis, thesis), (DebateSide::AntiThesis, antithesis)];
    let silent = answers.iter().filter(|(_, answer)| answer.status != STATUS_OK);
    let silent: Vec<_> = silent.map(|(side, _)| (*side, DefenseFailure::NoOutput)).collect();
    if !silent.is_empty() {
        return Err(silent);
    }
    match answers.map(|(side, answer)| read_defense(&answer.text, side).map_err(|failure| (side, failure))) {
        [Ok(thesis), Ok(antithesis)] => Ok([thesis, antithesis]),
        [thesis, antithesis] => Err(thesis.err().into_iter().chain(antithesis.err()).collect()),
    }
}

/// Parses the defense of one side.
pub fn read_defense(text: &str, side: DebateSide) -> Result<Defense<'_>, DefenseFailure> {
    let found = tagged_parts(text);
    if trimmed(text).is_empty() || found.iter().flatten().any(|part| is_placeholder(part)) {
        return Err(DefenseFailure::SubstantiveEmpty);
    }
    if found.contains(&None) {
        return Err(DefenseFailure::MissingTag);
    }
    let parts = found.map(Option::unwrap_or_default);
    let recommended = recommended_side(text).ok_or(DefenseFailure::BadRecommend)?;
    if recommended != side {
        return Err(DefenseFailure::RoleMismatch);
    }
    if !cites_line(parts[EVIDENCE]) {
        return Err(DefenseFailure::MissingCitation);
    }
    Ok(Defense { parts })
}

/// The text of the first `<tag>…</tag>` of each tag. Tags inside code fences do not count, text there does.
fn tagged_parts(text: &str) -> [Option<&str>; 5] {
    let mut opened: [Option<usize>; 5] = [None; 5];
    let mut parts = [None; 5];
    for line in lines(text).filter(|line| !line.fenced) {
        for (at, _) in line.text.match_indices('<') {
            let (start, tag) = (line.start + at, &line.text[at..]);
            for (index, name) in TAGS.iter().enumerate() {
                match opened[index] {
                    None if is_tag(tag, "<", name) => opened[index] = Some(start + name.len() + 2),
                    Some(from) if parts[index].is_none() && is_tag(tag, "</", name) => {
                        parts[index] = Some(&text[from..start]);
                    }
                    _ => {}
                }
            }
        }
    }
    parts
}

fn is_tag(text: &str, opening: &str, name: &str) -> bool {
    let rest = text.strip_prefix(opening).and_then(|rest| rest.split_at_checked(name.len()));
    rest.is_some_and(|(word, rest)| word.eq_ignore_ascii_case(name) && rest.starts_with('>'))
}

/// True if a part has no words, or only a placeholder such as `n/a` or `tbd`.
fn is_placeholder(part: &str) -> bool {
    let words = part.trim_matches(|c: char| is_blank(c) || c.is_ascii_punctuation() || c == '…');
    words.is_empty() || PLACEHOLDERS.iter().any(|nothing| words.eq_ignore_ascii_case(nothing))
}

const PLACEHOLDERS: [&str; 5] = ["n/a", "na", "none", "tbd", "todo"];

/// The side of the only recommendation; none if there are several.
fn recommended_side(text: &str) -> Option<DebateSide> {
    let mut found = lines(text).filter(|line| !line.fenced).filter_map(recommendation);
    let (only, None) = (found.next()?, found.next()) else { return None };
    match token::match_token(only, &SIDE_TOKENS, TokenScope::WholeText) {
        TokenMatch::Word(index, after) if token::reason(after).is_empty() => {
            DebateSide::BOTH.get(index).copied()
        }
        _ => None,
    }
}

/// The value of a `RECOMMEND:` line.
fn recommendation(line: Line<'_>) -> Option<&str> {
    let label = label(&strip_decoration(line.text))?;
    label.name.eq_ignore_ascii_case("recommend").then_some(label.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(recommend: &str) -> String {
        format!(
            "Preface.\n<claim>Redis is fast.</claim>\n<evidence>See src/store.rs:12.</evidence>\n\
             <strongest_concession>It costs\nmore.</strongest_concession> <counter_to_opposition>SQLite locks.</counter_to_opposition>\n\
             <risk_if_wrong>We migrate.</risk_if_wrong>\n\n{recommend}\n"
        )
    }

    fn thesis() -> String {
        text("RECOMMEND: THESIS")
    }

    fn failure(text: &str) -> Option<DefenseFailure> {
        read_defense(text, DebateSide::Thesis).err()
    }

    #[test]
    fn a_whole_defense_is_read() {
        let text = thesis();
        let defense = read_defense(&text, DebateSide::Thesis).unwrap();
        assert_eq!(defense.claim(), "Redis is fast.");
        assert_eq!(
            defense.body(),
            "Claim: Redis is fast.\n\nEvidence: See src/store.rs:12.\n\nStrongest concession: It costs\nmore.\n\n\
             Counter to the opposition: SQLite locks.\n\nRisk if wrong: We migrate."
        );
    }

    #[test]
    fn a_long_defense_is_valid_but_told_apart() {
        assert_eq!(excess_words(&thesis()), [""; 0]);
        let long = |part: &str, words: usize| thesis().replace(part, &"word ".repeat(words));
        let claim = long("Redis is fast.", 67);
        assert_eq!(failure(&claim), None);
        assert_eq!(excess_words(&claim), ["<claim> has 67 words, at most 60 are allowed"]);
        assert_eq!(excess_words(&long("Redis is fast.", 66)), [""; 0]);
        let all = PART_WORDS.iter().zip(TAGS).fold(String::new(), |text, (words, tag)| {
            format!("{text}<{tag}>{}</{tag}>", "word ".repeat(*words))
        });
        assert_eq!(excess_words(&all), ["the defense has 380 words, at most 300 are allowed"]);
        assert_eq!(excess_words("no tags at all"), [""; 0]);
    }

    #[test]
    fn tags_are_forgiving_about_their_place_and_case() {
        for odd in [
            thesis().replace('\n', "\r\n"),
            thesis().replace("claim>", "Claim>").replace("evidence>", "EVIDENCE>"),
            format!("\u{feff}<steelman>They say SQLite.</steelman>{}", thesis()),
            format!("```\n<claim></claim>\nRECOMMEND: ANTI_THESIS\n```\n{}", thesis()),
            thesis().replace("See src", "\n```rust\nlet x = a < b;\n```\nSee src"),
            thesis() + "<claim></claim>",
            thesis().replace("Redis is", "Redis (a <b>fast</b> one) < is"),
        ] {
            assert_eq!(failure(&odd), None, "{odd}");
        }
    }

    #[test]
    fn every_failure_has_its_token() {
        for (token, text) in [
            ("substantive_empty", String::new()),
            ("substantive_empty", " \r\n\0 ".to_owned()),
            ("substantive_empty", thesis().replace("Redis is fast.", "")),
            ("substantive_empty", thesis().replace("Redis is fast.", " \n … ")),
            ("substantive_empty", thesis().replace("We migrate.", "N/A.")),
            ("substantive_empty", thesis().replace("We migrate.", "none")),
            ("substantive_empty", thesis().replace("Redis is fast.", "").replace("<evidence>", "")),
            ("missing_tag", "Redis is fast.\nRECOMMEND: THESIS".to_owned()),
            ("missing_tag", thesis().replace("</claim>", "")),
            ("missing_tag", thesis().replace("<claim>", "")),
            ("missing_tag", thesis().replace("<claim>", "< claim >")),
            ("missing_tag", thesis().replace("<claim>", "</claim>")),
            ("missing_tag", thesis().replace("<claim>", "<claim")),
            ("missing_tag", thesis().replace("<evidence>", "<evidences>")),
            ("missing_tag", thesis().replace("strongest_concession", "steelman")),
            ("missing_tag", thesis().replace("counter_to_opposition", "counter")),
            ("missing_tag", thesis().replace("risk_if_wrong", "risk")),
            ("missing_tag", thesis().replace("RECOMMEND: THESIS", "").replace("<claim>", "")),
            ("bad_recommend", text("")),
            ("bad_recommend", text("RECOMMEND:")),
            ("bad_recommend", text("RECOMMEND: MAYBE")),
            ("bad_recommend", text("RECOMMEND: ANTITHESIS")),
            ("bad_recommend", text("RECOMMEND: THESIS|ANTI_THESIS")),
            ("bad_recommend", text("RECOMMEND: THESIS or ANTI_THESIS")),
            ("bad_recommend", text("RECOMMEND: THESIS because it is fast")),
            ("bad_recommend", text("RECOMMEND: THESIS\nRECOMMEND: THESIS")),
            ("bad_recommend", text("RECOMMEND: THESIS\nRecommend: keep the cache")),
            ("bad_recommend", text("I RECOMMEND: THESIS")),
            ("bad_recommend", text("```\nRECOMMEND: THESIS\n```")),
            ("role_mismatch", text("RECOMMEND: ANTI_THESIS")),
            ("missing_citation", thesis().replace("src/store.rs:12", "the store")),
            ("missing_citation", thesis().replace("See src/store.rs:12", "x").replace("Redis", "src/a.rs:1")),
            ("role_mismatch", text("RECOMMEND: ANTI_THESIS").replace("src/store.rs:12", "the store")),
        ] {
            assert_eq!(failure(&text).map(DefenseFailure::token), Some(token), "{text}");
        }
    }

    #[test]
    fn a_recommendation_is_read_however_it_is_decorated() {
        for line in [
            "RECOMMEND: THESIS",
            "  RECOMMEND:THESIS  ",
            "recommend: thesis",
            "**RECOMMEND: THESIS**",
            "__RECOMMEND: THESIS__",
            "**RECOMMEND:** THESIS",
            "- RECOMMEND: `THESIS`.",
        ] {
            assert_eq!(failure(&text(line)), None, "{line}");
        }
        for line in ["RECOMMEND: ANTI_THESIS", "**recommend: anti_thesis**", "__RECOMMEND: ANTI_THESIS__"] {
            assert!(read_defense(&text(line), DebateSide::AntiThesis).is_ok(), "{line}");
            assert_eq!(failure(&text(line)), Some(DefenseFailure::RoleMismatch), "{line}");
        }
    }

    #[test]
    fn a_recommendation_inside_a_part_is_not_shown_to_the_judges() {
        let inside = text("").replace("We migrate.", "We migrate.\nRECOMMEND: THESIS\n");
        let body = read_defense(&inside, DebateSide::Thesis).unwrap().body();
        assert!(body.ends_with("We migrate."), "{body}");
    }

    fn failed(thesis: &SeatAnswer, antithesis: &SeatAnswer) -> Vec<(DebateSide, DefenseFailure)> {
        check_quorum(thesis, antithesis).err().unwrap_or_default()
    }

    #[test]
    fn both_sides_must_have_answered() {
        let answer = |status: &str, text: String| SeatAnswer { status: status.to_owned(), text };
        let good = |side| answer("OK", text(&format!("RECOMMEND: {side}")));
        let (thesis, antithesis) = (good(DebateSide::Thesis), good(DebateSide::AntiThesis));
        assert!(check_quorum(&thesis, &antithesis).is_ok());
        let late = answer("TIMED_OUT", thesis.text.clone());
        let empty = answer("OK", String::new());
        let no_output = |side| (side, DefenseFailure::NoOutput);
        assert_eq!(failed(&late, &antithesis), [no_output(DebateSide::Thesis)]);
        assert_eq!(failed(&thesis, &late), [no_output(DebateSide::AntiThesis)]);
        assert_eq!(failed(&late, &late), DebateSide::BOTH.map(no_output));
        assert_eq!(failed(&late, &empty), [no_output(DebateSide::Thesis)]);
        assert_eq!(failed(&SeatAnswer::default(), &antithesis), [no_output(DebateSide::Thesis)]);
        assert_eq!(failed(&answer("ok", thesis.text.clone()), &antithesis), [no_output(DebateSide::Thesis)]);
        assert_eq!(failed(&thesis, &empty), [(DebateSide::AntiThesis, DefenseFailure::SubstantiveEmpty)]);
        assert_eq!(failed(&antithesis, &antithesis), [(DebateSide::Thesis, DefenseFailure::RoleMismatch)]);
        assert_eq!(
            failed(&antithesis, &thesis),
            DebateSide::BOTH.map(|side| (side, DefenseFailure::RoleMismatch))
        );
        assert_eq!(DebateSide::BOTH.map(DebateSide::role), ["thesis", "antithesis"]);
    }

    #[test]
    fn huge_texts_take_linear_time() {
        let odd = format!("{}\n{}", "<".repeat(1 << 20), thesis());
        assert_eq!(failure(&odd), None);
    }
}
