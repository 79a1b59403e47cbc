//! Patterns of traces in sentences, and what takes their place. Rules that take something out leave a mark, and
//! [`mend`] closes the gap: punctuation, empty brackets, capital letters.

use super::SubjectMatter;
use super::vocabulary::{WORDS, is_name};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Stands where something was taken out.
const GAP: char = '\u{1}';

const ID: &str = r"`?\b(?:FINDING|OOS|DECISION|QUESTION)_\d+\b`?";
const COUNT: &str = r"\b\d\s*(?:-|–|—|:|to|against)\s*\d\b";
/// Seats and labels of reviewers, which no design needs.
const SEAT: &str = r"`?\b(?:researcher-(?:requirements|dependencies|tasks|vision|scope)|judge-(?:cursor|codex|claude)|voter-(?:cursor|codex|claude)|reviewer-(?:arch|edge|innovation|pragmatic)|(?:walker|investigator)-\d+|debate-\d+(?:-(?:thesis|antithesis))?|(?:[Cc]ursor|[Cc]odex|[Cc]laude|[Gg]emini|[Oo]pencode|[Ee]mbedded)-(?:[Aa]rch|[Ee]dge|[Ii]nnovation|[Pp]ragmatic|[Gg]eneric|[Pp]rimary|[Cc]orrectness|[Ss]ecurity|[Ss]implicity|[Ff]it))(?:#\d+)?`?";
/// Artifacts of a run.
const ARTIFACT: &str = r"`?(?:\.specs/[\w./-]+/)?\b(?:plan(?:-draft|-reviewed|-walked)?\.txt|findings\.md|voting-tally\.md|dialectic-(?:resolutions\.md|ballot\.txt)|contested-decisions\.md|approach-synthesis\.txt|context-summary\.md|design-notes\.md|discussion-round\d\.md|questions-(?:clarify|scope|design|investigate)\.md|(?:investigation|walkthrough)-\d+(?:\.md)?|research-(?:requirements|dependencies|tasks)\.md|accepted-plan-findings\.md|rejected-findings\.md|[\w-]+-(?:sketch|plan|judge|vote)(?:-\w+)?-output\.txt|answers/(?:clarify|pre-design))(?::\d+(?:-\d+)?)?`?";

struct Rule {
    pattern: Regex,
    /// Text that takes its place, with `$1` for a group; `GAP` for nothing.
    replacement: &'static str,
}

