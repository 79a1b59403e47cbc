//! The kernel sandbox around agents: hostile agents as real processes, each attack once inside and once outside of it.

use crate::BINARY;
use crate::workshop::Workshop;
use charrette_testkit::panel::{FEATURE, REQUEST};
use charrette_testkit::{Output, Sandbox};
use serde_json::json;
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Version of Landlock that these tests need; `None` leaves the kernel's.
pub(crate) const WITHOUT: Option<&str> = Some("0");

/// Sign of a successful attack.
#[derive(Clone, Copy)]
pub(crate) enum Sign {
    /// The victim contains `FORGED`.
    Forged,
    /// The victim is gone.
    Gone,
    /// The victim exists: it did not before.
    There,
}
use Sign::{Forged, Gone, There};

/// An attack: victim, sign of success, and the shell commands.
pub(crate) type Attack = (&'static str, Sign, &'static str);

/// Attacks: victim, sign of success, and the shell commands, in which `$V` is the victim and `$R` the repository. Relative
/// victims are in the repository, those with `~` in the home folder.
pub(crate) const ATTACKS: &[Attack] = &[
    // The work tree, with the means of a shell.
    ("victim-redirect", Forged, "echo FORGED > $V"),
    ("victim-append", Forged, "echo FORGED >> $V"),
    ("victim-clobber", Forged, "echo FORGED >| $V"),
    ("victim-tee", Forged, "echo FORGED | tee $V"),
    ("victim-dd", Forged, "echo FORGED | dd of=$V"),
    ("victim-cp", Forged, "echo FORGED > $TMPDIR/f; cp $TMPDIR/f $V"),
    ("victim-install", Forged, "echo FORGED > $TMPDIR/f; install $TMPDIR/f $V"),
    ("victim-mv", Forged, "echo FORGED > $TMPDIR/m; mv -f $TMPDIR/m $V"),
    ("victim-sed", Forged, "sed -i 's/^/FORGED/' $V"),
    ("victim-awk", Forged, "awk -v v=$V 'BEGIN { print \"FORGED\" > v }'"),
    (
        "victim-tar",
        Forged,
        "cd $TMPDIR && echo FORGED > victim-tar && tar cf t.tar victim-tar && tar xf t.tar -C $R",
    ),
    ("victim-rm", Gone, "rm -f $V"),
    ("victim-unlink", Gone, "python3 -c 'import os,sys; os.unlink(sys.argv[1])' $V"),
    ("victim-away", Gone, "mv $V $TMPDIR/away"),
    ("victim-renamed", Gone, "mv $V $V.old"),
    ("planted-file", There, "touch $V"),
    ("planted-folder", There, "mkdir $V"),
    ("planted-link", There, "ln -s /etc/passwd $V"),
    ("planted-hard-link", There, "ln $R/README.md $V"),
    ("planted-pipe", There, "mkfifo $V"),
    (
        "planted-socket",
        There,
        "python3 -c 'import socket,sys,os; os.chdir(sys.argv[1]); socket.socket(socket.AF_UNIX).bind(\"planted-socket\")' $R",
    ),
    // Interpreters and system calls.
    ("victim-python", Forged, "python3 -c 'import sys; open(sys.argv[1],\"w\").write(\"FORGED\")' $V"),
    ("victim-rplus", Forged, "python3 -c 'import sys; open(sys.argv[1],\"r+\").write(\"FORGED\")' $V"),
    (
        "victim-mmap",
        Forged,
        "python3 -c 'import sys,mmap,os; f=os.open(sys.argv[1],os.O_RDWR); m=mmap.mmap(f,6); m[:]=b\"FORGED\"' $V",
    ),
    (
        "victim-sendfile",
        Forged,
        "echo FORGED > $TMPDIR/s; python3 -c 'import os,sys; os.sendfile(os.open(sys.argv[1],os.O_WRONLY),os.open(sys.argv[2],0),0,6)' $V $TMPDIR/s",
    ),
    ("victim-node", Forged, "node -e 'require(\"fs\").writeFileSync(process.argv[1],\"FORGED\")' $V"),
    // Detours: descriptors, links, folders that are open already.
    ("victim-fd", Forged, "exec 3< $V; echo FORGED > /proc/self/fd/3"),
    ("victim-cwd", Forged, "cd $R; echo FORGED > /proc/self/cwd/victim-cwd"),
    ("victim-root", Forged, "echo FORGED > /proc/self/root$V"),
    (
        "victim-openat",
        Forged,
        "python3 -c 'import os,sys; d=os.open(sys.argv[1],os.O_RDONLY); os.write(os.open(\"victim-openat\",os.O_WRONLY,dir_fd=d),b\"FORGED\")' $R",
    ),
    ("victim-through-link", Forged, "ln -s $V $TMPDIR/link; echo FORGED > $TMPDIR/link"),
    ("victim-through-hard-link", Forged, "ln $V $TMPDIR/hard; echo FORGED > $TMPDIR/hard"),
    ("victim-dotdot", Forged, "echo FORGED > $R/../work/victim-dotdot"),
    (
        "victim-driver",
        Forged,
        "P=$(cut -d' ' -f4 /proc/$PPID/stat); echo FORGED > /proc/$P/cwd/victim-driver",
    ),
    ("victim-daemon", Forged, "setsid sh -c \"sleep 0.2; echo FORGED > $V\" > /dev/null 2>&1 & sleep 0.6"),
    // Git.
    (".git/config", Forged, "git -C $R config alias.x FORGED"),
    (".git/info/exclude", Forged, "echo FORGED >> $V"),
    (".git/hooks/post-checkout", There, "echo '#!/bin/sh' > $V"),
    (".git/refs/heads/planted", There, "git -C $R update-ref refs/heads/planted HEAD"),
    (".git/refs/tags/planted", There, "git -C $R tag planted"),
    (".git/HEAD.lock", There, "touch $V"),
    (".git/objects/info/alternates", There, "echo /tmp > $V"),
    // Charrette's own files.
    (".claude/state/planted.json", There, "echo '{}' > $V"),
    (".specs/planted.md", There, "echo x > $V"),
    ("specs/planted/design.md", There, "mkdir -p $R/specs/planted && echo x > $V"),
    ("~/.local/state/charrette/planted", There, "touch $V"),
    ("~/.local/state/charrette/drivers/planted", There, "touch $V"),
    ("~/.local/state/charrette/lanes/other/vote", Forged, "echo FORGED > $V"),
    ("~/.config/charrette/charrette.toml", Forged, "echo '# FORGED' >> $V"),
    // The user's files.
    ("~/.bashrc", Forged, "echo FORGED >> $V"),
    ("~/.ssh/authorized_keys", Forged, "echo FORGED >> $V"),
    ("~/.claude/settings.json", Forged, "echo FORGED > $V"),
    ("~/planted", There, "touch $V"),
];

