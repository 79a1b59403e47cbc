//! `charrette manifest`: export, validation, and hostile manifests and folders.

use crate::{BINARY, charrette};
use charrette_testkit::{Output, Sandbox};
use std::fs;
use std::os::unix::fs::symlink;

const ARTIFACTS: [(&str, &str); 7] = [
    ("plan.txt", "PLAN_FILE"),
    ("voting-tally.md", "PLAN_REVIEW_TALLY_FILE"),
    ("contested-decisions.md", "CONTESTED_CRITERIA_FILE"),
    ("oos.md", "OOS_FILE"),
    ("rejected-findings.md", "REJECTED_FINDINGS_FILE"),
    ("accepted-plan-findings.md", "ACCEPTED_PLAN_FINDINGS_FILE"),
    ("architecture-diagram.md", "ARCHITECTURE_DIAGRAM_FILE"),
];
const MANIFEST: &str = "implement/design-export/manifest.env";
const WRITE: [&str; 6] =
    ["manifest", "write", "--design-tmpdir", "design", "--implement-tmpdir", "implement"];

/// A finished design, and a folder of the run that asked for it.
fn designed() -> Sandbox {
    let sandbox = Sandbox::new();
    for (file, _) in &ARTIFACTS[..6] {
        let content = if matches!(*file, "plan.txt" | "voting-tally.md") { "text\n" } else { "" };
        sandbox.write(&format!("design/{file}"), content);
    }
    sandbox.write("design/notes-of-nobody.md", "not exported");
    fs::create_dir(sandbox.path("implement")).unwrap();
    sandbox
}

/// The same, exported.
fn exported() -> Sandbox {
    let sandbox = designed();
    assert_eq!(charrette(&sandbox, &WRITE).code, Some(0));
    sandbox
}

/// The export folder as a script sees it.
fn export_dir(sandbox: &Sandbox) -> String {
    let path = sandbox.work().canonicalize().unwrap().join("implement/design-export");
    path.to_str().unwrap().to_owned()
}

/// The lines of the paths, as the manifest and its reader have them.
fn path_lines(sandbox: &Sandbox, artifacts: &[(&str, &str)]) -> String {
    let folder = export_dir(sandbox);
    let lines: Vec<String> = artifacts.iter().map(|(file, key)| format!("{key}={folder}/{file}\n")).collect();
    lines.concat()
}