/// Rules for sentences, in order: whole clauses first, single words last.
static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let ids = format!(r"{ID}(?:\s*(?:,|/|–|-|and|to)\s*{ID})*");
    let who =
        format!(r"(?:{SEAT}|(?:the\s+)?(?:panel|judges|voters|reviewers|walkers|investigators|synthesist))");
    let source = format!(r"(?:{ARTIFACT}|{SEAT}|{ids})");
    let outcome =
        r"(?:voted|accepted|rejected|upheld|overturned|carried|adopted|exonerated|undecided|neutral)";
    let rules: Vec<(String, &'static str)> = vec![
        // Sentences of the record.
        (r"\d+\s+distinct\s+vendors?\s+sat[^.]*\.".into(), GAP_TEXT),
        (r"Plan\s+review:\s+\d+\s+in\s+scope[^.]*\.".into(), GAP_TEXT),
        // A finding that does something in a sentence is a point.
        (format!(r"{ids},\s+(?:was\s+)?{outcome}(?:\s+unanimously|\s+{COUNT})?,\s+([a-z]+s\b)"), "this point $1"),
        (r"(?i)\b(the)\s+voted\s+(rule|decision|choice|option|remedy)\b".into(), "$1 $2"),
        // A clause about the quorum says nothing else.
        (r"(?i)\b\w[^.;:()]*\bno\s+quorum\b[^.;()]*".into(), GAP_TEXT),
        // `Reviewers: reviewer-arch, voter-claude`.
        (
            format!(
                r"(?i:\b(?:reviewers?|voters?|judges?|proposers?|walkers?|seats?|agents?|vendors?)\b)(?:\*\*)?:(?:\*\*)?\s*{SEAT}(?:\s*(?:,|and)\s*{SEAT})*"
            ),
            GAP_TEXT,
        ),
        // Outcomes and counts of votes.
        (format!(r"(?:{ids}[,:]?\s+)?(?:was\s+|were\s+)?{outcome}\s+(?:unanimously\s+)?(?:by\s+)?{COUNT}(?:\s+votes?)?(?:\s+for\s+the\s+alternative)?(?:\s+with\s+one\s+vote\s+that\s+[^,;.()]*)?"), GAP_TEXT),
        (format!(r"(?i:\b(?:by\s+)?(?:a\s+vote\s+of\s+)?{COUNT}\s+votes?)\b"), GAP_TEXT),
        (r"(?i)\bby\s+(?:one|two|three|four|\d)\s+votes?\s+(?:to|against)\s+(?:none|one|two|three|\d)\b".into(), GAP_TEXT),
        (r"(?i)\bby\s+(?:a\s+)?(?:majority|unanimous)\s+vote\b|\bvoted\s+unanimously\b".into(), GAP_TEXT),
        (r"(?i)\bvoted:\s*(?:upheld|overturned)\b".into(), GAP_TEXT),
        (r"(?i)\b(?:over-cap|bucket-skipped|fallback-to-synthesis|off[- ]ballot)\b(?::\s*rank[^.;|()]*)?".into(), GAP_TEXT),
        (r"(?i)\b(?:it\s+was\s+)?(?:not|never)\s+debated(?:\s+or\s+voted(?:\s+on)?)?(?:\s*\((?:outside|over)\s+the\s+cap\))?".into(), GAP_TEXT),
        (r"(?i)\bnobody\s+(?:debated|voted)\b[^.;()]*".into(), GAP_TEXT),
        (r"(?i)\boutside\s+the\s+(?:top-\d+\s+)?cap\b".into(), GAP_TEXT),
        // The synthesis and the rounds of questions.
        (r"(?i),?\s*\bwhich\s+the\s+synthesis\s+(?:had\s+chosen|chose|preferred)\b".into(), GAP_TEXT),
        (r"(?i)\bthe\s+choice\s+of\s+the\s+synthesis,\s*".into(), ""),
        (r"(?i)\bthe\s+synthesis\s+(?:stands|stood)\b".into(), GAP_TEXT),
        (r"\bThe\s+(?:first|second)\s+discussion\b".into(), "The person"),
        (r"(?i)\bthe\s+(?:first|second)\s+discussion\b".into(), "the person"),
        // Walk-throughs: the scenario stays, the outcome and who saw it go.
        (format!(r"(?i)\b(?:walked|traced|checked|found|proposed|raised|suggested|noted|argued|reported|seen|mended)(?:\s+through)?\s+by\s+{who}(?:\s*(?:,|and)\s*{who})*"), GAP_TEXT),
        (r"(?:^|[\s:;,—–-]+)(?:\*\*)?HOLDS(?:\*\*)?(?:[.;]|\s*$)".into(), GAP_TEXT),
        (r"(?:\*\*)?\bBREAKS\s+at\s+step\s+(\d+)(?:\*\*)?".into(), "fails at step $1"),
        // Sources and authors.
        (
            format!(r"(?i:\b(?:see|in|per|from|according\s+to|as\s+in|cf\.))\s+{source}(?:\s*(?:,|and)\s*{source})*"),
            GAP_TEXT,
        ),
        (format!(r"{SEAT}(?:\s*(?:,|and)\s*{SEAT})*\s*:\s*"), GAP_TEXT),
        (SEAT.to_owned(), GAP_TEXT),
        (ARTIFACT.to_owned(), "the research"),
        // Ids: a label in front goes, one inside a sentence becomes a noun.
        (format!(r"(^|[.;:]\s+|- |\*\*){ids}(?:\*\*)?\s*[,:]\s*"), "$1\u{1}"),
        (r"`?\b(?:DECISION|QUESTION)_\d+\b`?".into(), "this decision"),
        (r"`?\b(?:FINDING|OOS)_\d+\b`?".into(), "this point"),
    ];
    rules.into_iter().map(|(pattern, replacement)| rule(&pattern, replacement)).collect()
});

const GAP_TEXT: &str = "\u{1}";

/// Replacement for a word of the vocabulary that no rule above explained.
const NEUTRAL: &[(&str, &str)] = &[
    (r"(?i)\bvoted\s+(for|against|on)\b", "decided $1"),
    (r"(?i)\bvoted\b", "decided"),
    (r"(?i)\bvotes?\b", "decision"),
    (r"(?i)\bvoting\b", "deciding"),
    (
        r"(?i)\b(?:the\s+)?(?:voters?|judges|reviewers|debaters|walkers?|investigators?|panellists|panel|synthesist|aggregator)\b",
        "the designers",
    ),
    (r"(?i)\b(?:the\s+)?(?:antithesis|thesis|synthesis|dialectic|sketches)\b", "the discussion"),
    (r"(?i)\bdebated\b", "discussed"),
    (r"(?i)\bexonerated\b", "set aside"),
    (r"(?i)\b(?:ballots?|quorum)\b", "list"),
    (r"(?i)\b(?:claude(?:\s+code)?|codex|gemini|opencode|anthropic|openai|charrette)\b", "one author"),
    (r"\bCursor\b", "one author"),
];

