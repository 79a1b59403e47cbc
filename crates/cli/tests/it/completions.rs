//! `charrette completions`, loaded by real shells.

use crate::{BINARY, charrette};
use charrette_testkit::Sandbox;

/// Completions of bash, one per line, after the last of `words`.
fn offered(sandbox: &Sandbox, words: &[&str]) -> Vec<String> {
    let script = charrette(sandbox, &["completions", "bash"]);
    assert_eq!((script.code, script.stderr.as_str()), (Some(0), ""));
    sandbox.write("charrette.bash", &script.stdout);
    // What readline does: the function is called with the command, the word at the cursor and the one before it.
    let press_tab = r#"
        charrette() { "$CHARRETTE" "$@"; }
        source ./charrette.bash
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        function=$(complete -p charrette | sed 's/.*-F \([^ ]*\) .*/\1/')
        "$function" charrette "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let press_tab = format!("CHARRETTE='{BINARY}'\n{press_tab}");
    let args = ["--norc", "-c", &press_tab, "bash"].into_iter().chain(words.iter().copied());
    let output = sandbox.run("bash", args, b"");
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    output.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_the_names_of_runs() {
    let sandbox = Sandbox::repository();
    sandbox.write("main.py", "def main():\n    pass\n");
    sandbox.git(["add", "-A"]);
    sandbox.commit("feat: begin");
    assert_eq!(charrette(&sandbox, &["design", "let main say hello", "--yes"]).code, Some(3));
    for command in ["answer", "resume", "abandon"] {
        assert_eq!(offered(&sandbox, &["charrette", command, "let"]), ["let-main-say-hello"]);
    }
}

#[test]
fn bash_completes_commands_and_flags() {
    let sandbox = Sandbox::repository();
    let cases: &[(&[&str], &[&str])] = &[
        (&["charrette", "des"], &["design"]),
        (&["charrette", "co"], &["collect", "config", "completions"]),
        (&["charrette", "checkpoint", "upd"], &["update-phase"]),
        (&["charrette", "design", "--no-ch"], &["--no-checkpoint"]),
        (&["charrette", "manifest", "read", "--man"], &["--manifest"]),
        (&["charrette", "completions", "z"], &["zsh"]),
        (&["charrette", "handoff", "check", "re"], &["request", "response"]),
    ];
    for (typed, expected) in cases {
        assert_eq!(offered(&sandbox, typed), *expected, "{typed:?}");
    }
}

#[test]
fn every_shell_has_a_script_and_unknown_shells_are_usage_errors() {
    let sandbox = Sandbox::repository();
    for (shell, mark) in [
        ("bash", "complete -F _charrette"),
        ("zsh", "#compdef charrette"),
        ("fish", "complete -c charrette"),
        ("elvish", "edit:completion:arg-completer[charrette]"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let script = charrette(&sandbox, &["completions", shell]);
        assert_eq!((script.code, script.stderr.as_str()), (Some(0), ""), "{shell}");
        assert!(script.stdout.contains(mark), "{shell}");
        assert!(script.stdout.contains("update-phase"), "{shell}");
        assert!(!script.stdout.contains("design-heavy"), "{shell}");
    }
    let wrong = charrette(&sandbox, &["completions", "tcsh"]);
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.contains("[possible values: bash, elvish, fish, powershell, zsh]"),
        "{}",
        wrong.stderr
    );
}
