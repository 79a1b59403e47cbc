//! The questioners: mostly there is nothing to ask that files could raise.

use super::ground::{Ground, NO_MODEL};
use super::inputs::Inputs;
use crate::words::split::words;
use charrette_model::panel::decisions::read_decisions;
use charrette_model::panel::discussion::read_discussion;
use charrette_model::panel::questions::{NONE, Question, Round, Source, write_questions};
use charrette_model::panel::resolutions::{Disposition, Resolution, read_resolutions};

/// Asks only if the request names no action, or nothing the repository knows.
pub(super) fn clarify(inputs: &Inputs<'_>) -> String {
    let ground = Ground::new(inputs);
    let mut questions = Vec::new();
    if !has_verb(inputs.request) {
        questions.push(Question {
            title: "What should happen".to_owned(),
            question: format!("The request says \"{}\" and names no action. What should the software do that it does not do now?", ground.request()),
            recommended: "Add it as new behaviour and change nothing else.".to_owned(),
            why: "Without an action, files cannot say what changes.".to_owned(),
            source: Source::User,
        });
    }
    if inputs.survey.files.is_empty()
        || inputs.survey.notes.iter().any(|note| note.contains("stands anywhere"))
    {
        questions.push(Question {
            title: "Where it belongs".to_owned(),
            question: "No word of the request stands in the repository. Which existing part is it about?"
                .to_owned(),
            recommended: "It is something new and stands beside what is there.".to_owned(),
            why: "A survey finds places by the words the code itself uses.".to_owned(),
            source: Source::User,
        });
    }
    written(questions, Round::Clarify)
}

/// Scope is a matter of wishes, and files have none.
pub(super) fn scope() -> String {
    format!("{NONE}\n")
}

/// One question for each decision that is still contested and was not settled in the first round.
pub(super) fn discuss(inputs: &Inputs<'_>) -> String {
    let contested = read_decisions(inputs.artifact("contested-decisions.md")).contested;
    let (resolutions, _) = read_resolutions(inputs.artifact("dialectic-resolutions.md"));
    let (settled, _) = read_discussion(inputs.artifact("discussion-round1.md"));
    let mut questions = Vec::new();
    for decision in &contested {
        let resolution = resolutions.iter().find(|resolution| resolution.n == decision.n);
        let open = resolution.is_none_or(Resolution::is_still_contested);
        if !open || settled.iter().any(|settled| settled.title == decision.title) {
            continue;
        }
        let stands = resolution.map_or(decision.chosen.as_str(), |resolution| resolution.resolution.as_str());
        let how = match resolution.map(|resolution| resolution.outcome.disposition()) {
            Some(Disposition::Voted) => "the vote was close",
            Some(Disposition::FallbackToSynthesis) => "the debate settled nothing",
            Some(Disposition::BucketSkipped) => "nobody could debate it",
            Some(Disposition::OverCap) => "it ranked too low to be debated",
            None => "it was not debated",
        };
        questions.push(Question {
            title: decision.title.clone(),
            question: format!(
                "DECISION_{}: {} Or: {} Which is it?",
                decision.n,
                ended(&decision.chosen),
                ended(&decision.alternative)
            ),
            recommended: stands.to_owned(),
            why: format!("{how}; the tension is: {}", decision.tension),
            source: Source::User,
        });
    }
    written(questions, Round::Design)
}

fn written(mut questions: Vec<Question>, round: Round) -> String {
    if questions.is_empty() {
        return format!("{NONE}\n");
    }
    questions.truncate(round.limit());
    format!("> {NO_MODEL}\n\n{}", write_questions(&questions))
}