/// Writes every victim, and a script that makes every attack.
pub(crate) fn prepare(sandbox: &Sandbox, attacks: &[Attack]) -> PathBuf {
    let mut script = format!("R={}\nH={}\n", sandbox.work().display(), sandbox.home().display());
    for (victim, sign, commands) in attacks {
        let path = victim_path(sandbox, victim);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if !matches!(sign, There) && !path.exists() {
            std::fs::write(&path, "honest\n").unwrap();
        }
        let test = match sign {
            Forged => "grep -q FORGED $V",
            Gone => "! test -e $V",
            There => "test -e $V || test -L $V",
        };
        let _ = writeln!(
            script,
            "V={}; ( {commands} ) < /dev/null > /dev/null 2>&1\n( {test} ) 2> /dev/null && echo '{victim}' >> {}",
            path.display(),
            sandbox.outside("succeeded").display()
        );
    }
    // Not part of the work tree, so that the run starts from a clean one.
    std::fs::write(sandbox.path(".git/info/exclude"), "victim-*\nplanted-*\n").unwrap();
    // Empty folders for planted specifications would be found by the run.
    let _ = std::fs::remove_dir(sandbox.path("specs/planted"));
    let _ = std::fs::remove_dir(sandbox.path("specs"));
    let file = sandbox.outside("attack.sh");
    std::fs::write(&file, script).unwrap();
    file
}

