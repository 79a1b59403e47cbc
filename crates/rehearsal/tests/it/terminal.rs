//! The display and the gates at a pseudo-terminal.

use crate::Stage;
use charrette_testkit::Pty;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::process::Stdio;

fn at_terminal(stage: &Stage, args: &[&str], columns: u16) -> Pty {
    Pty::start(stage.command(args), columns)
}

/// The screen with what differs from run to run made the same: folders, times, and the eighty characters of a rule. The table
/// of costs is left out: its order is that in which agents ended.
fn screen(stage: &Stage, pty: &Pty) -> String {
    let text = pty.screen().replace(&stage.sandbox.work().display().to_string(), "[REPOSITORY]");
    let text = text.replace(&"━".repeat(80), "━━");
    let timed = |line: &str| match line.rsplit_once('(') {
        Some((before, time)) if time.ends_with("s)") => format!("{before}(Ns)"),
        _ if line.starts_with("📊") => line.split(' ').map(time_hidden).collect::<Vec<_>>().join(" "),
        _ => line.to_owned(),
    };
    text.lines().take_while(|line| *line != "Cost").map(timed).collect::<Vec<_>>().join("\n")
}

fn time_hidden(word: &str) -> &str {
    let is_time = word.strip_suffix('s').is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    if is_time && word.len() > 1 { "Ns" } else { word }
}

fn gate(stage: &Stage, document: &str, gate: &str) -> Value {
    let text = stage.sandbox.read(&format!(".claude/state/{document}.json"));
    serde_json::from_str::<Value>(&text).unwrap()["gates"][gate].clone()
}