fn names(sandbox: &Sandbox, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(sandbox.path(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn read(sandbox: &Sandbox, more: &[&str]) -> String {
    let args: Vec<&str> = ["manifest", "read"].iter().chain(more).copied().collect();
    let output = charrette(sandbox, &args);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{more:?}");
    output.stdout
}

fn refusal(sandbox: &Sandbox) -> String {
    let said = read(sandbox, &["--implement-tmpdir", "implement", "--emit-load-breadcrumb"]);
    let token = said.strip_prefix("MANIFEST_FAILED=true\nERROR=").and_then(|rest| rest.strip_suffix('\n'));
    token.unwrap_or_else(|| panic!("a refusal in {said:?}")).to_owned()
}

#[test]
fn a_design_is_exported_and_read_back() {
    let sandbox = designed();
    let written = charrette(&sandbox, &WRITE);
    let folder = export_dir(&sandbox);
    assert_eq!((written.code, written.stderr.as_str()), (Some(0), ""));
    assert_eq!(written.stdout, format!("MANIFEST_WRITTEN={folder}/manifest.env\n"));
    let paths = path_lines(&sandbox, &ARTIFACTS[..6]);
    let rest = "TIMESTAMP=2026-11-15T12:00:00Z\nSESSION_ID=implement\n";
    assert_eq!(sandbox.read(MANIFEST), format!("MANIFEST_VERSION=1\n{paths}{rest}"));
    assert_eq!(names(&sandbox, "implement"), ["design-export"]);
    assert_eq!(
        names(&sandbox, "implement/design-export"),
        [
            "accepted-plan-findings.md",
            "contested-decisions.md",
            "manifest.env",
            "oos.md",
            "plan.txt",
            "rejected-findings.md",
            "voting-tally.md"
        ]
    );
    assert_eq!(sandbox.read("implement/design-export/plan.txt"), "text\n");
    assert_eq!(sandbox.read("design/plan.txt"), "text\n");
    assert_eq!(
        read(&sandbox, &["--implement-tmpdir", "implement"]),
        format!("MANIFEST_OK=true\n{paths}{rest}")
    );
    assert_eq!(
        read(
            &sandbox,
            &["--emit-load-breadcrumb", "--manifest", MANIFEST, "--implement-tmpdir", "implement"]
        ),
        format!("MANIFEST_OK=true\n{paths}{rest}📥 1: design plan — manifest loaded (plan=plan.txt)\n")
    );
    let elsewhere =
        sandbox.run(BINARY, ["-C", "implement", "manifest", "read", "--implement-tmpdir", "."], b"");
    assert!(elsewhere.stdout.starts_with("MANIFEST_OK=true\n"), "{}", elsewhere.stdout);
}

#[test]
fn a_second_export_takes_the_place_of_the_first() {
    let sandbox = designed();
    sandbox.write("design/architecture-diagram.md", "```mermaid\n```\n");
    charrette(&sandbox, &WRITE);
    assert!(sandbox.read(MANIFEST).contains(&path_lines(&sandbox, &ARTIFACTS)));
    fs::remove_file(sandbox.path("design/architecture-diagram.md")).unwrap();
    sandbox.write("design/plan.txt", "second\n");
    // What a killed writer leaves is cleared away, and never written through.
    sandbox.write("elsewhere/plan.txt", "mine");
    symlink("../elsewhere", sandbox.path("implement/.design-export.staging")).unwrap();
    assert_eq!(charrette(&sandbox, &WRITE).code, Some(0));
    assert_eq!(sandbox.read("implement/design-export/plan.txt"), "second\n");
    assert!(!sandbox.read(MANIFEST).contains("DIAGRAM"));
    assert!(!sandbox.path("implement/design-export/architecture-diagram.md").exists());
    assert_eq!(names(&sandbox, "implement"), ["design-export"]);
    assert_eq!(names(&sandbox, "elsewhere"), ["plan.txt"]);
    sandbox.write("implement/.design-export.staging/half", "");
    assert_eq!(charrette(&sandbox, &WRITE).code, Some(0));
    assert_eq!(names(&sandbox, "implement"), ["design-export"]);
}

#[test]
fn links_in_the_export_folder_are_replaced_and_not_written_through() {
    let sandbox = exported();
    for name in ["plan.txt", "manifest.env"] {
        sandbox.write(&format!("elsewhere/{name}"), "mine");
        let path = sandbox.path(&format!("implement/design-export/{name}"));
        fs::remove_file(&path).unwrap();
        symlink(sandbox.path(&format!("elsewhere/{name}")), path).unwrap();
    }
    assert_eq!(charrette(&sandbox, &WRITE).code, Some(0));
    assert_eq!(
        (sandbox.read("elsewhere/plan.txt"), sandbox.read("elsewhere/manifest.env")),
        ("mine".into(), "mine".into())
    );
    assert!(read(&sandbox, &["--implement-tmpdir", "implement"]).starts_with("MANIFEST_OK=true\n"));
}

fn with_environment(sandbox: &Sandbox, args: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = sandbox.command(BINARY);
    command.args(["manifest", "write"]).args(args).envs(environment.iter().copied());
    Output::capture(command, b"")
}

#[test]
fn environment_variables_are_the_defaults_of_flags() {
    let sandbox = designed();
    let both = [("DESIGN_TMPDIR", "design"), ("IMPLEMENT_TMPDIR", "implement")];
    let session = |sandbox: &Sandbox| sandbox.read(MANIFEST).lines().last().unwrap().to_owned();
    assert_eq!(with_environment(&sandbox, &[], &both).code, Some(0));
    assert_eq!(session(&sandbox), "SESSION_ID=implement");
    sandbox.write("implement/session-id", "from-\r\nfile\n");
    with_environment(&sandbox, &[], &both);
    assert_eq!(session(&sandbox), "SESSION_ID=from-file");
    let named = [both[0], both[1], ("SESSION_ID", "a\u{1b}\nPLAN_FILE=/etc/passwd")];
    with_environment(&sandbox, &[], &named);
    assert_eq!(session(&sandbox), "SESSION_ID=aPLAN_FILE=/etc/passwd");
    assert!(read(&sandbox, &["--implement-tmpdir", "implement"]).starts_with("MANIFEST_OK=true\n"));
    let output = with_environment(&sandbox, &[], &[both[0], both[1], ("SESSION_ID", "\u{1b}\n")]);
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), "ERROR=no usable session id\n"));
    // A flag is stronger.
    let output =
        with_environment(&sandbox, &["--design-tmpdir", "design"], &[("DESIGN_TMPDIR", "gone"), both[1]]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
}

#[test]
fn usage_errors_exit_with_2() {
    let sandbox = designed();
    for (args, message) in [
        (&[][..], "usage: --design-tmpdir is required"),
        (&["--design-tmpdir", "design"], "usage: --implement-tmpdir is required"),
        (&["--design-tmpdir", "", "--implement-tmpdir", "implement"], "usage: --design-tmpdir is required"),
        (&["--design-tmpdir"], "usage: --design-tmpdir requires a value"),
        (&["--force"], "usage: unknown flag: --force"),
        (&["design"], "usage: unknown flag: design"),
    ] {
        let output = with_environment(&sandbox, args, &[]);
        let expected = format!("ERROR={message}\n");
        assert_eq!((output.code, output.stdout.as_str(), output.stderr), (Some(2), "", expected), "{args:?}");
    }
}

#[test]
fn a_design_that_cannot_be_exported_leaves_the_old_export_alone() {
    type Spoil = fn(&Sandbox);
    let cases: [(&str, Spoil); 9] = [
        ("required artifact missing: oos.md", |s| remove(s, "design/oos.md")),
        ("required artifact is empty: plan.txt", |s| s.write("design/plan.txt", "")),
        ("artifact is a symlink: plan.txt", |s| link(s, "/etc/passwd", "design/plan.txt")),
        ("artifact is a symlink: oos.md", |s| link(s, "gone", "design/oos.md")),
        ("artifact is a symlink: architecture-diagram.md", |s| {
            link(s, "plan.txt", "design/architecture-diagram.md");
        }),
        ("artifact is not a regular file: oos.md", |s| {
            remove(s, "design/oos.md");
            s.write("design/oos.md/inside", "");
        }),
        ("artifact is not a regular file: oos.md", |s| {
            remove(s, "design/oos.md");
            s.run("mkfifo", ["design/oos.md"], b"");
        }),
        ("--design-tmpdir is not a directory: design", |s| {
            fs::rename(s.path("design"), s.path("moved")).unwrap();
        }),
        ("export failed: a folder is in the way: ", |s| {
            s.write("implement/design-export/architecture-diagram.md/inside", "");
        }),
    ];
    for (message, spoil) in cases {
        let sandbox = exported();
        let before = sandbox.read(MANIFEST);
        sandbox.write("design/oos.md", "newer");
        spoil(&sandbox);
        let output = charrette(&sandbox, &WRITE);
        assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""), "{message}");
        assert!(output.stderr.starts_with(&format!("ERROR={message}")), "{message} in {}", output.stderr);
        assert_eq!(output.stderr.lines().count(), 1);
        assert_eq!(sandbox.read(MANIFEST), before);
        assert_eq!(sandbox.read("implement/design-export/oos.md"), "");
        assert_eq!(names(&sandbox, "implement"), ["design-export"]);
    }
}

