//! Parsers of untrusted text, and the guarantee of each besides not to panic.

use charrette_agents::stream::{OutputFormat, ProcessEnd};
use charrette_model::branch::BranchInfo;
use charrette_model::checkpoint;
use charrette_model::config::{Layer, read_layers};
use charrette_model::diagram::{DiagramMode, check};
use charrette_model::feature::flags;
use charrette_model::feature::name::FeaturePath;
use charrette_model::handoff::markdown::response_in_markdown;
use charrette_model::handoff::{check_request, check_response, check_text};
use charrette_model::panel::context_summary::read_context_summary;
use charrette_model::panel::debate::{DebateSide, read_defense};
use charrette_model::panel::decisions::{read_decisions, write_decisions};
use charrette_model::panel::dialectic::tally_judges;
use charrette_model::panel::discussion::{read_discussion, write_discussion};
use charrette_model::panel::findings::read_findings;
use charrette_model::panel::questions::{QuestionRound, read_questions};
use charrette_model::panel::research_notes::{check_places, read_research_notes, strike_places};
use charrette_model::panel::resolutions::{read_resolutions, write_resolutions};
use charrette_model::panel::review_items::{read_review_items, write_review_items};
use charrette_model::panel::verdict::read_verdict;
use charrette_model::panel::votes::tally_votes;
use charrette_model::seats::files::split_files;
use charrette_model::session::{Health, SessionEnv};
use charrette_model::spec::ears::classify;
use charrette_model::spec::ids::mentions;
use charrette_model::spec::meta::SpecMeta;
use charrette_model::spec::record::SpecRecord;
use charrette_model::spec::requirements::Requirements;
use charrette_model::spec::tasks::TaskList;
use charrette_model::words;
use serde_json::json;

/// Parses a text; the error names a broken guarantee.
type ParserCheck = fn(&str) -> Result<(), String>;