fn ended(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

/// Whether a request names an action: a verb people ask with, or a sentence about what should be.
fn has_verb(request: &str) -> bool {
    let known = |word: &str| {
        VERBS.binary_search(&word).is_ok()
            || word.strip_suffix('s').is_some_and(|stem| VERBS.binary_search(&stem).is_ok())
            || word.strip_suffix("ing").is_some_and(|stem| {
                VERBS.binary_search(&stem).is_ok()
                    || VERBS.binary_search(&format!("{stem}e").as_str()).is_ok()
            })
    };
    words(request.as_bytes()).any(|(_, word)| known(&String::from_utf8_lossy(word).to_lowercase()))
}

/// What people ask software to do, sorted.
const VERBS: &[&str] = &[
    "abort",
    "accept",
    "adapt",
    "add",
    "adjust",
    "allow",
    "animate",
    "annotate",
    "apply",
    "archive",
    "ask",
    "attach",
    "authenticate",
    "automate",
    "avoid",
    "batch",
    "be",
    "block",
    "build",
    "bump",
    "cache",
    "calculate",
    "call",
    "can",
    "cancel",
    "change",
    "check",
    "clean",
    "clear",
    "clone",
    "close",
    "collect",
    "combine",
    "compare",
    "compress",
    "compute",
    "configure",
    "confirm",
    "connect",
    "convert",
    "copy",
    "count",
    "crash",
    "create",
    "cut",
    "debug",
    "decode",
    "deduplicate",
    "delete",
    "deny",
    "deprecate",
    "detect",
    "disable",
    "display",
    "do",
    "document",
    "download",
    "draw",
    "drop",
    "edit",
    "embed",
    "emit",
    "enable",
    "encode",
    "encrypt",
    "enforce",
    "ensure",
    "escape",
    "estimate",
    "exclude",
    "execute",
    "expand",
    "expire",
    "explain",
    "export",
    "expose",
    "extend",
    "extract",
    "fail",
    "fetch",
    "filter",
    "find",
    "fix",
    "flag",
    "flush",
    "follow",
    "force",
    "format",
    "generate",
    "get",
    "give",
    "group",
    "guard",
    "handle",
    "hash",
    "hide",
    "highlight",
    "honor",
    "honour",
    "ignore",
    "implement",
    "import",
    "improve",
    "include",
    "index",
    "indicate",
    "infer",
    "inject",
    "inline",
    "insert",
    "inspect",
    "install",
    "integrate",
    "introduce",
    "invalidate",
    "is",
    "join",
    "keep",
    "kill",
    "let",
    "limit",
    "link",
    "list",
    "listen",
    "load",
    "lock",
    "log",
    "look",
    "make",
    "manage",
    "mark",
    "match",
    "measure",
    "merge",
    "migrate",
    "mock",
    "monitor",
    "move",
    "must",
    "name",
    "need",
    "normalise",
    "normalize",
    "notify",
    "omit",
    "open",
    "optimise",
    "optimize",
    "order",
    "override",
    "pack",
    "paginate",
    "parallelise",
    "parallelize",
    "parse",
    "pass",
    "pause",
    "persist",
    "pin",
    "poll",
    "prefer",
    "prefetch",
    "prevent",
    "print",
    "process",
    "prompt",
    "propagate",
    "protect",
    "prove",
    "provide",
    "prune",
    "publish",
    "push",
    "put",
    "query",
    "quote",
    "raise",
    "rank",
    "read",
    "rebuild",
    "receive",
    "record",
    "recover",
    "redact",
    "redirect",
    "reduce",
    "refactor",
    "refresh",
    "refuse",
    "register",
    "reject",
    "release",
    "reload",
    "remember",
    "remove",
    "rename",
    "render",
    "reopen",
    "reorder",
    "replace",
    "report",
    "request",
    "require",
    "reset",
    "resolve",
    "respect",
    "restore",
    "restrict",
    "resume",
    "retry",
    "return",
    "reuse",
    "revert",
    "rewrite",
    "rollback",
    "rotate",
    "round",
    "run",
    "sanitise",
    "sanitize",
    "save",
    "scan",
    "schedule",
    "search",
    "select",
    "send",
    "serialise",
    "serialize",
    "serve",
    "set",
    "share",
    "should",
    "show",
    "shrink",
    "sign",
    "simplify",
    "skip",
    "sort",
    "speed",
    "split",
    "start",
    "stop",
    "store",
    "stream",
    "strip",
    "submit",
    "suggest",
    "support",
    "suppress",
    "switch",
    "sync",
    "tag",
    "test",
    "throttle",
    "throw",
    "toggle",
    "track",
    "translate",
    "trim",
    "truncate",
    "try",
    "turn",
    "undo",
    "unify",
    "update",
    "upgrade",
    "upload",
    "use",
    "validate",
    "verify",
    "wait",
    "want",
    "warn",
    "watch",
    "wrap",
    "write",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_recognised() {
        assert!(VERBS.is_sorted());
        for (request, expected) in [
            ("Add a limit", true),
            ("retrying uploads", true),
            ("caching of results", true),
            ("The exit code should be 3", true),
            ("rate limiter", false),
            ("dark mode", false),
        ] {
            assert_eq!(has_verb(request), expected, "{request}");
        }
    }
}
