//! What a debater hands in, and whether it is good enough to be judged.
//!
//! A defense has five tagged parts and one `RECOMMEND:` line for its own side. A decision goes before the judges
//! only if both of its defenses hold; otherwise the synthesis stands, and the [`Failure`] says why. The ballot is
//! made from the parts in [`super::dialectic`].

use super::cited::cites_a_line;
use super::lines::{Line, bare, is_blank, label, lines, trimmed};
use super::token::{self, Alone, Reading};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The two sides of a decision. The thesis is always what the synthesis chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Side {
    /// For what was chosen.
    Thesis,
    /// For the alternative.
    AntiThesis,
}

impl Side {
    /// Both sides, in the order of [`SIDE_TOKENS`].
    pub const BOTH: [Side; 2] = [Side::Thesis, Side::AntiThesis];

    /// As it stands in file names and in lists of failures.
    pub fn role(self) -> &'static str {
        match self {
            Side::Thesis => "thesis",
            Side::AntiThesis => "antithesis",
        }
    }
}

/// The words for the two sides; the underscore matters.
pub const SIDE_TOKENS: [&str; 2] = ["THESIS", "ANTI_THESIS"];

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::Thesis => SIDE_TOKENS[0],
            Side::AntiThesis => SIDE_TOKENS[1],
        })
    }
}

/// How the call to a seat ended, and what it answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Answer {
    /// `OK`, or anything else.
    pub status: String,
    /// What was answered.
    pub text: String,
}

/// The status of a seat that answered.
pub const STATUS_OK: &str = "OK";

/// Why a defense cannot be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// The seat did not answer.
    NoOutput,
    /// A part says nothing.
    SubstantiveEmpty,
    /// A part is missing.
    MissingTag,
    /// Not exactly one `RECOMMEND:` line with a known word.
    BadRecommend,
    /// It recommends the other side.
    RoleMismatch,
    /// The evidence names no `file:line`.
    MissingCitation,
}

impl Failure {
    /// The token of the contract.
    pub fn token(self) -> &'static str {
        match self {
            Failure::NoOutput => "no_output",
            Failure::SubstantiveEmpty => "substantive_empty",
            Failure::MissingTag => "missing_tag",
            Failure::BadRecommend => "bad_recommend",
            Failure::RoleMismatch => "role_mismatch",
            Failure::MissingCitation => "missing_citation",
        }
    }
}

/// The parts of a defense that can be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Defense<'a> {
    parts: [&'a str; 5],
}

/// The tags, in the order their parts are shown to the judges.
pub const TAGS: [&str; 5] =
    ["claim", "evidence", "strongest_concession", "counter_to_opposition", "risk_if_wrong"];
const EVIDENCE: usize = 1;

impl<'a> Defense<'a> {
    /// The claim, which stands for the whole defense in summaries.
    pub fn claim(&self) -> &'a str {
        let [claim, ..] = self.parts;
        claim
    }

    /// All parts, without a recommendation that stands in one of them.
    pub fn body(&self) -> String {
        let parts = self.parts.iter().map(|part| {
            let kept: Vec<&str> =
                lines(part).filter(|line| recommendation(*line).is_none()).map(|line| line.text).collect();
            trimmed(&kept.join("\n")).to_owned()
        });
        parts.collect::<Vec<_>>().join("\n\n")
    }
}

/// Both defenses of a decision, or what keeps them from the judges: one failure per failing side.
pub fn quorum<'a>(
    thesis: &'a Answer,
    antithesis: &'a Answer,
) -> Result<[Defense<'a>; 2], Vec<(Side, Failure)>> {
    let answers = [(Side::Thesis, thesis), (Side::AntiThesis, antithesis)];
    let silent = answers.iter().filter(|(_, answer)| answer.status != STATUS_OK);
    let silent: Vec<_> = silent.map(|(side, _)| (*side, Failure::NoOutput)).collect();
    if !silent.is_empty() {
        return Err(silent);
    }
    match answers.map(|(side, answer)| defense(&answer.text, side).map_err(|failure| (side, failure))) {
        [Ok(thesis), Ok(antithesis)] => Ok([thesis, antithesis]),
        [thesis, antithesis] => Err(thesis.err().into_iter().chain(antithesis.err()).collect()),
    }
}