fn victim_path(sandbox: &Sandbox, victim: &str) -> PathBuf {
    match victim.strip_prefix("~/") {
        Some(name) => sandbox.home().join(name),
        None => sandbox.path(victim),
    }
}

/// Victims of successful attacks.
pub(crate) fn successes(sandbox: &Sandbox, attacks: &[Attack]) -> Vec<&'static str> {
    let has_succeeded = |victim: &str, sign: Sign| {
        let path = victim_path(sandbox, victim);
        match sign {
            Forged => std::fs::read_to_string(&path).is_ok_and(|text| text.contains("FORGED")),
            Gone => !path.exists(),
            There => path.symlink_metadata().is_ok(),
        }
    };
    attacks
        .iter()
        .filter(|(victim, sign, _)| has_succeeded(victim, *sign))
        .map(|(victim, ..)| *victim)
        .collect()
}

/// A design in which the agent of that step attacks, with a limit on the version of Landlock.
fn attacked_design(step: &str, limit: Option<&str>) -> (Workshop, Output) {
    let workshop = Workshop::regular();
    let script = prepare(&workshop.sandbox, ATTACKS);
    let says = format!("{}.txt", step.replace('/', "."));
    workshop.set_part(step, &json!({"says": says, "shell": format!("sh {}", script.display())}));
    let answers = workshop.answers();
    let words = ["design", REQUEST, "--answers", answers.to_str().unwrap()];
    let mut command = workshop.command(BINARY, words);
    match limit {
        Some(limit) => command.env("CHARRETTE_LANDLOCK", limit),
        None => command.env_remove("CHARRETTE_LANDLOCK"),
    };
    let output = Output::capture(command, b"");
    (workshop, output)
}

#[test]
fn a_hostile_agent_writes_nowhere() {
    // A seat that only reads, and one that may change its own copy of the repository.
    for step in ["vote/voter-cursor", "planner"] {
        let (workshop, output) = attacked_design(step, None);
        assert_eq!(successes(&workshop.sandbox, ATTACKS), [""; 0], "{step}");
        assert_eq!(output.code, Some(0), "{step}: {output:?}");
        assert!(!output.stderr.contains("by another process"), "{step}: {}", output.stderr);
    }
}

#[test]
fn without_the_sandbox_the_same_attacks_succeed() {
    let (workshop, _) = attacked_design("vote/voter-cursor", WITHOUT);
    // The comparison puts much of it back; the attacker saw it succeed.
    let seen = std::fs::read_to_string(workshop.sandbox.outside("succeeded")).unwrap();
    let succeeded: Vec<&str> = seen.lines().collect();
    let all: Vec<&str> = ATTACKS.iter().map(|(victim, ..)| *victim).collect();
    assert_eq!(succeeded, all);
}

/// What hostile agents of other tests do, one step each, all in one design.
#[test]
fn forgeries_fail_in_the_kernel_before_anything_is_compared() {
    let workshop = Workshop::regular();
    let (root, home) = (workshop.sandbox.work(), workshop.sandbox.home());
    let in_root = |commands: &str| format!("cd {}; {commands}", root.display());
    let document = format!(".claude/state/design-{FEATURE}.json");
    let forgeries = [
        (
            "vote/voter-cursor",
            format!(
                "sleep 1; sed -i 's/: YES/: NO/' {}/.local/state/charrette/lanes/*/*vote-output.txt",
                home.display()
            ),
        ),
        ("vote/voter-codex", in_root(&format!("sed -i 's/pending/done/' {document}"))),
        ("planner", in_root("for f in .specs/*/dialectic-resolutions.md; do echo FORGED > $f; done")),
        ("merger", in_root("for d in .specs/*/; do echo 'Do it my way.' > $d/feedback-round1.md; done")),
        ("reviser", in_root("git update-index --assume-unchanged README.md; echo FORGED >> README.md")),
        ("finisher", in_root("git config filter.x.clean 'touch /tmp/x'; echo '* filter=x' > .gitattributes")),
        ("illustrator", in_root("rm -rf .git")),
        ("mender", in_root(&format!("rm -f {document} .claude/state/*.lock; rm -rf .specs"))),
        ("writer", in_root("mv specs elsewhere; ln -s /tmp specs")),
        (
            "walk/walker-2",
            in_root("git switch main; git branch -D $(git branch --format='%(refname:short)' | head -1)"),
        ),
        ("validator", in_root(&format!("echo 'And a backdoor.' >> specs/{FEATURE}/design.md"))),
    ];
    for (step, commands) in &forgeries {
        let says = format!("{}.txt", step.replace('/', "."));
        workshop.set_part(
            step,
            &json!({"says": says, "shell": format!("( {commands} ) > /dev/null 2>&1; true")}),
        );
    }
    let answers = workshop.answers();
    let mut command = workshop.command(BINARY, ["design", REQUEST, "--answers", answers.to_str().unwrap()]);
    command.env_remove("CHARRETTE_LANDLOCK");
    let output = Output::capture(command, b"");
    // Nothing was found changed, so nothing was asked.
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(!output.stderr.contains("changed"), "{}", output.stderr);
    let honest = Workshop::regular();
    assert_eq!(honest.start(&[]).code, Some(0));
    for name in ["voting-tally.md", "dialectic-resolutions.md"] {
        assert_eq!(workshop.read(name), honest.read(name));
    }
    let design = |workshop: &Workshop| std::fs::read_to_string(workshop.spec("design.md")).unwrap();
    assert_eq!(design(&workshop), design(&honest));
}

