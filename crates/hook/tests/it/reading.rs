//! Any text is read: without a panic, in linear time, always with the same answer.

use crate::stage::{Stage, Who, is_denied};
use charrette_hook::Answer;
use charrette_store::active::{HookSettings, ReactionToErrors};
use proptest::prelude::*;
use std::sync::LazyLock;

/// Errors are denied here, so that an error inside the hook shows.
static STAGE: LazyLock<Stage> = LazyLock::new(|| {
    let stage = Stage::without_run();
    let on_error = ReactionToErrors::Closed;
    stage.drive(&HookSettings { on_error, ..HookSettings::default() });
    stage
});

fn judge(who: Who, script: &str) -> Answer {
    let answer = STAGE.shell(who, script);
    if let Answer::Deny(line) = &answer {
        assert!(!line.contains("could not judge"), "{line}: {script:.200}");
    }
    answer
}

/// Pieces that shells give a meaning to.
const PIECES: [&str; 62] = [
    "git",
    "switch",
    "main",
    "rm",
    "-rf",
    "/",
    "sh",
    "-c",
    "eval",
    "echo",
    "cat",
    "find",
    "-exec",
    "xargs",
    "env",
    "$x",
    "${x:-",
    "}",
    "$(",
    "`",
    ")",
    "(",
    "((",
    "))",
    "$((",
    "'",
    "\"",
    "\\",
    "\n",
    "\r\n",
    ";",
    ";;",
    "&",
    "&&",
    "|",
    "||",
    ">",
    ">>",
    "<",
    "<<",
    "<<EOF",
    "<<-'E'",
    "<<<",
    "EOF",
    "E",
    "{",
    "{a,b}",
    "*",
    "?",
    "[a]",
    "[[",
    "]]",
    "if",
    "then",
    "fi",
    "for",
    "in",
    "do",
    "done",
    "case",
    "esac",
    "é\u{202e}",
];

fn scripts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => proptest::sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => any::<String>(),
        3 => Just(" ".to_owned()),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_gets_an_answer(script in scripts()) {
        for who in crate::stage::ALL {
            let first = judge(who, &script);
            prop_assert_eq!(&first, &judge(who, &script));
            prop_assert!(first == Answer::Allow || is_denied(&first));
        }
    }

    #[test]
    fn a_switch_after_any_whole_line_is_seen(words in proptest::collection::vec("[a-z0-9./=-]{1,8}", 1..6)) {
        let script = format!("{}\ngit switch main", words.join(" "));
        prop_assert!(is_denied(&judge(Who::Session, &script)), "{}", script);
    }

    #[test]
    fn quoted_text_runs_nothing(text in "[^']{0,80}") {
        prop_assert_eq!(judge(Who::Session, &format!("echo '{text}'")), Answer::Allow);
        prop_assert_eq!(judge(Who::ReadOnlyLane, &format!("grep -n '{text}' main.go")), Answer::Allow);
    }
}

/// Length of the long texts: a megabyte, less in a slow build.
const LONG: usize = if cfg!(debug_assertions) { 1 << 18 } else { 1 << 20 };

/// Long texts that a careless reader would need hours for.
#[test]
fn long_texts_are_read_in_linear_time() {
    let repeated = |piece: &str| piece.repeat(LONG / piece.len() - 1);
    for piece in [
        "a",
        "a ",
        "a;",
        "a|",
        "(",
        "((",
        "$((",
        "$(",
        "`",
        "'",
        "\"",
        "\\",
        "{",
        "{a,b}",
        "{a,",
        "[",
        "[a]",
        "*",
        "$x",
        "${x:-",
        "<<E\n",
        "<<E ",
        "\n",
        "if ",
        "case x in ",
        "f(){ ",
        "x=(",
        "!(",
        "a<(",
        "for x in a b; do ",
        "$'\\x",
        ">x ",
        "((a);",
        "$((a) ",
        "\"$((\" ",
        "git switch ",
        "eval ",
        "sh -c '",
        "x=$(echo a); ",
        "cd a;",
        "~",
        "é",
        "&&",
        "#\n",
        "alias a='a a';a ",
        "((1<<",
        "${a",
        "[[ ",
        "a=b ",
    ] {
        let _ = judge(Who::Session, &repeated(piece));
    }
    let long = format!("{}\ngit switch main", repeated("a b c\n"));
    assert!(is_denied(&judge(Who::Session, &long)), "whether it is read or too long");
    let long = format!("{}git switch main", repeated(":;"));
    assert!(is_denied(&judge(Who::Session, &long)), "too long to be read");
    let long =
        format!("cat > notes.txt <<'EOF'\n{}\nEOF", repeated("git switch main\n").get(..LONG / 2).unwrap());
    assert_eq!(judge(Who::Session, &long), Answer::Allow, "a long text is no long command");
    let deep = format!("{}git switch main{}", "( ".repeat(200), " )".repeat(200));
    assert!(is_denied(&judge(Who::Session, &deep)));
}