pub(super) const PARSER_CHECKS: &[(&str, ParserCheck)] = &[
    ("decisions", |text| {
        let found = read_decisions(text);
        let again = read_decisions(&write_decisions(&found.contested));
        expect_equal(&found.contested, &again.contested)
    }),
    ("resolutions", |text| {
        let (found, _) = read_resolutions(text);
        expect_equal(&found, &read_resolutions(&write_resolutions(&found)).0)
    }),
    ("merged findings", |text| {
        let (found, _) = read_review_items(text);
        expect_equal(&found, &read_review_items(&write_review_items(&found)).0)
    }),
    ("discussion", |text| {
        let (found, _) = read_discussion(text);
        expect_equal(&found, &read_discussion(&write_discussion(&found)).0)
    }),
    ("findings", |text| ignore_result(read_findings(text))),
    ("files", |text| ignore_result(split_files(text, &["design.md", "tasks.md"]))),
    ("verdict", |text| ignore_result(read_verdict(text, &["APPROVE", "REVISE", "PASS", "FAIL"]))),
    ("defense", |text| {
        let _ = read_defense(text, DebateSide::Thesis);
        ignore_result(read_defense(text, DebateSide::AntiThesis))
    }),
    ("judges", |text| {
        expect_valid_request(|| {
            let judge = |name: &str| json!({"name": name, "status": "OK", "text": text});
            let request =
                json!({"decisions": [{"n": 1}, {"n": 2}], "judges": [judge("a"), judge("b"), judge("c")]});
            serde_json::from_value(request).map(|request| drop(tally_judges(&request)))
        })
    }),
    ("voters", |text| {
        expect_valid_request(|| {
            let voter = |agent: &str| json!({"name": agent, "agent": agent, "status": "OK", "text": text});
            let items = json!([{"id": "FINDING_1", "proposers": ["a"]}, {"id": "OOS_1", "proposers": ["b"]}]);
            let request =
                json!({"items": items, "voters": [voter("claude"), voter("codex"), voter("embedded")]});
            serde_json::from_value(request).map(|request| drop(tally_votes(&request)))
        })
    }),
    ("questions", |text| {
        for round in [QuestionRound::Clarify, QuestionRound::Scope, QuestionRound::Design] {
            read_questions(text, round);
        }
        Ok(())
    }),
    ("research notes", |text| {
        let (notes, problems) = read_research_notes(text);
        let struck = strike_places(text, &check_places(&notes, &|_: &str| None));
        expect_equal(&struck.count, &notes.places.len())?;
        let (left, after) = read_research_notes(&struck.text);
        expect_equal(&left.places, &Vec::new())?;
        if after.len() > problems.len() { Err(format!("striking added problems: {after:?}")) } else { Ok(()) }
    }),
    ("context summary", |text| ignore_result(read_context_summary(text, 500))),
    ("handoff in Markdown", |text| ignore_result(response_in_markdown(text, 500))),
    ("handoff", |text| {
        check_text(text, check_request, 500);
        ignore_result(check_text(text, check_response, 500))
    }),
    ("tasks", |text| ignore_result(TaskList::parse(text))),
    ("requirements", |text| ignore_result(Requirements::parse(text))),
    ("EARS", |text| ignore_result(classify(text))),
    ("ids", |text| ignore_result(mentions(text).count())),
    ("spec.json", |text| ignore_result(SpecRecord::parse(text))),
    ("meta.yaml", |text| ignore_result(SpecMeta::parse(text))),
    ("diagram", |text| {
        check(text, DiagramMode::Markdown, None);
        ignore_result(check(text, DiagramMode::Detect, None))
    }),
    ("session", |text| {
        Health::parse(text);
        BranchInfo::parse(text);
        ignore_result(SessionEnv::parse(text))
    }),
    ("flags", |text| {
        let definitions = flags::parse_definitions(r#"{"resume": "boolean", "phase": "string"}"#)
            .map_err(|error| error.to_string())?;
        ignore_result(flags::parse(text, &definitions))
    }),
    ("feature names", |text| match FeaturePath::parse(text) {
        Ok(name) => expect_equal(
            &name.as_str(),
            &FeaturePath::parse(name.as_str()).map_err(|error| error.to_string())?.as_str(),
        ),
        Err(_) => Ok(()),
    }),
    ("state documents", |text| match checkpoint::read(text.as_bytes()) {
        Ok(document) => {
            let written = serde_json::to_vec(&document).map_err(|error| error.to_string())?;
            expect_equal(&document, &checkpoint::read(&written).map_err(|error| error.to_string())?)
        }
        Err(_) => Ok(()),
    }),
    ("settings", |text| {
        ignore_result(read_layers(&[Layer { origin: "x".to_owned(), text: text.to_owned() }]))
    }),
    ("words", |text| ignore_result(words::count(text))),
    ("agents' output", |text| {
        OutputFormat::ALL.into_iter().try_for_each(|format| check_agent_output(format, text))
    }),
];

/// Checks that an answer is non-empty text without control characters, and a failure message one non-empty line.
fn check_agent_output(format: OutputFormat, text: &str) -> Result<(), String> {
    let mut reader = format.reader(1 << 20, None);
    for line in text.split('\n') {
        reader.read_line(line.as_bytes());
        reader.read_stderr_line(line.as_bytes());
        let _ = (reader.is_complete(), reader.pending_failure());
    }
    match reader.outcome(&ProcessEnd { code: Some(0), signal: None, stderr: text }).answer {
        Ok(answer) if answer.trim().is_empty() => Err(format!("{format:?}: an empty answer")),
        Ok(answer) if answer.contains(|c: char| c.is_control() && c != '\n' && c != '\t') => {
            Err(format!("{format:?}: control characters in an answer"))
        }
        Err(failure) if failure.message.is_empty() || failure.message.contains('\n') => {
            Err(format!("{format:?}: bad failure message {:?}", failure.message))
        }
        _ => Ok(()),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of every check")]
fn ignore_result<T>(_: T) -> Result<(), String> {
    Ok(())
}

fn expect_valid_request(count: impl FnOnce() -> Result<(), serde_json::Error>) -> Result<(), String> {
    count().map_err(|error| error.to_string())
}

/// Checks that a value read again equals the first.
fn expect_equal<T: PartialEq + std::fmt::Debug>(first: &T, again: &T) -> Result<(), String> {
    if first == again {
        Ok(())
    } else {
        Err(format!("the value read again differs from the value written\n{first:?}\n{again:?}"))
    }
}
