//! Nothing false on a screen or in a file: agents that do not work are named, a person decides about going on without a
//! model, gates take "no" for an answer, and bad input is refused with the way on.

use crate::workshop::Workshop;
use crate::{BINARY, charrette, charrette_with};
use charrette_testkit::panel::{FEATURE, PanelVariant, REQUEST, SeatFault, Seating};
use charrette_testkit::{Output, Pty, Sandbox};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A panel whose planner fails with every agent.
fn without_planner() -> Workshop {
    let workshop = Workshop::brief();
    workshop.set_fault("planner", SeatFault::Fails);
    workshop
}

#[test]
fn a_person_decides_before_the_embedded_agent_leads() {
    let workshop = without_planner();
    let output = workshop.start(&["--auto"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert_eq!(workshop.gate("fallback/embedded"), "pending");
    let asked = charrette_answer(&workshop);
    assert!(asked.contains("claude: exit code 1"), "{asked}");
    // Asked again, and it fails again: a new question.
    assert_eq!(workshop.answer("fallback: retry\n").code, Some(0));
    assert_eq!(workshop.resume(&[]).code, Some(3));
    assert_eq!(workshop.gate("fallback/embedded-2"), "pending");
    assert_eq!(workshop.answer("fallback: continue\n").code, Some(0));
    let output = workshop.resume(&[]);
    // The draft of the embedded agent has points that only a person can fill in.
    assert!(matches!(output.code, Some(0 | 3)), "{output:?}");
    let summary = std::fs::read_to_string(workshop.spec("summary.md")).unwrap();
    assert!(summary.contains("claude gave no usable answer in "), "{summary}");
    assert!(summary.contains("The embedded agent took "), "{summary}");
}

#[test]
fn the_question_is_withdrawn_when_the_agents_work_again() {
    let workshop = without_planner();
    assert_eq!(workshop.start(&["--auto"]).code, Some(3));
    assert_eq!(workshop.gate("fallback/embedded"), "pending");
    workshop.clear_part("planner");
    let output = workshop.resume(&[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(workshop.document()["gates"].get("fallback/embedded").is_none());
    let summary = std::fs::read_to_string(workshop.spec("summary.md")).unwrap();
    assert!(summary.contains("Written by claude;"), "{summary}");
    assert!(!summary.contains("gave no usable answer"), "{summary}");
}

/// A panel of Claude Code alone, which is not logged in.
fn logged_out() -> Workshop {
    let workshop = Workshop::brief();
    workshop.seat_agents(&Seating { absent: &["codex", "cursor"], ..Seating::REGULAR });
    let settings = workshop.sandbox.home().join(".config/charrette/charrette.toml");
    let text = std::fs::read_to_string(&settings).unwrap();
    // Its own profile, which reads its output and knows its cure.
    let own = text.replacen(
        "[agents.claude]\nkind = \"command\"\nvendor = \"anthropic\"\n",
        "[agents.claude]\n",
        1,
    );
    assert_ne!(own, text);
    std::fs::write(&settings, own).unwrap();
    for researcher in ["requirements", "dependencies", "tasks"] {
        let part = json!({"answer": "Not logged in · Please run /login\n", "exit": 1});
        workshop.set_part(&format!("research/{researcher}"), &part);
    }
    workshop
}

#[test]
fn a_client_that_is_not_logged_in_is_named_with_its_cure_everywhere() {
    let workshop = logged_out();
    let output = workshop.start(&["--auto"]);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert_eq!(workshop.gate("fallback/embedded"), "pending");
    let cure = "not logged in: run `claude`, then /login";
    let asked = charrette_answer(&workshop);
    assert!(asked.contains(&format!("claude is {cure}")), "{asked}");
    let agents = workshop.run(BINARY, ["agents"]);
    assert!(agents.stdout.contains(cure), "{agents:?}");
    let preview = workshop.design(&["another request for the API", "--dry-run"]);
    assert!(preview.stdout.contains("Agent claude: failed when last called ("), "{preview:?}");
    assert!(workshop.run(BINARY, ["status"]).stdout.contains("research (waiting at fallback/embedded)"));
}

#[test]
fn the_last_call_of_a_run_is_the_health_that_agents_shows() {
    let workshop = Workshop::brief();
    let health = || {
        let agents = workshop.run(BINARY, ["agents", "--json"]).json()["agents"].take();
        let of = |name: &str| {
            let agent = agents.as_array().unwrap().iter().find(|agent| agent["name"] == name);
            agent.unwrap()["healthy"].clone()
        };
        ["claude", "codex", "cursor"].map(of)
    };
    assert_eq!(health(), [const { Value::Null }; 3]);
    for review in ["arch", "edge"] {
        workshop.set_fault(&format!("review/reviewer-{review}@cursor"), SeatFault::Fails);
    }
    assert_eq!(workshop.start(&["--auto"]).code, Some(0));
    assert_eq!(health(), [true, true, false].map(Value::from));
}

fn charrette_answer(workshop: &Workshop) -> String {
    workshop.run(BINARY, ["answer", FEATURE]).stdout
}

#[test]
fn what_was_said_beforehand_needs_no_question() {
    let workshop = without_planner();
    let output = workshop.start(&["--auto", "--no-checkpoint", "--embedded"]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(workshop.document()["gates"].get("fallback/embedded").is_none());
    assert!(output.stdout.contains("embedded answered instead"), "{output:?}");
}

#[test]
fn no_ends_at_a_terminal_too_and_can_be_answered_differently_later() {
    let workshop = Workshop::brief();
    workshop.set_variant(PanelVariant::NothingUnclear);
    let at = |args: &[&str]| {
        let all = std::iter::once("design").chain(args.iter().copied());
        Pty::start(workshop.command(BINARY, all), 60)
    };
    let mut pty = at(&[REQUEST, "--auto", "--yes"]);
    pty.answer("Is this correct?", "?\r");
    pty.answer("takes the recommended", "list\r");
    pty.answer("Is this correct?", "yes to all\r");
    pty.answer("Take the recommended answers", "yes\r");
    pty.answer("review any specific file", "review: nothing.md\r");
    pty.answer("Files: design.md", "\r");
    pty.answer("Do you agree", "changes\r");
    pty.answer("What is wrong?", "count per key\r");
    for question in ["additional risks", "Is anything missing that", "Any concerns"] {
        pty.answer(question, "\r");
    }
    pty.answer("(yes / no / revise)", "no\r");
    pty.answer("What is wrong?", "\r");
    assert_eq!(pty.wait_for_exit(), Some(4), "{}", pty.screen());
    assert!(!pty.raw_output().contains("**"), "{}", pty.raw_output());
    // Lines to copy are not broken.
    let screen = pty.screen();
    let is_copied = |line: &&str| {
        ["error:", "hint:", "  charrette", "refused;"].iter().any(|start| line.starts_with(start))
    };
    let too_wide: Vec<&str> =
        screen.lines().filter(|line| !is_copied(line) && line.chars().count() > 60).collect();
    assert!(too_wide.is_empty(), "{too_wide:#?}");
    let answers = workshop.document()["gates"]["post-design"]["answers"].clone();
    assert_eq!(answers["decisions"], "changes: count per key");
    let status = workshop.run(BINARY, ["status"]);
    assert!(status.stdout.contains(" (rejected)"), "{status:?}");
    let mut pty = at(&[FEATURE, "--resume", "--yes"]);
    pty.answer("This was rejected before", "");
    pty.answer("(yes / no / revise)", "yes\r");
    assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
}

#[test]
fn names_that_no_gate_has_are_refused_with_the_nearest() {
    let workshop = Workshop::brief();
    let file = workshop.sandbox.outside("answers.yaml");
    for (yaml, says) in [
        ("pre-desing: {scope: fine}\n", "no gate is called pre-desing; did you mean pre-design?"),
        (
            "pre-design: {aproach: fine}\n",
            "no question in pre-design is called aproach; did you mean approach?",
        ),
    ] {
        std::fs::write(&file, yaml).unwrap();
        let output = workshop.design(&[REQUEST, "--auto", "--answers", file.to_str().unwrap()]);
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(output.stderr.contains(says), "{output:?}");
        assert!(!workshop.sandbox.path(".specs").exists());
    }
}

fn repository() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write("src/main.py", "def main():\n    pass\n");
    sandbox.git(["add", "-A"]);
    sandbox.commit("feat: begin");
    sandbox
}

#[test]
fn an_entry_that_is_refused_leaves_nothing_behind() {
    let sandbox = repository();
    let refused = |says: &str| {
        let output = charrette(&sandbox, &["design", "say hello", "--yes"]);
        assert_eq!(output.code, Some(4), "{output:?}");
        assert!(output.stderr.contains(&format!("error: {says}")), "{output:?}");
        assert!(output.stderr.contains("Nothing was created."), "{output:?}");
        assert!(!sandbox.path(".specs").exists() && !sandbox.path("specs").exists());
    };
    sandbox.write("src/main.py", "def main():\n    return 1\n");
    refused("there are changes that are not committed");
    sandbox.git(["checkout", "-q", "src/main.py"]);
    sandbox.git(["checkout", "-q", "--detach"]);
    refused("no branch is checked out (HEAD is detached)");
    sandbox.git(["checkout", "-q", "-b", "bob/feature"]);
    refused("bob/feature is checked out, which is neither main nor a branch of yours");
}

#[test]
fn a_hint_leads_to_the_worktree_that_has_main() {
    let sandbox = repository();
    let detached = sandbox.outside("detached tree");
    sandbox.git(["worktree", "add", "--quiet", "--detach", detached.to_str().unwrap()]);
    let output = charrette(&sandbox, &["-C", detached.to_str().unwrap(), "design", "say hello", "--yes"]);
    assert_eq!(output.code, Some(4), "{output:?}");
    assert!(!output.stderr.contains("git switch main"), "git refuses that: {output:?}");
    let main = sandbox.work().canonicalize().unwrap();
    let hint = format!("Start from main, which is checked out elsewhere: cd {}", main.display());
    assert!(output.stderr.contains(&hint), "{output:?}");
}

#[test]
fn a_request_with_a_secret_says_where_it_will_be_stored() {
    let sandbox = repository();
    let warned = |request: &str| {
        let output = charrette(&sandbox, &["design", request, "--dry-run"]);
        assert_eq!(output.code, Some(0), "{output:?}");
        output.stderr
    };
    let webhook =
        format!("post to https://hooks.slack.com/{}", "services/T00000000/B00000000/abcdefgh12345678");
    let stripe = format!("pay with sk_{}", "live_abcdefghijklmnopqrstuvwx");
    for request in ["log in with PASSWORD=hunter2hunter2", &webhook, &stripe] {
        let said = warned(request);
        assert!(said.contains(".claude/state/locks and .claude/state/history"), "{request}: {said}");
        assert!(said.contains("the files in specs, which are committed"), "{request}: {said}");
    }
    assert_eq!(warned("add a password reset page and token refresh"), "");
}

#[test]
fn an_answer_with_a_secret_says_where_it_will_be_stored() {
    let sandbox = repository();
    assert_eq!(charrette(&sandbox, &["design", "let main say hello", "--yes"]).code, Some(3));
    let answer = |yaml: &str| {
        let output = charrette_with(
            &sandbox,
            &["--quiet", "answer", "let-main-say-hello", "--file", "-"],
            yaml.as_bytes(),
        );
        assert_eq!(output.code, Some(0), "{output:?}");
        output.stderr
    };
    assert_eq!(answer("pre-design: {understanding: 'yes'}\n"), "");
    let said = answer("pre-design: {approach: 'log in with PASSWORD=hunter2hunter2'}\n");
    for words in
        ["the answer to approach of pre-design contains", ".specs", ".claude/state/history", "files in specs"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("hunter2") && !said.contains("understanding"), "{said}");
}

/// `charrette ask` with an agent that is a shell script, outside of the sandbox.
fn ask(sandbox: &Sandbox, script: &str) -> Output {
    ask_for(sandbox, &["--agent", "mine"], script)
}

fn ask_for(sandbox: &Sandbox, whom: &[&str], script: &str) -> Output {
    let config = sandbox.outside("agents.toml");
    let script = format!("cat > /dev/null; {script}; echo forty-two");
    let agent = format!("kind = \"command\"\ncommand = \"/bin/sh\"\nargs = [\"-c\", {script:?}]\n");
    std::fs::write(&config, format!("[seats]\nplanner = [\"mine\", \"embedded\"]\n[agents.mine]\n{agent}"))
        .unwrap();
    let mut command = sandbox.command(BINARY);
    command.args(["ask", "--prompt", "go", "--output", "../answer.md", "--json"]).args(whom);
    command.env("CHARRETTE_CONFIG", &config).env("CHARRETTE_LANDLOCK", "0");
    Output::capture(command, b"")
}

#[test]
fn a_paid_answer_is_kept_and_its_end_told_though_the_tree_cannot_be_compared() {
    let sandbox = repository();
    let file =
        |suffix: &str| std::fs::read_to_string(sandbox.outside(&format!("answer.md{suffix}"))).unwrap();
    let output = ask(&sandbox, "mv .git .git-gone");
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(output.stderr.contains("error: the work tree cannot be compared"), "{output:?}");
    assert!(output.stderr.contains("The answer is kept: "), "{output:?}");
    assert_eq!(
        (output.json()["status"].as_str(), &output.json()["changed"]),
        (Some("answered"), &Value::Null)
    );
    assert_eq!((file("").as_str(), file(".done").as_str()), ("forty-two\n", "0\n"));
    assert_eq!(file(".dirty-tree"), "STATUS=unknown\nMODE=baseline\nREASON=git-status-failed\n");

    // Whoever waits for a call that could not begin is told, too.
    std::fs::rename(sandbox.path(".git-gone"), sandbox.path(".git")).unwrap();
    let broken = sandbox.path(".git/index");
    std::fs::write(&broken, "no index").unwrap();
    let output = ask(&sandbox, "true");
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(!sandbox.outside("answer.md").exists());
    assert_eq!(file(".done"), "99\n");
    assert!(output.stderr.contains(file(".diag").lines().next().unwrap()), "{output:?}");
}

#[test]
fn a_single_call_is_watched_as_closely_as_those_of_a_run() {
    let sandbox = repository();
    let status = || std::fs::read_to_string(sandbox.outside("answer.md.dirty-tree")).unwrap();
    let output = ask(&sandbox, "touch src/main.py; git status > /dev/null");
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(!output.stderr.contains("Warning") && status().starts_with("STATUS=clean\n"), "{output:?}");

    let script = "git config alias.evil status; echo x >> .git/info/exclude; touch .git/hooks/post-checkout; \
                  git branch planted; git update-index --assume-unchanged src/main.py; echo '# planted' >> src/main.py";
    let output = ask(&sandbox, script);
    assert_eq!(output.code, Some(0), "{output:?}");
    for change in [
        "modified .git/config",
        "modified .git/info/exclude",
        "added .git/hooks/post-checkout",
        "added .git/refs/heads/planted",
        "modified src/main.py",
    ] {
        let warning = format!("Warning: mine may only read, but {change}");
        assert!(output.stderr.contains(&warning), "{change}: {}", output.stderr);
    }
    assert_eq!(status(), "STATUS=dirty\nMODE=baseline\nREASON=working-tree-dirty\n");
    // The lists are for scripts that put files back: nothing in them is git's own.
    let list = |kind: &str| std::fs::read(sandbox.outside(&format!("answer.md.dirty-tree.{kind}"))).unwrap();
    assert_eq!((list("tracked-paths"), list("new-untracked-paths")), (b"src/main.py\0".to_vec(), Vec::new()));

    // What an agent did that gave no answer is not forgotten when the next one takes its place.
    let output = ask_for(&sandbox, &["--seat", "planner"], "touch new.py; exit 1");
    assert_eq!((output.code, &output.json()["agent"]), (Some(0), &json!("embedded")), "{output:?}");
    assert!(output.stderr.contains("Warning: mine may only read, but added new.py"), "{}", output.stderr);
    assert_eq!(output.json()["changed"][0]["path"], "new.py");
    assert!(status().starts_with("STATUS=dirty\n") && list("new-untracked-paths") == b"new.py\0");
}

#[test]
fn a_document_of_a_script_is_named_as_such() {
    let sandbox = repository();
    let document = ["--command", "design", "--feature", "add-login"];
    let update = [&["checkpoint", "update-phase", "research"], &document[..]].concat();
    assert_eq!(charrette_with(&sandbox, &update, b"{\"status\": \"complete\"}").code, Some(0));
    for args in [["resume", "add-login"], ["log", "add-login"]] {
        let output = charrette(&sandbox, &args);
        assert_eq!(output.code, Some(1), "{output:?}");
        let hint =
            output.stderr.lines().find_map(|line| line.split_once("charrette checkpoint show ")).unwrap().1;
        let show: Vec<&str> = ["checkpoint", "show"].into_iter().chain(hint.split(' ')).collect();
        assert_eq!(charrette(&sandbox, &show).code, Some(0), "{hint}");
    }
}

#[test]
fn a_description_is_read_from_anywhere_and_a_placeholder_is_none() {
    let sandbox = repository();
    let file = sandbox.outside("request.md");
    std::fs::write(&file, "# Say hello\n\nTo everybody, in their own language.\n").unwrap();
    let dry = |args: &[&str], stdin: &[u8]| {
        let all = [&["design"], args, &["--dry-run", "--json"]].concat();
        charrette_with(&sandbox, &all, stdin)
    };
    for (args, stdin) in [
        (vec!["--from", file.to_str().unwrap()], &b""[..]),
        (vec!["-"], &b"# Say hello\n\nTo everybody, in their own language.\n"[..]),
    ] {
        let output = dry(&args, stdin);
        assert_eq!(output.code, Some(0), "{output:?}");
        assert_eq!(
            output.json()["context"][0][1],
            "say-hello-to-everybody-in-their-own-language",
            "{output:?}"
        );
    }
    for (args, says) in [
        (vec!["add", "rate", "limiting"], "did you mean quotes?"),
        (vec!["what you want"], "says nothing about what to design"),
        (vec!["<your feature>"], "says nothing about what to design"),
        (vec!["say hello", "--phase", "writ"], "Did you mean --phase=write?"),
    ] {
        let output = dry(&args, b"");
        assert_eq!(output.code, Some(2), "{output:?}");
        assert!(output.stderr.contains(says), "{output:?}");
    }
}

#[test]
fn charrette_alone_says_what_to_do_next() {
    let sandbox = repository();
    let output = charrette(&sandbox, &[]);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains("Begin a design:"), "{output:?}");
    assert_eq!(charrette(&sandbox, &["design", "say hello to everybody", "--yes"]).code, Some(3));
    let output = charrette(&sandbox, &[]);
    assert!(output.stdout.contains("waits for you at"), "{output:?}");
    let output = charrette(&sandbox, &["resume", "say-helo-to-everybody"]);
    assert!(output.stderr.contains("did you mean say-hello-to-everybody?"), "{output:?}");
    for command in [&["collect"][..], &["dirty-tree"], &["ballot"]] {
        let output = charrette(&sandbox, &[command, &["--help"]].concat());
        assert_eq!(
            (output.code, output.stdout.contains("Usage:")),
            (Some(0), true),
            "{command:?} {output:?}"
        );
    }
}

#[test]
fn without_any_agent_a_terminal_says_so_once_and_names_none_that_is_missing() {
    let sandbox = repository();
    let mut command = sandbox.command(BINARY);
    command.args(["design", "say hello to everybody", "--auto", "--yes"]);
    let mut pty = Pty::start(command, 100);
    pty.answer("Is this correct?", "stop\r");
    assert_eq!(pty.wait_for_exit(), Some(3), "{}", pty.screen());
    let shown = pty.raw_output();
    assert_eq!(shown.matches("none installed").count(), 1, "{shown}");
    assert!(!shown.contains("Codex") && !shown.contains("Cursor"), "{shown}");
    // A log has the words that scripts search for.
    let output = charrette(&sandbox, &["resume", "say-hello-to-everybody"]);
    for name in ["Codex", "Cursor"] {
        let missing = format!("**⚠ {name} not available (binary not found).");
        assert!(output.stdout.contains(&missing), "{output:?}");
    }
}

#[test]
fn the_embedded_draft_takes_the_words_of_the_person() {
    let sandbox = repository();
    let answers = sandbox.outside("answers.yaml");
    let pre = "pre-design: {understanding: 'yes', approach: 'yes', assumptions: all correct, trade_offs: 'yes', scope: scope is right, unknowns: 'resolve: main greets in the language of the system'}\n";
    std::fs::write(&answers, pre).unwrap();
    let start = ["design", "let main say hello", "--auto", "--yes", "--answers", answers.to_str().unwrap()];
    let output = charrette(&sandbox, &start);
    assert_eq!(output.code, Some(3), "{output:?}");
    let requirements = || sandbox.read("specs/let-main-say-hello/requirements.md");
    assert!(requirements().contains("main greets in the language of the system"), "{}", requirements());
    let open = requirements().matches("(to be filled in").count();
    assert!(open > 1, "{}", requirements());
    let mut post = String::from(
        "post-design: {what_built: proceed, decisions: 'yes', risks: no additional, omissions: nothing missing, confidence: no concerns",
    );
    for n in 1..=open {
        let answer = if n == 1 { "an operator" } else { "leave open" };
        let _ = write!(post, ", open_{n}: {answer}");
    }
    std::fs::write(&answers, format!("{post}, approval: 'yes'}}\n")).unwrap();
    let resume = ["resume", "let-main-say-hello", "--answers", answers.to_str().unwrap()];
    let output = charrette(&sandbox, &resume);
    assert_eq!(output.code, Some(3), "{output:?}");
    assert!(requirements().contains("As a user an operator"), "{}", requirements());
    assert_eq!(requirements().matches("(to be filled in").count(), open - 1);
    let mut post = post.replace(&format!(", open_{open}: leave open"), "");
    post = post.replace("an operator", "leave open");
    std::fs::write(&answers, format!("{post}, approval: 'yes'}}\n")).unwrap();
    let output = charrette(&sandbox, &resume);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains(&format!("Approved with open points ({})", open - 1)), "{output:?}");
    let status = charrette(&sandbox, &["status"]);
    assert!(status.stdout.contains("complete, approved, no model"), "{status:?}");
}