#[test]
fn a_gate_is_answered_paused_resumed_and_approved() {
    let stage = Stage::set();
    let mut pty = at_terminal(&stage, &["rehearse", "try"], 80);
    pty.answer("[yes] > ", "\r");
    pty.answer("[deep] > ", "stop\r");
    assert_eq!(pty.wait_for_exit(), Some(3), "{}", pty.screen());
    assert!(pty.has_cooked_modes());
    insta::assert_snapshot!(screen(&stage, &pty), @r"
    starting start try
    gather
      survey
      research/a
      research/b
      research/c
      aggregator
    Warning: aggregator: broken: answer refused: expected it to begin with SUMMARY
    (retried once; answer saved in evidence/gather-aggregator-1-broken-2.txt)
    Warning: aggregator: broken: expected it to begin with SUMMARY (retried once;
    answer saved in evidence/gather-aggregator-1-broken-2.txt); beta answered
    instead

    ── scope ───────────────────────────────────────────────────────────────────────

    2 questions. Enter takes the answer in brackets, ? shows what else you can type,
    stop pauses.

    1. Is the scope right?
       [yes] > yes

    2. How deep?
       [deep] > stop
    waiting; files are in [REPOSITORY]/.specs/20261115-try
    Paused at scope; answers given so far are kept. Start paused. Resume with: charrette start try --resume
    ");
    assert_eq!(
        gate(&stage, "start-try", "scope")["answers"],
        json!({"scope": "yes"}),
        "what was said is kept"
    );

    stage.executed();
    let mut pty = at_terminal(&stage, &["resume", "try", "--no-color"], 120);
    pty.answer("How deep?", "\r");
    pty.answer("(yes / no / revise)", "maybe\r");
    pty.answer("Please answer yes or no or revise.", "Y\r");
    assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
    insta::assert_snapshot!(screen(&stage, &pty), @r"
    resuming start try
    resumed: 5 steps reused

    ── scope ───────────────────────────────────────────────────────────────────────────────────────────

    One question. Enter takes the answer in brackets, ? shows what else you can type, stop pauses.

    1. How deep?
       [deep] > deep
    scope: answered
    gather: complete
    draft
      sketch/scope
      sketch/depth
      merge
      finisher

    ── approval ────────────────────────────────────────────────────────────────────────────────────────

    One question. Enter takes the answer in brackets, ? shows what else you can type, stop pauses.

    1. Is this good?
       (yes / no / revise)
       > maybe
       Please answer yes or no or revise.
       > Y
    approval: approved
    draft: complete
    settle
      publish
    settle: complete
    done; files are in [REPOSITORY]/.specs/20261115-try

    try is rehearsed.
    ");
    assert_eq!(gate(&stage, "start-try", "approval")["state"], "approved");
    assert_eq!(
        stage.executed_steps(),
        ["finisher alpha", "plan.md local", "receipt.md local", "sketch-depth alpha", "sketch-scope alpha"]
    );
}

#[test]
fn a_flow_with_stages_shows_where_it_is_and_gates_take_turns() {
    let stage = Stage::set();
    let mut pty = at_terminal(&stage, &["knock", "try"], 80);
    pty.answer("[yes] > ", "\r");
    pty.answer("[on] > ", "of");
    pty.answer("of", "f\r");
    pty.answer("[yes] > ", "through the window\r");
    pty.answer("[on] > ", "\r");
    assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
    insta::assert_snapshot!(screen(&stage, &pty), @r"
    starting review try
    ⏩ 1c: questions — skipped (rehearsal) (Ns)
    📊 Sketches: Sketch-left · alpha ✅ 0s, Sketch-right · alpha ✅ Ns
       The left sketch: left.md
    ✅ 2a: sketches — 2 sketches (Ns)
    🔶 1e: pre-design gate

    ── left ────────────────────────────────────────────────────────────────────────

    Two sketches are ready.
    This is the left door.

    2 questions. Enter takes the answer in brackets, ? shows what else you can type,
    stop pauses.

    1. Enter by the left door?
       [yes] > yes

    2. With the light on?
       (on / off)
       [on] > off

    ── right ───────────────────────────────────────────────────────────────────────

    Two sketches are ready.
    This is the right door.

    2 questions. Enter takes the answer in brackets, ? shows what else you can type,
    stop pauses.

    1. Enter by the right door?
       [yes] > through the window

    2. With the light on?
       (on / off)
       [on] > on
    ✅ 1e: pre-design gate — both doors are open (Ns)
    ✅ 5: cleanup — rehearsed (Ns)
    done; files are in [REPOSITORY]/.specs/20261115-try

    try is rehearsed.
    ");
    let answers = |side: &str| gate(&stage, "review-try", side)["answers"].clone();
    assert_eq!(answers("left"), json!({"enter": "yes", "light": "off"}));
    assert_eq!(answers("right"), json!({"enter": "through the window", "light": "on"}));
}

#[test]
fn escape_at_one_gate_skips_the_next() {
    let stage = Stage::set();
    let mut pty = at_terminal(&stage, &["knock", "try"], 120);
    pty.answer("[yes] > ", "\u{1b}");
    assert_eq!(pty.wait_for_exit(), Some(3), "{}", pty.screen());
    assert!(!pty.screen().contains("right door?"), "{}", pty.screen());

    let mut pty = at_terminal(&stage, &["resume", "try", "--no-color"], 120);
    pty.answer("[yes] > ", "half a li\u{1b}");
    // The line goes first, then the person.
    pty.answer("[yes] > \r", "\u{4}");
    assert_eq!(pty.wait_for_exit(), Some(3), "{}", pty.screen());
    let screen = screen(&stage, &pty);
    assert!(
        screen.starts_with("resuming review try\nresumed: 2 steps reused\n🔶 1e: pre-design gate\n"),
        "{screen}"
    );
}

#[test]
fn an_interruption_at_a_question_ends_the_run_and_leaves_the_terminal_as_it_was() {
    let stage = Stage::set();
    let mut pty = at_terminal(&stage, &["knock", "try"], 80);
    pty.answer("[yes] > ", "\u{3}");
    assert_eq!(pty.wait_for_exit(), Some(130), "{}", pty.screen());
    assert!(pty.has_cooked_modes());
    assert!(pty.screen().contains("Interrupted; finished steps are kept."), "{}", pty.screen());

    for signal in [Signal::TERM, Signal::HUP] {
        let mut pty = at_terminal(&stage, &["resume", "try"], 80);
        pty.wait_for("[yes] > ");
        kill_process(Pid::from_raw(i32::try_from(pty.pid()).unwrap()).unwrap(), signal).unwrap();
        assert_eq!(pty.wait_for_exit(), Some(130), "{}", pty.screen());
        assert!(pty.has_cooked_modes(), "{signal:?}");
    }
}

#[test]
fn files_of_the_run_can_be_reviewed_before_answering() {
    let stage = Stage::set();
    stage.script(&json!({"alpha": {"sketch-left": {"answer": "the left\u{1b}[2J sketch\n"}}}));
    stage.sandbox.write("specs/try/design.md", "# The design\n");
    let mut pty = at_terminal(&stage, &["knock", "try"], 80);
    pty.answer("[yes] > ", "review: left.md\r");
    pty.wait_for("the left");
    pty.answer("[yes] > ", "review: design.md\r");
    pty.wait_for("The design");
    pty.answer("[yes] > ", "review: ../../secret\r");
    pty.wait_for("../../secret: outside the folders of this run");
    pty.answer("[yes] > ", "review: nothing.md\r");
    pty.wait_for("nothing.md: no such file in this run");
    pty.answer("[yes] > ", "stop\r");
    assert_eq!(pty.wait_for_exit(), Some(3));
    assert_eq!(gate(&stage, "review-try", "left")["answers"], Value::Null);
    assert!(!pty.raw_output().contains("\u{1b}[2J"));
}

#[test]
fn an_answer_of_several_lines_is_one_answer() {
    let stage = Stage::set();
    let editor = stage.file("editor.sh");
    std::fs::write(
        &editor,
        "#!/bin/sh\ngrep -q 'left door?' \"$1\" || exit 9\nprintf 'by the roof\\nand quietly\\n' > \"$1\"\n",
    )
    .unwrap();
    let mut command = stage.command(&["knock", "try"]);
    command.env("EDITOR", format!("sh '{}'", editor.display())).env("VISUAL", "");
    let mut pty = Pty::start(command, 80);
    pty.answer("[yes] > ", "e\r");
    pty.answer("[on] > ", "\r");
    pty.answer("[yes] > ", "\u{1b}[200~one\nstop\nthree\u{1b}[201~\r");
    pty.answer("[on] > ", "\r");
    assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
    let enter = |side: &str| gate(&stage, "review-try", side)["answers"]["enter"].clone();
    assert_eq!(enter("left"), "by the roof\nand quietly");
    assert_eq!(enter("right"), "one\nstop\nthree");
    assert!(pty.screen().contains("   [yes] >\n   one\n   stop\n   three\n"), "{}", pty.screen());
}

#[test]
fn answers_from_a_file_are_not_asked() {
    let stage = Stage::set();
    let answers = stage.file("some.yaml");
    std::fs::write(&answers, "left: {enter: \"no\", light: dim}\nright: {enter: \"review: left.md\"}\n")
        .unwrap();
    let mut pty = at_terminal(&stage, &["knock", "try", "--answers", answers.to_str().unwrap()], 80);
    pty.answer("[on] > ", "\r");
    pty.answer("[yes] > ", "\r");
    pty.answer("[on] > ", "\r");
    assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
    assert_eq!(gate(&stage, "review-try", "left")["answers"], json!({"enter": "no", "light": "on"}));
    assert_eq!(gate(&stage, "review-try", "right")["answers"], json!({"enter": "yes", "light": "on"}));
}

#[test]
fn questions_do_not_mix_with_json_events() {
    let stage = Stage::set();
    let events = stage.file("events");
    let stdout = Stdio::from(std::fs::File::create(&events).unwrap());
    let command = stage.command(&["knock", "try", "--json"]);
    let mut pty = Pty::start_with_stdout(command, 80, Some(stdout));
    for prompt in ["[yes] > ", "[on] > ", "[yes] > ", "[on] > "] {
        pty.answer(prompt, "\r");
    }
    assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
    let events = std::fs::read_to_string(events).unwrap();
    let names: Vec<Value> =
        events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].clone()).collect();
    assert_eq!(names.first().unwrap(), "run.started");
    assert_eq!(names.last().unwrap(), "run.finished");
    assert!(names.iter().all(Value::is_string), "{names:?}");
}

#[test]
fn running_lanes_are_shown_at_a_terminal_only() {
    let stage = Stage::set();
    let part = json!({"sleep_ms": 700, "answer": "a sketch"});
    stage.script(&json!({"alpha": {"sketch-left": part, "sketch-right": part}}));
    let mut pty = at_terminal(&stage, &["knock", "try"], 80);
    pty.wait_for("📊 Sketches [                    ] 0% 0/2 | ");
    pty.wait_for("📊 Sketches: Sketch-left · alpha ✅");
    pty.answer("[yes] > ", "stop\r");
    assert_eq!(pty.wait_for_exit(), Some(3));
    assert!(!pty.screen().contains("0/2"), "the rows that tick are gone: {}", pty.screen());

    let stage = Stage::set();
    let mut command = stage.command(&["knock", "try"]);
    command.env("CI", "true");
    let mut pty = Pty::start(command, 80);
    pty.answer("[yes] > ", "stop\r");
    assert_eq!(pty.wait_for_exit(), Some(3));
    assert!(!pty.raw_output().contains("[J"), "nothing is redrawn: {}", pty.raw_output());
}

#[test]
fn colour_is_left_out_where_it_is_not_wanted() {
    let stage = Stage::set();
    stage.run(&["knock", "try"]);
    let painted = |args: &[&str], name: &str, value: &str| {
        let mut command = stage.command(args);
        command.env(name, value);
        let mut pty = Pty::start(command, 80);
        pty.answer("door?", "\u{1b}");
        assert_eq!(pty.wait_for_exit(), Some(3), "{}", pty.screen());
        pty.raw_output().contains("\u{1b}[1m")
    };
    assert!(painted(&["resume", "try"], "TERM", "xterm"));
    assert!(!painted(&["resume", "try"], "NO_COLOR", "1"));
    assert!(!painted(&["resume", "try"], "TERM", "dumb"));
    assert!(!painted(&["resume", "try", "--no-color"], "TERM", "xterm"));
}

#[test]
fn without_a_terminal_there_are_lines_and_nothing_is_asked() {
    let stage = Stage::set();
    let waiting = stage.run(&["knock", "try"]);
    assert_eq!(waiting.code, Some(3), "{waiting:?}");
    let lines: Vec<&str> = waiting.stdout.lines().collect();
    let tables: Vec<&&str> = lines.iter().filter(|line| line.starts_with("📊")).collect();
    assert_eq!(tables.len(), 3, "at first and after each change: {tables:?}");
    assert_eq!(*tables[0], "📊 Sketches: | Sketch-left: ⏳ | Sketch-right: ⏳ |");
    assert!(!waiting.stdout.contains('\u{1b}'), "{}", waiting.stdout);
    assert!(waiting.stdout.contains("\n## The left sketch\n"), "{}", waiting.stdout);
    assert!(waiting.stderr.contains("See the questions: charrette answer try"), "{}", waiting.stderr);

    let again = stage.run(&["resume", "try"]);
    assert!(!again.stdout.contains("📊") && !again.stdout.contains("## The left sketch"), "{}", again.stdout);
    let quiet = stage.run(&["resume", "try", "--quiet"]);
    assert_eq!((quiet.code, quiet.stdout.as_str(), quiet.stderr.as_str()), (Some(3), "", ""));
}

/// Process that drives the run.
#[cfg(target_os = "linux")]
fn driver(stage: &Stage) -> Pid {
    let lease = stage.sandbox.read(".claude/state/locks/start-try.lease");
    let holder: Value = serde_json::from_str(&lease).unwrap();
    Pid::from_raw(i32::try_from(holder["pid"].as_i64().unwrap()).unwrap()).unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn a_stopped_question_leaves_the_terminal_to_the_shell_and_takes_it_back() {
    let stage = Stage::set();
    let mut command = stage.command_of("setsid");
    // Without a line editor of its own the shell leaves the terminal as it was.
    command.args(["--ctty", "--wait", "bash", "--norc", "--noprofile", "--noediting", "-i"]);
    let mut pty = Pty::start(
        {
            command.env("PS1", "shell> ");
            command
        },
        80,
    );
    pty.answer("shell> ", &format!("{} rehearse try\r", crate::stage::BINARY));
    pty.answer("[yes] > ", "ye\u{1a}");
    for stop in 0..2 {
        pty.wait_for("Stopped");
        pty.wait_for("shell> ");
        assert!(pty.has_cooked_modes(), "{stop}: {}", pty.screen());
        pty.send("fg\r");
        // What was typed is still there.
        pty.wait_for("[yes] > ye");
        assert!(!pty.has_cooked_modes(), "{stop}: {}", pty.screen());
        if stop == 0 {
            kill_process(driver(&stage), Signal::STOP).unwrap();
        }
    }
    // The keys reach the question, not the line editor of the system.
    pty.send("X\u{7f}s\r");
    pty.answer("[deep] > ", "stop\r");
    pty.answer("shell> ", "exit\r");
    assert_eq!(pty.wait_for_exit(), Some(3), "{}", pty.screen());
    assert_eq!(gate(&stage, "start-try", "scope")["answers"], json!({"scope": "yes"}));
}