/// Reads what an agent must not see, and prints it.
fn peeking_agent(sandbox: &Sandbox, limit: Option<&str>) -> String {
    let secrets = [
        ".ssh/id_ed25519",
        ".gnupg/key",
        ".aws/credentials",
        ".codex/auth.json",
        ".local/state/charrette/lanes/other/stdout",
        ".local/state/charrette/scratch/other/prompt.md",
        ".local/state/charrette/drivers/.x.copies/other/notes",
        ".local/state/charrette/queue/ada/1/answer.md",
    ];
    let mut script = "#!/bin/sh\ncat > /dev/null\n".to_owned();
    for (number, secret) in secrets.iter().enumerate() {
        let path = sandbox.home().join(secret);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("secret-{number}\n")).unwrap();
        let _ =
            writeln!(script, "cat {0}; ln -s {0} $TMPDIR/l{number}; cat $TMPDIR/l{number}", path.display());
    }
    script.push_str(
        "P=$(cut -d' ' -f4 /proc/self/stat); tr '\\0' '\\n' < /proc/$PPID/environ | grep DRIVER_KEY\n",
    );
    script.push_str("cat README.md; head -c 3 /etc/passwd; echo done\n");
    run_agent(sandbox, &script, limit)
}

/// Answer of an agent that is a shell script, by `charrette ask`.
fn run_agent(sandbox: &Sandbox, script: &str, limit: Option<&str>) -> String {
    let output = ask(sandbox, script, limit);
    let answer = std::fs::read_to_string(sandbox.outside("answer.md")).unwrap_or_default();
    format!("{answer}{}", output.stderr)
}