fn remove(sandbox: &Sandbox, path: &str) {
    fs::remove_file(sandbox.path(path)).unwrap();
}

fn link(sandbox: &Sandbox, target: &str, path: &str) {
    let _ = fs::remove_file(sandbox.path(path));
    symlink(target, sandbox.path(path)).unwrap();
}

#[test]
fn an_export_folder_that_leads_elsewhere_is_refused() {
    let sandbox = designed();
    fs::create_dir(sandbox.path("elsewhere")).unwrap();
    symlink("../elsewhere", sandbox.path("implement/design-export")).unwrap();
    let output = charrette(&sandbox, &WRITE);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.starts_with("ERROR=export directory is not a directory: "), "{}", output.stderr);
    assert_eq!(names(&sandbox, "elsewhere"), [""; 0]);
    // Folders with a line end in their name would forge lines of the manifest.
    fs::create_dir(sandbox.path("a\nb")).unwrap();
    let output =
        with_environment(&sandbox, &["--design-tmpdir", "design", "--implement-tmpdir", "a\nb"], &[]);
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.starts_with("ERROR=control character in path: "), "{}", output.stderr);
}

#[test]
fn writers_at_the_same_time_leave_one_whole_export() {
    let sandbox = designed();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(charrette(&sandbox, &WRITE).code, Some(0)));
        }
    });
    assert!(read(&sandbox, &["--implement-tmpdir", "implement"]).starts_with("MANIFEST_OK=true\n"));
    assert_eq!(names(&sandbox, "implement"), ["design-export"]);
}