static NEUTRAL_RULES: LazyLock<Vec<Rule>> =
    LazyLock::new(|| NEUTRAL.iter().map(|(pattern, replacement)| rule(pattern, replacement)).collect());

/// Traces for which nothing must be left, whatever the subject.
static FORBIDDEN: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(
        r"{ID}|{SEAT}|{ARTIFACT}|\b(?:voted|upheld|overturned|exonerated)\s+{COUNT}|(?i:\b(?:over-cap|bucket-skipped|fallback-to-synthesis|off-ballot)\b)|(?i:\bvoted:\s)|\bHOLDS\b|\bBREAKS at\b|(?i:\bdistinct vendors? (?:sat|took part)\b)|(?i:\bnobody (?:debated|voted)\b)"
    ))
});

static WORD: LazyLock<Regex> = LazyLock::new(|| compile(r"[A-Za-z]+"));

static BRACKETS: LazyLock<Regex> = LazyLock::new(|| compile(r"\s?\(([^()]*)\)"));

static OUTCOME_IN_BRACKETS: LazyLock<Regex> = LazyLock::new(|| {
    compile(&format!(
        r"(?i:\b(?:voted|accepted|rejected|upheld|overturned|adopted|exonerated|neutral|undecided)\b)(?:\s+unanimously|\s+{COUNT})?(?:\s+with\s+one\s+vote\s+that\s+[^,;()]*)?"
    ))
});

/// Cleans a paragraph or list item.
pub(super) fn clean_sentences(text: &str, subject: &SubjectMatter) -> String {
    let indent = text.len() - text.trim_start().len();
    let cleaned = mend(&apply(&text[indent..], subject));
    format!("{}{}", &text[..indent], cleaned)
}

/// Cleans a heading. A walk-through is a list of scenarios.
pub(super) fn clean_title(title: &str, subject: &SubjectMatter) -> String {
    let title = title.trim();
    if ["walk-through", "walk-throughs", "walkthrough", "walkthroughs", "scenarios walked through"]
        .contains(&title.to_lowercase().as_str())
    {
        return "Scenarios".to_owned();
    }
    mend(&apply(title, subject))
}

/// Cleans a cell of a table.
pub(super) fn clean_cell(cell: &str, subject: &SubjectMatter) -> String {
    mend(&apply(cell, subject))
}

/// Cleans a line of code: only ids and seats are traces there, and comments hold them.
pub(super) fn clean_code(line: &str) -> String {
    static IN_CODE: LazyLock<Regex> =
        LazyLock::new(|| compile(&format!(r"\s*\(?(?:{ID})[):,]*|\s*(?:{SEAT}):?")));
    if IN_CODE.is_match(line) { IN_CODE.replace_all(line, "").trim_end().to_owned() } else { line.to_owned() }
}

/// Traces in a line that was cleaned.
pub(super) fn find(line: &str, in_code: bool, subject: &SubjectMatter) -> Vec<String> {
    let mut found: Vec<String> = FORBIDDEN.find_iter(line).map(|found| found.as_str().to_owned()).collect();
    if !in_code {
        let is_trace = |word: &&str| {
            let known = WORDS
                .iter()
                .find(|known| *known == word || (!is_name(known) && word.eq_ignore_ascii_case(known)));
            known.is_some_and(|known| !subject.has(known))
        };
        let prose = without_inline_code(line);
        found.extend(WORD.find_iter(&prose).map(|word| word.as_str()).filter(is_trace).map(str::to_owned));
    }
    found
}

/// Applies all rules, with marks where something was taken out.
fn apply(text: &str, subject: &SubjectMatter) -> String {
    let mut text =
        BRACKETS.replace_all(text, |captures: &Captures<'_>| clean_brackets(captures)).into_owned();
    for rule in RULES.iter() {
        text = rule.pattern.replace_all(&text, rule.replacement).into_owned();
    }
    // Inline code is a name in the repository, never prose.
    let mut parts: Vec<String> = text.split('`').map(str::to_owned).collect();
    for part in parts.iter_mut().step_by(2) {
        for rule in NEUTRAL_RULES.iter() {
            let neutral = |captures: &Captures<'_>| {
                let found = captures.get(0).map_or("", |found| found.as_str());
                if is_subject(found, subject) {
                    return found.to_owned();
                }
                let mut replaced = String::new();
                captures.expand(rule.replacement, &mut replaced);
                replaced
            };
            *part = rule.pattern.replace_all(part, neutral).into_owned();
        }
    }
    parts.join("`")
}