fn ask(sandbox: &Sandbox, script: &str, limit: Option<&str>) -> Output {
    let program = sandbox.outside("agent");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let config = sandbox.home().join(".config/charrette/charrette.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    let more = std::fs::read_to_string(sandbox.outside("more.toml")).unwrap_or_default();
    let settings =
        format!("[agents.mine]\nkind = \"command\"\ncommand = {:?}\n{more}", program.display().to_string());
    std::fs::write(config, settings).unwrap();
    let mut command = sandbox.command(BINARY);
    command
        .args(["ask", "--agent", "mine", "--prompt", "go", "--output", "../answer.md"])
        .env("DRIVER_KEY", "of-the-driver");
    match limit {
        Some(limit) => command.env("CHARRETTE_LANDLOCK", limit),
        None => command.env_remove("CHARRETTE_LANDLOCK"),
    };
    Output::capture(command, b"")
}

pub(crate) fn repository() -> Sandbox {
    let sandbox = Sandbox::repository();
    sandbox.write("README.md", "visible\n");
    sandbox.git(["add", "--all"]);
    sandbox.commit("read me");
    sandbox
}

#[test]
fn an_agent_sees_the_repository_and_no_secrets() {
    let inside = peeking_agent(&repository(), None);
    assert!(inside.contains("visible") && inside.contains("roo") && inside.contains("done"), "{inside}");
    assert!(!inside.contains("secret-") && !inside.contains("of-the-driver"), "{inside}");
    let outside = peeking_agent(&repository(), WITHOUT);
    assert_eq!(outside.matches("secret-").count(), 16, "{outside}");
    assert!(outside.contains("of-the-driver"), "{outside}");
}

#[test]
fn a_killed_driver_opens_nothing() {
    // The driver is the parent of the agent. From version 6 on it cannot even be killed.
    let script = |victim: &Path| {
        format!(
            "#!/bin/sh\ncat > /dev/null\nkill -9 $PPID && echo killed; sleep 0.3; echo FORGED >> {0}; cat {0}\n",
            victim.display()
        )
    };
    for (limit, survives) in [(None, true), (Some("5"), false)] {
        let sandbox = repository();
        let victim = sandbox.path("README.md");
        let output = ask(&sandbox, &script(&victim), limit);
        std::thread::sleep(std::time::Duration::from_secs(1));
        assert_eq!(output.code == Some(0), survives, "{limit:?}: {output:?}");
        assert_eq!(sandbox.read("README.md"), "visible\n", "{limit:?}");
    }
}

#[test]
fn an_agent_without_the_folder_it_needs_is_told_which() {
    let sandbox = repository();
    let script = "#!/bin/sh\ncat > /dev/null\nmkdir -p $HOME/.mine/cache || exit 1\necho fine\n";
    let refused = run_agent(&sandbox, script, None);
    let folder = sandbox.home().join(".mine");
    assert!(refused.contains(&format!("the sandbox refused it {}", folder.display())), "{refused}");
    assert!(refused.contains("add it to agents.mine.writes"), "{refused}");
    std::fs::write(sandbox.outside("more.toml"), "writes = [\"~/.mine/\"]\n").unwrap();
    let granted = run_agent(&sandbox, script, None);
    assert!(granted.contains("fine") && folder.join("cache").is_dir(), "{granted}");
    // Neither the home folder nor the state of runs is granted, whatever the settings say.
    let state = sandbox.home().join(".local/state/charrette");
    std::fs::write(
        sandbox.outside("more.toml"),
        format!("writes = [\"~\", \"/\", \"{}\", \"{}\"]\n", sandbox.work().display(), state.display()),
    )
    .unwrap();
    let script = "#!/bin/sh\ncat > /dev/null\ntouch $HOME/x $PWD/x $HOME/.local/state/charrette/x || exit 1\necho fine\n";
    let refused = run_agent(&sandbox, script, None);
    assert!(refused.contains("is not granted, because it holds the repository"), "{refused}");
    assert!(!sandbox.home().join("x").exists() && !sandbox.path("x").exists() && !state.join("x").exists());
}

#[test]
fn a_home_in_the_repository_and_a_repository_in_the_home_are_walled_off_alike() {
    // The home folder is the repository, so the folder of the client holds the state of runs.
    let sandbox = repository();
    let script = "#!/bin/sh\ncat > /dev/null\nfor f in $HOME/.bashrc $HOME/.claude/x $HOME/.git/x README.md; do echo FORGED >> $f; done; echo fine\n";
    for home in [sandbox.work(), sandbox.path("inner/home"), sandbox.work().parent().unwrap().to_owned()] {
        let program = sandbox.outside("agent");
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::create_dir_all(home.join(".claude/state")).unwrap();
        let more = sandbox.outside("settings.toml");
        std::fs::write(
            &more,
            format!(
                "[agents.mine]\nkind = \"command\"\ncommand = {:?}\nwrites = [\"~/.claude/\"]\n",
                program.display().to_string()
            ),
        )
        .unwrap();
        let mut command = sandbox.command(BINARY);
        command.args(["ask", "--agent", "mine", "--prompt", "go", "--output", "../answer.md"]);
        command.env("HOME", &home).env("CHARRETTE_CONFIG", &more).env_remove("CHARRETTE_LANDLOCK");
        let output = Output::capture(command, b"");
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(!home.join(".bashrc").exists() && !sandbox.path(".git/x").exists(), "{}", home.display());
        assert_eq!(sandbox.read("README.md"), "visible\n");
        // The client's folder is granted unless it holds the state of runs.
        assert_eq!(home.join(".claude/x").exists(), home != sandbox.work(), "{}", home.display());
    }
}

#[test]
fn an_agent_that_changes_the_settings_of_its_client_has_no_answer() {
    let sandbox = repository();
    let settings = sandbox.home().join(".codex/config.toml");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(&settings, "model = \"a\"\n").unwrap();
    // A program of that name is taken for the client, with its folders.
    let program = sandbox.outside("codex");
    std::fs::write(
        &program,
        "#!/bin/sh\ncat > /dev/null\necho 'notify = [\"evil\"]' >> $HOME/.codex/config.toml\necho fine\n",
    )
    .unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let more = sandbox.outside("settings.toml");
    std::fs::write(
        &more,
        format!("[agents.mine]\nkind = \"command\"\ncommand = {:?}\n", program.display().to_string()),
    )
    .unwrap();
    let mut command = sandbox.command(BINARY);
    command
        .args(["ask", "--agent", "mine", "--prompt", "go", "--output", "../answer.md"])
        .env("CHARRETTE_CONFIG", &more)
        .env_remove("CHARRETTE_LANDLOCK");
    let output = Output::capture(command, b"");
    assert_eq!(output.code, Some(1), "{output:?}");
    assert!(
        output.stderr.contains("settings of the client changed") && output.stderr.contains("config.toml"),
        "{output:?}"
    );
}

#[test]
fn a_required_sandbox_refuses_to_start_without_one() {
    let workshop = Workshop::brief();
    let config = workshop.sandbox.home().join(".config/charrette/charrette.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    let settings = std::fs::read_to_string(&config).unwrap_or_default();
    std::fs::write(config, format!("{settings}\n[sandbox]\nmode = \"required\"\n")).unwrap();
    let run = |limit: &str, words: &[&str]| {
        let mut command = workshop.command(BINARY, words);
        command.env("CHARRETTE_LANDLOCK", limit);
        Output::capture(command, b"")
    };
    let answers = workshop.answers();
    let design = ["design", REQUEST, "--answers", answers.to_str().unwrap()];
    for (limit, reason) in [
        ("0", "Landlock is switched off here"),
        ("1", "Landlock 1 is not enough"),
        ("2", "Landlock 2 is not enough"),
    ] {
        let output = run(limit, &design);
        assert_eq!(output.code, Some(4), "{limit}: {output:?}");
        assert!(output.stderr.contains(reason), "{limit}: {output:?}");
        assert!(!workshop.sandbox.path(".claude/state").join(format!("design-{FEATURE}.json")).exists());
        assert_eq!(run(limit, &["doctor"]).code, Some(1), "{limit}");
    }
    assert_eq!(run("3", &design).code, Some(0));
}

#[test]
fn what_is_in_force_is_said() {
    let workshop = Workshop::brief();
    let said = |limit: &str, words: &[&str]| {
        let mut command = workshop.command(BINARY, words);
        command.env("CHARRETTE_LANDLOCK", limit);
        Output::capture(command, b"").stdout
    };
    for words in [&["doctor"][..], &["design", REQUEST, "--dry-run"]] {
        for (limit, expected) in [
            ("0", "none: Landlock is switched off here; the clients' own modes"),
            ("1", "Landlock 1, in part: files cannot be moved between folders"),
            ("2", "Landlock 2, in part: files anywhere can be cut to length zero"),
            ("3", "nothing else; but signals reach processes outside"),
        ] {
            let text = said(limit, words).replace('│', "").split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains(expected), "{limit} {words:?}: {text}");
        }
    }
}

#[test]
fn old_kernels_hold_what_they_can() {
    for limit in ["1", "2"] {
        let sandbox = repository();
        let script = "#!/bin/sh\ncat > /dev/null\necho FORGED >> README.md; touch planted; rm -f README.md; echo x > $TMPDIR/own && echo fine\n";
        let said = run_agent(&sandbox, script, Some(limit));
        assert!(said.contains("fine"), "{said}");
        assert_eq!(sandbox.read("README.md"), "visible\n", "{limit}");
        assert!(!sandbox.path("planted").exists(), "{limit}");
    }
}