#[test]
fn missing_manifests_have_error_tokens() {
    let sandbox = exported();
    sandbox.write("empty/x", "");
    for (args, token) in [
        (&["--nope"][..], "unknown-flag"),
        (&["implement"], "unknown-flag"),
        (&["--help"], "unknown-flag"),
        (&[], "missing-implement-tmpdir"),
        (&["--implement-tmpdir"], "missing-implement-tmpdir"),
        (&["--implement-tmpdir", ""], "missing-implement-tmpdir"),
        (&["--implement-tmpdir", "gone"], "manifest-not-found"),
        (&["--implement-tmpdir", "implement", "--manifest", "gone"], "manifest-not-found"),
        (&["--implement-tmpdir", "implement", "--manifest", "implement"], "manifest-not-found"),
        (&["--implement-tmpdir", "empty", "--manifest", MANIFEST], "export-dir-not-found"),
    ] {
        assert_eq!(read(&sandbox, args), format!("MANIFEST_FAILED=true\nERROR={token}\n"), "{args:?}");
    }
    // The environment is only the writer's business.
    let mut command = sandbox.command(BINARY);
    command.args(["manifest", "read"]).env("IMPLEMENT_TMPDIR", "implement");
    assert!(Output::capture(command, b"").stdout.ends_with("ERROR=missing-implement-tmpdir\n"));
}

#[test]
fn a_manifest_is_read_line_by_line_and_the_first_bad_one_decides() {
    let sandbox = exported();
    let good = sandbox.read(MANIFEST);
    let folder = export_dir(&sandbox);
    let without = |key: &str| -> String {
        let start = format!("{key}=");
        good.split_inclusive('\n').filter(|line| !line.starts_with(&start)).collect()
    };
    let plan = format!("PLAN_FILE={folder}/plan.txt");
    let mut cases: Vec<(String, String)> = [
        (String::new(), "unsupported-version"),
        (format!("{good}\n"), "malformed-line"),
        (format!("no pair\n{good}"), "malformed-line"),
        (format!("{good}$(touch pwned)\n"), "malformed-line"),
        (format!("{good}$(touch pwned)=1\n"), "invalid-key"),
        (format!("export A=1\n{good}"), "invalid-key"),
        (format!("a=1\n{good}"), "invalid-key"),
        (format!("\u{feff}{good}"), "invalid-key"),
        (format!("{good}X=a\u{1b}[2Jb\n"), "control-char"),
        (format!("{good}X=a\0b\n"), "control-char"),
        (format!("{good}X=a\u{7f}b\n"), "control-char"),
        (good.replace('\n', "\r\n"), "control-char"),
        (format!("{good}{plan}\n"), "duplicate-key:PLAN_FILE"),
        (format!("{good}SESSION_ID=2\n"), "duplicate-key:SESSION_ID"),
        (format!("{good}MANIFEST_VERSION=1\n"), "duplicate-key:MANIFEST_VERSION"),
        (format!("{good}SESSION_ID=2\nbroken\n"), "duplicate-key:SESSION_ID"),
        (good.replace("VERSION=1", "VERSION=2"), "unsupported-version"),
        (without("MANIFEST_VERSION"), "unsupported-version"),
        (good.replace(&plan, "PLAN_FILE="), "missing-plan-file"),
    ]
    .map(|(text, token)| (text, token.to_owned()))
    .to_vec();
    for key in ARTIFACTS[..6].iter().map(|(_, key)| *key).chain(["TIMESTAMP", "SESSION_ID"]) {
        cases.push((without(key), format!("missing-{}", key.to_lowercase().replace('_', "-"))));
    }
    for (text, token) in cases {
        sandbox.write(MANIFEST, &text);
        assert_eq!(refusal(&sandbox), token, "{text:?}");
    }
    sandbox.write(MANIFEST, b"X=\xff\n");
    assert_eq!(refusal(&sandbox), "malformed-line");
    assert!(!sandbox.path("pwned").exists());
    // Keys nobody knows do nothing, even twice.
    sandbox.write(MANIFEST, format!("{good}PATH=/evil\nPATH=/evil\n"));
    assert!(!read(&sandbox, &["--implement-tmpdir", "implement"]).contains("evil"));
}

