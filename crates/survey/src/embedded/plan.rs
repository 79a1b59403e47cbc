//! The planner: a plan of existing paths, in five sections.

use super::ground::{Ground, NO_MODEL, place, risk_sentence, said};
use super::inputs::Inputs;
use super::synthesis::named_files;
use crate::report::Risk;
use crate::tree::kind::{Kind, kind};
use charrette_model::panel::discussion::read_discussion;
use charrette_model::panel::resolutions::{Disposition, read_resolutions};

/// So many files a plan names at most, tests and documents apart.
const MOST_FILES: usize = 6;

/// Writes the plan.
pub(super) fn draft(inputs: &Inputs<'_>) -> String {
    let ground = Ground::new(inputs);
    let files = planned(inputs, &ground);
    let sections = [
        files_section(&ground, &files),
        approach(inputs, &ground, &files),
        edge_cases(inputs, &ground),
        failure_modes(&ground, &files),
        testing(&ground, &files),
    ];
    let titled =
        super::plan_text::SECTIONS.iter().zip(sections).map(|(title, text)| format!("## {title}\n{text}\n"));
    format!("> {NO_MODEL}\n\n{}", titled.collect::<Vec<_>>().join("\n"))
}

/// A file and why it is in the plan.
struct Planned {
    path: String,
    why: String,
}

/// What was decided on, then code the synthesis names, then what the survey puts first.
fn planned(inputs: &Inputs<'_>, ground: &Ground<'_>) -> Vec<Planned> {
    let surveyed = ground.sources();
    let rank = |path: &str| surveyed.iter().position(|file| file.path == path).unwrap_or(usize::MAX);
    let (resolutions, _) = read_resolutions(inputs.artifact("dialectic-resolutions.md"));
    let mut decided: Vec<String> =
        resolutions.iter().flat_map(|resolution| named_files(inputs, &resolution.resolution)).collect();
    decided.retain(|path| is_code(path));
    let mut named = named_files(inputs, inputs.artifact("approach-synthesis.txt"));
    named.retain(|path| is_code(path));
    named.sort_by_key(|path| rank(path));
    named.truncate(4);
    let first = surveyed.iter().take(3).map(|file| file.path.clone());
    let mut all: Vec<Planned> = Vec::new();
    for path in decided.into_iter().chain(named).chain(first) {
        if all.len() < MOST_FILES && !all.iter().any(|known| known.path == path) {
            all.push(Planned { why: why(ground, &path), path });
        }
    }
    if let Some(first) = ground.first().filter(|_| all.is_empty()) {
        all.push(Planned { path: first.path.clone(), why: why(ground, &first.path) });
    }
    all
}

fn is_code(path: &str) -> bool {
    kind(path) == Some(Kind::Source)
}

fn why(ground: &Ground<'_>, path: &str) -> String {
    let known = ground.files.iter().find(|file| file.path == path);
    let reason = known.and_then(|file| file.reasons.first());
    reason.map_or_else(|| "named by the synthesis".to_owned(), |reason| format!("it {}", said(reason, 140)))
}

fn files_section(ground: &Ground<'_>, files: &[Planned]) -> String {
    let mut lines: Vec<String> =
        files.iter().map(|file| format!("- `{}`: {}.", file.path, file.why)).collect();
    for (n, test) in tests(ground, files).iter().take(2).enumerate() {
        let what =
            if n == 0 { "a test that fails first, then the cases named below" } else { "must keep passing" };
        lines.push(format!("- `{test}`: {what}."));
    }
    if let Some(changelog) = ground.changelog().filter(|path| !files.iter().any(|file| file.path == **path)) {
        lines.push(format!("- `{changelog}`: one line, as the repository's habit is."));
    }
    if lines.is_empty() {
        return "- None: no file of the repository fits the request. A person must name the place."
            .to_owned();
    }
    lines.join("\n")
}

/// The tests of the planned files that are files of their own; if nothing covers them, those the survey names.
fn tests<'a>(ground: &Ground<'a>, files: &[Planned]) -> Vec<&'a str> {
    let mut found: Vec<&str> = files.iter().flat_map(|file| ground.tests_of(&file.path)).collect();
    if found.is_empty() {
        // The nearest is a beginning; more would be guessed.
        found = ground.tests();
        found.truncate(1);
    }
    let mut each: Vec<&str> = Vec::new();
    for test in found {
        if !each.contains(&test) && !files.iter().any(|file| file.path == test) {
            each.push(test);
        }
    }
    each
}

fn approach(inputs: &Inputs<'_>, ground: &Ground<'_>, files: &[Planned]) -> String {
    let mut text = vec![format!("The request {}.", ground.wish().asks)];
    if let Some(first) = files.first() {
        let found = ground.files.iter().find(|file| file.path == first.path);
        let at = found.map_or_else(|| first.path.clone(), |file| place(file));
        text.push(format!("The work begins at {at} and stays inside the files above; nothing new is created unless a person wants it."));
        for symbol in ground.symbols_of(&first.path).iter().take(3) {
            text.push(format!(
                "{} {} is defined at {}:{}.",
                sentence_start(&symbol.kind),
                said(&symbol.name, 60),
                symbol.path,
                symbol.line
            ));
        }
    }
    let (settled, _) = read_discussion(inputs.artifact("discussion-round1.md"));
    for entry in &settled {
        text.push(format!(
            "Decided beforehand, {}: {}",
            said(&entry.title, 80),
            ended(&said(&entry.resolution, 200))
        ));
    }
    let (resolutions, _) = read_resolutions(inputs.artifact("dialectic-resolutions.md"));
    for resolution in &resolutions {
        let how = match resolution.outcome.disposition() {
            Disposition::Voted => "voted; the losing side's concern is kept among the edge cases",
            Disposition::FallbackToSynthesis => "debated without a result, so the synthesis stands",
            Disposition::BucketSkipped => "nobody could debate it, so the synthesis stands",
            Disposition::OverCap => "outside the debates, so the synthesis stands",
        };
        text.push(format!(
            "DECISION_{}, {}: {} ({how}).",
            resolution.n,
            said(&resolution.title, 80),
            said(&resolution.resolution, 200)
        ));
    }
    text.push("How the behaviour works in detail is not in any file and is left to whoever implements it, within what a person decides.".to_owned());
    text.join("\n")
}