/// Reads the defense of one side.
pub fn defense(text: &str, side: Side) -> Result<Defense<'_>, Failure> {
    let found = tagged_parts(text);
    if trimmed(text).is_empty() || found.iter().flatten().any(|part| says_nothing(part)) {
        return Err(Failure::SubstantiveEmpty);
    }
    if found.contains(&None) {
        return Err(Failure::MissingTag);
    }
    let parts = found.map(Option::unwrap_or_default);
    let recommended = the_recommendation(text).ok_or(Failure::BadRecommend)?;
    if recommended != side {
        return Err(Failure::RoleMismatch);
    }
    if !cites_a_line(parts[EVIDENCE]) {
        return Err(Failure::MissingCitation);
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

/// Not a letter in it, or only a word that stands for nothing.
fn says_nothing(part: &str) -> bool {
    let words = part.trim_matches(|c: char| is_blank(c) || c.is_ascii_punctuation() || c == '…');
    words.is_empty() || NOTHING.iter().any(|nothing| words.eq_ignore_ascii_case(nothing))
}

const NOTHING: [&str; 5] = ["n/a", "na", "none", "tbd", "todo"];

/// The side the only recommendation of a text is for.
fn the_recommendation(text: &str) -> Option<Side> {
    let mut found = lines(text).filter(|line| !line.fenced).filter_map(recommendation);
    let (only, None) = (found.next()?, found.next()) else { return None };
    match token::read(only, &SIDE_TOKENS, Alone::InTheText) {
        Reading::Word(index, after) if token::reason(after).is_empty() => Side::BOTH.get(index).copied(),
        _ => None,
    }
}

/// What a `RECOMMEND:` line recommends.
fn recommendation(line: Line<'_>) -> Option<&str> {
    let label = label(&bare(line.text))?;
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

    fn failure(text: &str) -> Option<Failure> {
        defense(text, Side::Thesis).err()
    }

    #[test]
    fn a_whole_defense_is_read() {
        let text = thesis();
        let defense = defense(&text, Side::Thesis).unwrap();
        assert_eq!(defense.claim(), "Redis is fast.");
        assert_eq!(
            defense.body(),
            "Redis is fast.\n\nSee src/store.rs:12.\n\nIt costs\nmore.\n\nSQLite locks.\n\nWe migrate."
        );
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
    fn every_way_to_fail_has_its_token() {
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
            assert_eq!(failure(&text).map(Failure::token), Some(token), "{text}");
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
            assert!(defense(&text(line), Side::AntiThesis).is_ok(), "{line}");
            assert_eq!(failure(&text(line)), Some(Failure::RoleMismatch), "{line}");
        }
    }

    #[test]
    fn a_recommendation_inside_a_part_is_not_shown_to_the_judges() {
        let inside = text("").replace("We migrate.", "We migrate.\nRECOMMEND: THESIS\n");
        let body = defense(&inside, Side::Thesis).unwrap().body();
        assert!(body.ends_with("We migrate."), "{body}");
    }

    fn failed(thesis: &Answer, antithesis: &Answer) -> Vec<(Side, Failure)> {
        quorum(thesis, antithesis).err().unwrap_or_default()
    }

    #[test]
    fn both_sides_must_have_answered() {
        let answer = |status: &str, text: String| Answer { status: status.to_owned(), text };
        let good = |side| answer("OK", text(&format!("RECOMMEND: {side}")));
        let (thesis, antithesis) = (good(Side::Thesis), good(Side::AntiThesis));
        assert!(quorum(&thesis, &antithesis).is_ok());
        let late = answer("TIMED_OUT", thesis.text.clone());
        let empty = answer("OK", String::new());
        let no_output = |side| (side, Failure::NoOutput);
        assert_eq!(failed(&late, &antithesis), [no_output(Side::Thesis)]);
        assert_eq!(failed(&thesis, &late), [no_output(Side::AntiThesis)]);
        assert_eq!(failed(&late, &late), Side::BOTH.map(no_output));
        assert_eq!(failed(&late, &empty), [no_output(Side::Thesis)]);
        assert_eq!(failed(&Answer::default(), &antithesis), [no_output(Side::Thesis)]);
        assert_eq!(failed(&answer("ok", thesis.text.clone()), &antithesis), [no_output(Side::Thesis)]);
        assert_eq!(failed(&thesis, &empty), [(Side::AntiThesis, Failure::SubstantiveEmpty)]);
        assert_eq!(failed(&antithesis, &antithesis), [(Side::Thesis, Failure::RoleMismatch)]);
        assert_eq!(failed(&antithesis, &thesis), Side::BOTH.map(|side| (side, Failure::RoleMismatch)));
        assert_eq!(Side::BOTH.map(Side::role), ["thesis", "antithesis"]);
    }

    #[test]
    fn enormous_text_is_read_once() {
        let odd = format!("{}\n{}", "<".repeat(1 << 20), thesis());
        assert_eq!(failure(&odd), None);
    }
}