#[test]
fn every_path_is_absolute_no_link_regular_inside_and_not_empty() {
    let sandbox = exported();
    let good = sandbox.read(MANIFEST);
    let folder = export_dir(&sandbox);
    sandbox.write("elsewhere/plan.txt", "outside");
    sandbox.write("implement/design-export/empty.txt", "");
    sandbox.write("implement/design-export-2/plan.txt", "a neighbour");
    sandbox.write("implement/design-export/sub/plan.txt", "deeper");
    symlink("plan.txt", sandbox.path("implement/design-export/link.txt")).unwrap();
    symlink("../../elsewhere", sandbox.path("implement/design-export/linked")).unwrap();
    sandbox.run("mkfifo", ["implement/design-export/pipe"], b"");
    for (path, token) in [
        ("plan.txt".to_owned(), "path-not-absolute"),
        ("../plan.txt".to_owned(), "path-not-absolute"),
        (format!("{folder}/link.txt"), "symlink-rejected"),
        (format!("{folder}/gone.txt"), "path-not-regular"),
        (format!("{folder}/sub"), "path-not-regular"),
        (format!("{folder}/pipe"), "path-not-regular"),
        ("/dev/zero".to_owned(), "path-not-regular"),
        (format!("{folder}/plan.txt/x"), "path-not-regular"),
        (format!("/{}", "x".repeat(5000)), "path-not-regular"),
        ("/etc/hostname".to_owned(), "path-escaped-export-dir"),
        (format!("{folder}/../../elsewhere/plan.txt"), "path-escaped-export-dir"),
        (format!("{folder}/linked/plan.txt"), "path-escaped-export-dir"),
        (format!("{folder}-2/plan.txt"), "path-escaped-export-dir"),
        (format!("{folder}/manifest.env/../../../elsewhere/plan.txt"), "path-not-regular"),
        (format!("{folder}/empty.txt"), "required-empty"),
    ] {
        if path == "/etc/hostname" && !fs::symlink_metadata(&path).is_ok_and(|found| found.is_file()) {
            continue;
        }
        let text = good.replace(&format!("PLAN_FILE={folder}/plan.txt"), &format!("PLAN_FILE={path}"));
        sandbox.write(MANIFEST, text);
        assert_eq!(refusal(&sandbox), token, "{path}");
    }
    // Dots that stay inside are resolved.
    let text = good.replace(&format!("{folder}/plan.txt"), &format!("{folder}/./sub/../sub//plan.txt"));
    sandbox.write(MANIFEST, text);
    let said = read(&sandbox, &["--implement-tmpdir", "implement"]);
    assert!(said.starts_with(&format!("MANIFEST_OK=true\nPLAN_FILE={folder}/sub/plan.txt\n")), "{said}");
}

#[test]
fn manifests_and_folders_that_are_links_are_not_read() {
    let sandbox = exported();
    fs::rename(sandbox.path(MANIFEST), sandbox.path("moved.env")).unwrap();
    symlink("../../moved.env", sandbox.path(MANIFEST)).unwrap();
    assert_eq!(refusal(&sandbox), "symlink-rejected");
    let sandbox = exported();
    fs::rename(sandbox.path("implement/design-export"), sandbox.path("implement/real")).unwrap();
    symlink("real", sandbox.path("implement/design-export")).unwrap();
    assert_eq!(refusal(&sandbox), "symlink-rejected");
}