/// True if a match of a neutral rule has a word that belongs to the matter.
fn is_subject(found: &str, subject: &SubjectMatter) -> bool {
    WORD.find_iter(found).any(|word| subject.has(&word.as_str().to_lowercase()) || subject.has(word.as_str()))
}

/// Takes ids, seats, artifacts and outcomes out of brackets, and the brackets themselves if nothing else was in them.
fn clean_brackets(captures: &Captures<'_>) -> String {
    static TRACES: LazyLock<Regex> = LazyLock::new(|| compile(&format!(r"{ID}|{SEAT}|{ARTIFACT}")));
    let whole = &captures[0];
    if !TRACES.is_match(&captures[1]) {
        return whole.to_owned();
    }
    let inside = TRACES.replace_all(&captures[1], GAP_TEXT);
    let inside = OUTCOME_IN_BRACKETS.replace_all(&inside, GAP_TEXT);
    let parts: Vec<&str> = inside
        .split([',', ';'])
        .map(|part| part.trim_matches(|c: char| c == GAP || c.is_whitespace()))
        .map(|part| if ["and", "see", "or", "to", "in"].contains(&part) { "" } else { part })
        .filter(|part| !part.is_empty())
        .collect();
    let inside = parts.join(", ").replace(GAP, "");
    let space = if whole.starts_with(char::is_whitespace) { " " } else { "" };
    if inside.chars().any(char::is_alphanumeric) && inside.trim() != "and" {
        format!("{space}({})", inside.trim().trim_start_matches("and ").trim_end_matches(" and"))
    } else {
        String::new()
    }
}

/// Closes the gaps.
fn mend(text: &str) -> String {
    static STEPS: LazyLock<Vec<Rule>> = LazyLock::new(|| {
        let steps: [(&str, &'static str); 11] = [
            // Several gaps in a row are one; words that joined them go.
            (r"\x01(?:[\s,;]*(?:and\s+)?\x01)+", "\x01"),
            (r"\(\s*\x01[\s,;]*\)", ""),
            (r"\(\s*\x01[\s,;:]*", "("),
            (r"[\s,;:—–]*\x01\s*\)", ")"),
            // A sentence of nothing.
            (r"(^|[.!?]\s+|:\s+)\x01\s*[.;]\s*", "$1\x02"),
            // At the start of a sentence, the rest begins it.
            (
                r"(^|\x02|[.!?]\s+|- (?:\[[ x]\] )?|\d+\. |:\*\*\s*|\*\*\s+)\x01[\s,;:—–]*(?:and\s+|but\s+)?",
                "$1\x02",
            ),
            (r"\s*\(\s*\)", ""),
            // In front of punctuation, behind it, between words.
            (r"[\s,;—–]*\x01\s*([.!?])", "$1"),
            (r"\s*[,;]?\s*\x01\s*([,;:])\s*", "$1 "),
            (r"\s*([,;])?\s*\x01\s*", "$1 "),
            (r"[ \t]{2,}", " "),
        ];
        steps.iter().map(|(pattern, replacement)| rule(pattern, replacement)).collect()
    });
    static START: LazyLock<Regex> = LazyLock::new(|| compile(r"\x02+\s*(\p{Ll}?)"));
    static SENTENCE: LazyLock<Regex> = LazyLock::new(|| {
        compile(
            r"(^|[.!?]\s)(this (?:point|decision)|the (?:person|designers|discussion|research)|one author)\b",
        )
    });
    if !text.contains(GAP) {
        return capitalise(&SENTENCE, text).trim_end().to_owned();
    }
    let mut text = text.to_owned();
    for step in STEPS.iter() {
        text = step.pattern.replace_all(&text, step.replacement).into_owned();
    }
    let text = START.replace_all(&text, |captures: &Captures<'_>| captures[1].to_uppercase());
    let text = text.replace(" ,", ",").replace(" .", ".").replace(" ;", ";").replace("..", ".");
    let text = text.trim_end().trim_end_matches([',', ';']);
    capitalise(&SENTENCE, text)
}

fn capitalise(pattern: &Regex, text: &str) -> String {
    let capital = |captures: &Captures<'_>| {
        let mut word = captures[2].chars();
        let first: String = word.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
        format!("{}{first}{}", &captures[1], word.as_str())
    };
    pattern.replace_all(text, capital).into_owned()
}

fn without_inline_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

fn rule(pattern: &str, replacement: &'static str) -> Rule {
    Rule { pattern: compile(pattern), replacement }
}

/// Compiles a pattern of this file; the tests use every one of them.
fn compile(pattern: &str) -> Regex {
    #[expect(clippy::expect_used, reason = "a constant of this file")]
    Regex::new(pattern).expect("a valid pattern")
}