fn edge_cases(inputs: &Inputs<'_>, ground: &Ground<'_>) -> String {
    let mut lines = vec![
        "- Nothing is given, or something empty: what happens is for a person to decide; today's behaviour must not change.".to_owned(),
        "- More is given than the code expects: the limit is for a person to decide.".to_owned(),
        "- The same is asked for twice, or by two at once: it must not be done twice.".to_owned(),
    ];
    for risk in
        ground.risks().iter().filter(|risk| matches!(risk.kind.as_str(), "todo" | "deprecated")).take(3)
    {
        lines.push(format!("- {}.", risk_sentence(risk)));
    }
    let (resolutions, _) = read_resolutions(inputs.artifact("dialectic-resolutions.md"));
    for resolution in
        resolutions.iter().filter(|resolution| resolution.outcome.disposition() == Disposition::Voted)
    {
        lines.push(format!(
            "- DECISION_{}, the side that lost feared: {}",
            resolution.n,
            ended(&said(&resolution.antithesis_summary, 200))
        ));
    }
    lines.join("\n")
}

/// Three ways it goes wrong, each with its first sign and a remedy; from what stands in the code as far as it goes.
fn failure_modes(ground: &Ground<'_>, files: &[Planned]) -> String {
    let counts = |risk: &&Risk| {
        matches!(risk.kind.as_str(), "panic" | "swallowed" | "unsafe" | "shell" | "untested" | "large")
    };
    let mut risks: Vec<&Risk> = ground.risks().into_iter().filter(counts).collect();
    // What stands in the files that change, and what is worse than a missing test, comes first.
    let distance = |risk: &Risk| (!files.iter().any(|file| file.path == risk.path), risk.kind == "untested");
    risks.sort_by_key(|risk| distance(risk));
    let mut modes: Vec<String> = risks.into_iter().take(3).map(failure).collect();
    let run = ground.test_command().map_or("a test".to_owned(), |run| format!("\"{}\"", said(run, 100)));
    let common = [
        format!("Callers that rely on today's behaviour break. First sign: {run} fails. Remedy: keep the old behaviour until it is asked otherwise."),
        "The change lands in the wrong place, because words led to it and not understanding. First sign: the first failing test needs another file. Remedy: stop and survey again with better words.".to_owned(),
        "The request was understood too narrowly. First sign: the person who asked does not recognise it. Remedy: show the test names before the code is written.".to_owned(),
    ];
    let missing = 3_usize.saturating_sub(modes.len());
    modes.extend(common.into_iter().take(missing));
    modes.iter().enumerate().map(|(n, mode)| format!("{}. {mode}", n + 1)).collect::<Vec<_>>().join("\n")
}

/// What goes wrong there, how it shows first, and what helps.
pub(super) fn failure(risk: &Risk) -> String {
    let signs = match risk.kind.as_str() {
        "panic" => {
            "First sign: the process ends where an error was expected. Remedy: report the error there, or show that new code never reaches it."
        }
        "swallowed" => {
            "First sign: something is missing and nothing was said. Remedy: pass the error on, or log it."
        }
        "unsafe" | "shell" => {
            "First sign: odd input does odd things. Remedy: check the input before it gets there."
        }
        "untested" => "First sign: a change that no test notices. Remedy: write one before the change.",
        "todo" | "deprecated" => {
            "First sign: the change has to work around it. Remedy: settle it first, or write down why not."
        }
        _ => "First sign: the change touches more places than planned. Remedy: make it in two steps.",
    };
    format!("{}. {signs}", risk_sentence(risk))
}

fn testing(ground: &Ground<'_>, files: &[Planned]) -> String {
    let mut lines = Vec::new();
    for file in files.iter().take(4) {
        lines.push(match ground.covered_by(&file.path) {
            Some(tests) => format!(
                "- `{}`: covered by {tests}, with a new case that fails without the change.",
                file.path
            ),
            None => format!("- `{}`: no test of it was found; the first task writes one.", file.path),
        });
    }
    if let Some(run) = ground.test_command() {
        lines.push(format!("- Everything is run with `{}`.", said(run, 100)));
    }
    if lines.is_empty() {
        lines.push("- No test and no command to run tests were found: a person must say how a change is proven here.".to_owned());
    }
    lines.join("\n")
}

fn ended(text: &str) -> String {
    if text.ends_with(['.', '!', '?', '…']) { text.to_owned() } else { format!("{text}.") }
}

fn sentence_start(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| format!("The {}{}", first.to_lowercase(), chars.as_str()))
}
