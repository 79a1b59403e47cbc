//! The manifest on an in-memory disk: every token, every hostile file, and the round trip.

use charrette_model::manifest::write::{ExportBundle, ManifestEnvironment, WriteError};
use charrette_model::manifest::{ARTIFACTS, ArtifactRule, FileSystem, PathKind, read, write};
use charrette_model::plumbing::CommandAnswer;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A disk: canonical paths only, `..` and one level of links resolved as a real one would.
#[derive(Default, Clone)]
struct Disk {
    nodes: BTreeMap<String, Node>,
}

#[derive(Clone)]
enum Node {
    Dir,
    File(Vec<u8>),
    Link(String),
    Pipe,
}

impl Disk {
    fn dir(mut self, path: &str) -> Disk {
        self.nodes.insert(path.to_owned(), Node::Dir);
        self
    }

    fn file(mut self, path: &str, text: &str) -> Disk {
        self.nodes.insert(path.to_owned(), Node::File(text.as_bytes().to_vec()));
        self
    }

    fn link(mut self, path: &str, target: &str) -> Disk {
        self.nodes.insert(path.to_owned(), Node::Link(target.to_owned()));
        self
    }

    fn pipe(mut self, path: &str) -> Disk {
        self.nodes.insert(path.to_owned(), Node::Pipe);
        self
    }

    fn without(mut self, path: &str) -> Disk {
        self.nodes.remove(path);
        self
    }

    /// The path with dots and links on the way resolved, the last part left as it is.
    fn resolve_parent(&self, path: &str) -> Option<String> {
        let mut done = String::new();
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
        for (index, part) in parts.iter().enumerate() {
            if *part == ".." {
                done.truncate(done.rfind('/').unwrap_or(0));
                continue;
            }
            done = format!("{done}/{part}");
            if let Some(Node::Link(target)) = self.nodes.get(&done)
                && index + 1 < parts.len()
            {
                done = self.canonical(target)?;
            }
        }
        Some(if done.is_empty() { "/".to_owned() } else { done })
    }

    fn node(&self, path: &str) -> Option<&Node> {
        self.nodes.get(&self.resolve_parent(path)?)
    }
}

impl FileSystem for Disk {
    fn kind(&self, path: &str) -> PathKind {
        match self.node(path) {
            None => PathKind::Missing,
            Some(Node::Dir) => PathKind::Directory,
            Some(Node::File(_)) => PathKind::File,
            Some(Node::Link(_)) => PathKind::Symlink,
            Some(Node::Pipe) => PathKind::Other,
        }
    }

    fn size(&self, path: &str) -> Option<u64> {
        self.bytes(path).map(|bytes| bytes.len() as u64)
    }

    fn canonical(&self, path: &str) -> Option<String> {
        let path = self.resolve_parent(path)?;
        match self.nodes.get(&path)? {
            Node::Link(target) => self.canonical(target),
            _ => Some(path),
        }
    }

    fn bytes(&self, path: &str) -> Option<Vec<u8>> {
        match self.nodes.get(&self.canonical(path)?)? {
            Node::File(bytes) => Some(bytes.clone()),
            _ => None,
        }
    }
}

fn owned(args: &[&str]) -> Vec<String> {
    args.iter().map(|&arg| arg.to_owned()).collect()
}

const WRITE: &[&str] = &["--design-tmpdir", "/d", "--implement-tmpdir", "/i"];

/// A finished design in `/d`, a caller in `/i`.
fn designed() -> Disk {
    let disk = Disk::default().dir("/d").dir("/i").dir("/elsewhere");
    ARTIFACTS.iter().fold(disk, |disk, artifact| disk.file(&format!("/d/{}", artifact.file), "text"))
}

fn planned(
    args: &[&str],
    environment: ManifestEnvironment<'_>,
    disk: &Disk,
) -> Result<ExportBundle, WriteError> {
    write::plan(&owned(args), environment, "2026-11-15T20:30:00.5Z".parse().unwrap(), disk)
}

/// The disk after the export of a bundle.
fn exported(disk: Disk, bundle: &ExportBundle) -> Disk {
    let mut disk = disk.dir(&bundle.export_dir);
    for (from, name) in &bundle.copies {
        let bytes = disk.bytes(from).unwrap();
        disk.nodes.insert(format!("{}/{name}", bundle.export_dir), Node::File(bytes));
    }
    disk.file(&bundle.manifest_path, &bundle.manifest)
}

#[test]
fn a_manifest_names_its_artifacts_in_order() {
    let bundle = planned(WRITE, ManifestEnvironment::default(), &designed()).unwrap();
    assert_eq!(
        bundle.manifest,
        "MANIFEST_VERSION=1\n\
         PLAN_FILE=/i/design-export/plan.txt\n\
         PLAN_REVIEW_TALLY_FILE=/i/design-export/voting-tally.md\n\
         CONTESTED_CRITERIA_FILE=/i/design-export/contested-decisions.md\n\
         OOS_FILE=/i/design-export/oos.md\n\
         REJECTED_FINDINGS_FILE=/i/design-export/rejected-findings.md\n\
         ACCEPTED_PLAN_FINDINGS_FILE=/i/design-export/accepted-plan-findings.md\n\
         ARCHITECTURE_DIAGRAM_FILE=/i/design-export/architecture-diagram.md\n\
         TIMESTAMP=2026-11-15T20:30:00Z\n\
         SESSION_ID=i\n"
    );
    assert_eq!(bundle.copies.len(), ARTIFACTS.len());
    assert_eq!(
        write::answer(Ok(&bundle)),
        CommandAnswer::ok(owned(&["MANIFEST_WRITTEN=/i/design-export/manifest.env"]))
    );
    let without =
        planned(WRITE, ManifestEnvironment::default(), &designed().without("/d/architecture-diagram.md"));
    assert!(!without.unwrap().manifest.contains("ARCHITECTURE_DIAGRAM_FILE"));
}

#[test]
fn directories_come_from_the_arguments_or_the_environment_and_are_canonical() {
    let environment =
        ManifestEnvironment { design_tmpdir: Some("/d"), implement_tmpdir: Some("/i"), session_id: None };
    assert!(planned(&[], environment, &designed()).is_ok());
    let through_link = designed().link("/tmp", "/i");
    let bundle =
        planned(&["--design-tmpdir", "/d/", "--implement-tmpdir", "/tmp"], environment, &through_link);
    assert_eq!(bundle.unwrap().manifest_path, "/i/design-export/manifest.env");
    for (args, code, message) in [
        (&[][..], 2, "usage: --design-tmpdir is required"),
        (&["--design-tmpdir", "/d"], 2, "usage: --implement-tmpdir is required"),
        (&["--design-tmpdir"], 2, "usage: --design-tmpdir requires a value"),
        (&["--bogus"], 2, "usage: unknown flag: --bogus"),
        (&["x"], 2, "usage: unknown flag: x"),
        (
            &["--design-tmpdir", "/none", "--implement-tmpdir", "/i"],
            1,
            "--design-tmpdir is not a directory: /none",
        ),
        (
            &["--design-tmpdir", "/d", "--implement-tmpdir", "/d/oos.md"],
            1,
            "--implement-tmpdir is not a directory: /d/oos.md",
        ),
    ] {
        let error = planned(args, ManifestEnvironment::default(), &designed()).unwrap_err();
        assert_eq!(
            write::answer(Err(&error)),
            CommandAnswer::failure(code, format!("ERROR={message}")),
            "{args:?}"
        );
    }
}

#[test]
fn the_session_is_named_by_the_environment_a_file_or_the_directory() {
    let id = |session_id, disk: Disk| {
        let bundle =
            planned(WRITE, ManifestEnvironment { session_id, ..ManifestEnvironment::default() }, &disk);
        bundle.map(|bundle| bundle.manifest.lines().last().unwrap().to_owned())
    };
    let written = || designed().file("/i/session-id", "from\r\nfile\n");
    assert_eq!(id(Some("a=b c"), written()).unwrap(), "SESSION_ID=a=b c");
    assert_eq!(id(None, written()).unwrap(), "SESSION_ID=fromfile");
    assert_eq!(id(Some(""), written()).unwrap(), "SESSION_ID=fromfile");
    assert_eq!(id(None, designed().file("/i/session-id", "\n")).unwrap(), "SESSION_ID=i");
    assert_eq!(id(None, designed().link("/i/session-id", "/d/plan.txt")).unwrap(), "SESSION_ID=i");
    assert_eq!(id(Some("a\u{1b}[0m\nTIMESTAMP=x"), designed()).unwrap(), "SESSION_ID=a[0mTIMESTAMP=x");
    assert_eq!(id(Some("\u{1}\n"), designed()), Err(WriteError::NoSessionId));
}

#[test]
fn artifacts_that_are_not_plain_files_of_the_design_are_not_exported() {
    let evil = "/d\nMANIFEST_VERSION=2";
    for (disk, message) in [
        (designed().without("/d/plan.txt"), "required artifact missing: plan.txt"),
        (designed().without("/d/oos.md"), "required artifact missing: oos.md"),
        (designed().file("/d/plan.txt", ""), "required artifact is empty: plan.txt"),
        (designed().file("/d/voting-tally.md", ""), "required artifact is empty: voting-tally.md"),
        (designed().link("/d/plan.txt", "/elsewhere/plan.txt"), "artifact is a symlink: plan.txt"),
        (
            designed().link("/d/architecture-diagram.md", "/d/plan.txt"),
            "artifact is a symlink: architecture-diagram.md",
        ),
        (designed().dir("/d/oos.md"), "artifact is not a regular file: oos.md"),
        (designed().pipe("/d/oos.md"), "artifact is not a regular file: oos.md"),
        (
            designed().link("/i/design-export", "/elsewhere"),
            "export directory is not a directory: /i/design-export",
        ),
        (designed().file("/i/design-export", ""), "export directory is not a directory: /i/design-export"),
        (designed().link("/i", evil).dir(evil), "control character in path: /d\\nMANIFEST_VERSION=2"),
    ] {
        let error = planned(WRITE, ManifestEnvironment::default(), &disk).unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), (1, message));
    }
    let empty = designed().file("/d/oos.md", "").file("/d/contested-decisions.md", "");
    assert!(planned(WRITE, ManifestEnvironment::default(), &empty).is_ok());
}

fn read_with(args: &[&str], disk: &Disk) -> Vec<String> {
    let answer = read::answer(&owned(args), disk);
    assert_eq!((answer.code, answer.stderr.len()), (0, 0));
    answer.stdout
}

const READ: &[&str] = &["--implement-tmpdir", "/i"];

fn written() -> Disk {
    let disk = designed();
    let bundle = planned(WRITE, ManifestEnvironment::default(), &disk).unwrap();
    exported(disk, &bundle)
}

#[test]
fn a_good_manifest_is_repeated_with_canonical_paths() {
    let lines = [
        "MANIFEST_OK=true",
        "PLAN_FILE=/i/design-export/plan.txt",
        "PLAN_REVIEW_TALLY_FILE=/i/design-export/voting-tally.md",
        "CONTESTED_CRITERIA_FILE=/i/design-export/contested-decisions.md",
        "OOS_FILE=/i/design-export/oos.md",
        "REJECTED_FINDINGS_FILE=/i/design-export/rejected-findings.md",
        "ACCEPTED_PLAN_FINDINGS_FILE=/i/design-export/accepted-plan-findings.md",
        "ARCHITECTURE_DIAGRAM_FILE=/i/design-export/architecture-diagram.md",
        "TIMESTAMP=2026-11-15T20:30:00Z",
        "SESSION_ID=i",
        "📥 1: design plan — manifest loaded (plan=plan.txt)",
    ];
    assert_eq!(read_with(READ, &written()), lines[..10]);
    assert_eq!(read_with(&["--emit-load-breadcrumb", "--implement-tmpdir", "/i/"], &written()), lines);
    let elsewhere = written();
    let text = String::from_utf8(elsewhere.bytes("/i/design-export/manifest.env").unwrap()).unwrap();
    let elsewhere = elsewhere.file("/elsewhere/m.env", &text).without("/i/design-export/manifest.env");
    assert_eq!(
        read_with(&["--implement-tmpdir", "/i", "--manifest", "/elsewhere/m.env"], &elsewhere),
        lines[..10]
    );
}

fn token(args: &[&str], disk: &Disk) -> String {
    let lines = read_with(args, disk);
    assert_eq!(lines[0], "MANIFEST_FAILED=true", "{lines:?}");
    assert_eq!(lines.len(), 2);
    lines[1].strip_prefix("ERROR=").unwrap().to_owned()
}

#[test]
fn file_system_errors_have_a_token() {
    let manifest = "/i/design-export/manifest.env";
    for (args, disk, expected) in [
        (&["--bogus"][..], written(), "unknown-flag"),
        (&["/i"], written(), "unknown-flag"),
        (&[], written(), "missing-implement-tmpdir"),
        (&["--implement-tmpdir"], written(), "missing-implement-tmpdir"),
        (&["--implement-tmpdir", ""], written(), "missing-implement-tmpdir"),
        (READ, written().without(manifest), "manifest-not-found"),
        (READ, written().dir(manifest), "manifest-not-found"),
        (READ, written().link(manifest, "/elsewhere/m"), "symlink-rejected"),
        (&["--implement-tmpdir", "/none"], written(), "manifest-not-found"),
        (&["--implement-tmpdir", "/i", "--manifest"], written(), "manifest-not-found"),
        (&["--implement-tmpdir", "/none", "--manifest", manifest], written(), "export-dir-not-found"),
        (
            &["--implement-tmpdir", "/n", "--manifest", manifest],
            written().dir("/n").link("/n/design-export", "/i/design-export"),
            "symlink-rejected",
        ),
    ] {
        assert_eq!(token(args, &disk), expected, "{args:?}");
    }
    let mut binary = written();
    binary.nodes.insert(manifest.to_owned(), Node::File(b"MANIFEST_VERSION=1\nX=\xff\n".to_vec()));
    assert_eq!(token(READ, &binary), "malformed-line");
}

/// The written manifest, its text changed.
fn with_text(change: impl FnOnce(String) -> String) -> Disk {
    let disk = written();
    let text = String::from_utf8(disk.bytes("/i/design-export/manifest.env").unwrap()).unwrap();
    disk.file("/i/design-export/manifest.env", &change(text))
}

#[test]
fn the_first_bad_line_decides() {
    let plan = "PLAN_FILE=/i/design-export/plan.txt";
    for (from, to, expected) in [
        (plan, "PLAN_FILE", "malformed-line"),
        (plan, "", "malformed-line"),
        (plan, "# a comment", "malformed-line"),
        (plan, "plan_file=/x", "invalid-key"),
        (plan, "=/x", "invalid-key"),
        (plan, "1A=/x", "invalid-key"),
        (plan, "PLAN-FILE=/x", "invalid-key"),
        (plan, " PLAN_FILE=/x", "invalid-key"),
        (plan, "export PLAN_FILE=/x", "invalid-key"),
        (plan, "PLAN_FILE\u{0}=/x", "invalid-key"),
        (plan, "PLAN_FILE=/i/design-export/plan.txt\r", "control-char"),
        (plan, "PLAN_FILE=/i/\u{0}", "control-char"),
        (plan, "PLAN_FILE=/i/\u{1b}[2J", "control-char"),
        (plan, "PLAN_FILE=/i/\u{7f}", "control-char"),
        (plan, "UNKNOWN=\t", "control-char"),
        ("OOS_FILE=", "PLAN_FILE=", "duplicate-key:PLAN_FILE"),
        ("SESSION_ID=", "MANIFEST_VERSION=1\nSESSION_ID=", "duplicate-key:MANIFEST_VERSION"),
        ("SESSION_ID=", "TIMESTAMP=\nSESSION_ID=", "duplicate-key:TIMESTAMP"),
        (
            "SESSION_ID=",
            "ARCHITECTURE_DIAGRAM_FILE=/x\nSESSION_ID=",
            "duplicate-key:ARCHITECTURE_DIAGRAM_FILE",
        ),
        // Within a line: malformed, then the key, then the value, then the duplicate.
        (plan, "bad\u{1}key", "malformed-line"),
        (plan, "bad=\u{1}", "invalid-key"),
        ("OOS_FILE=", "PLAN_FILE=\u{1}", "control-char"),
        // A bad line comes before a bad version, a missing key or a bad path.
        ("SESSION_ID=i", "oops", "malformed-line"),
        ("MANIFEST_VERSION=1", "\u{feff}MANIFEST_VERSION=1", "invalid-key"),
        ("MANIFEST_VERSION=1", "MANIFEST_VERSION=2", "unsupported-version"),
        ("MANIFEST_VERSION=1", "MANIFEST_VERSION=", "unsupported-version"),
        ("MANIFEST_VERSION=1", "MANIFEST_VERSION=1 ", "unsupported-version"),
        ("MANIFEST_VERSION=1\n", "", "unsupported-version"),
    ] {
        let disk = with_text(|text| {
            assert!(text.contains(from));
            text.replacen(from, to, 1)
        });
        assert_eq!(token(READ, &disk), expected, "{to:?}");
    }
    assert_eq!(token(READ, &with_text(|_| String::new())), "unsupported-version");
    assert_eq!(token(READ, &with_text(|_| "\n".to_owned())), "malformed-line");
    assert_eq!(token(READ, &with_text(|text| text + "\n")), "malformed-line");
    assert_eq!(token(READ, &with_text(|text| text.replace('\n', "\r\n"))), "control-char");
}

#[test]
fn missing_keys_are_reported_in_their_order() {
    let order = [
        ("PLAN_FILE", "missing-plan-file"),
        ("PLAN_REVIEW_TALLY_FILE", "missing-plan-review-tally-file"),
        ("CONTESTED_CRITERIA_FILE", "missing-contested-criteria-file"),
        ("OOS_FILE", "missing-oos-file"),
        ("REJECTED_FINDINGS_FILE", "missing-rejected-findings-file"),
        ("ACCEPTED_PLAN_FINDINGS_FILE", "missing-accepted-plan-findings-file"),
        ("TIMESTAMP", "missing-timestamp"),
        ("SESSION_ID", "missing-session-id"),
    ];
    for (index, (_, expected)) in order.iter().enumerate() {
        // Everything from here on is missing: the first is named. An empty value is as good as none.
        let gone = |line: &str| order[index..].iter().any(|(key, _)| line.starts_with(&format!("{key}=")));
        let dropped = with_text(|text| text.split_inclusive('\n').filter(|line| !gone(line)).collect());
        assert_eq!(token(READ, &dropped), *expected);
        let emptied = with_text(|text| {
            let keep = |line: &str| {
                if gone(line) { line.split_once('=').unwrap().0.to_owned() + "=" } else { line.to_owned() }
            };
            text.lines().map(|line| keep(line) + "\n").collect()
        });
        assert_eq!(token(READ, &emptied), *expected);
    }
}

#[test]
fn paths_are_absolute_no_links_regular_inside_and_not_empty() {
    let with_plan = |path: &str| with_text(|text| text.replacen("/i/design-export/plan.txt", path, 1));
    let secret = |disk: Disk| disk.file("/elsewhere/secret", "x");
    for (disk, expected) in [
        (with_plan("design-export/plan.txt"), "path-not-absolute"),
        (with_plan("~/plan.txt"), "path-not-absolute"),
        (with_plan("/i/design-export/none"), "path-not-regular"),
        (with_plan("/i/design-export"), "path-not-regular"),
        (with_plan("/i/design-export/p").pipe("/i/design-export/p"), "path-not-regular"),
        (
            with_plan("/i/design-export/l").link("/i/design-export/l", "/i/design-export/plan.txt"),
            "symlink-rejected",
        ),
        (with_plan("/i/design-export/l").link("/i/design-export/l", "/none"), "symlink-rejected"),
        (secret(with_plan("/elsewhere/secret")), "path-escaped-export-dir"),
        (secret(with_plan("/i/design-export/../../elsewhere/secret")), "path-escaped-export-dir"),
        (
            secret(with_plan("/i/design-export/l/secret").link("/i/design-export/l", "/elsewhere")),
            "path-escaped-export-dir",
        ),
        (
            with_plan("/i/design-export-evil/x")
                .dir("/i/design-export-evil")
                .file("/i/design-export-evil/x", "x"),
            "path-escaped-export-dir",
        ),
        (written().file("/i/design-export/plan.txt", ""), "required-empty"),
        (written().file("/i/design-export/voting-tally.md", ""), "required-empty"),
        (
            with_plan("/i/design-export/l/x")
                .link("/i/design-export/l", "/i/design-export/a\nMANIFEST_OK=true")
                .file("/i/design-export/a\nMANIFEST_OK=true/x", "x")
                .dir("/i/design-export/a\nMANIFEST_OK=true"),
            "control-char",
        ),
        // The optional artifact is checked like the others once it is named.
        (written().without("/i/design-export/architecture-diagram.md"), "path-not-regular"),
    ] {
        assert_eq!(token(READ, &disk), expected);
    }
    for fine in [
        with_plan("/i/design-export/../design-export/plan.txt"),
        written().file("/i/design-export/oos.md", ""),
        with_text(|text| {
            text.replace(
                "ARCHITECTURE_DIAGRAM_FILE=/i/design-export/architecture-diagram.md",
                "ARCHITECTURE_DIAGRAM_FILE=",
            )
        }),
        with_text(|text| text + "FUTURE=$(rm -rf /)\nFUTURE=twice\n"),
        with_text(|text| text + "BIG=" + &"x".repeat(1 << 20) + "\n"),
        with_text(|text| text.trim_end().to_owned()),
    ] {
        assert_eq!(read_with(READ, &fine)[..2], ["MANIFEST_OK=true", "PLAN_FILE=/i/design-export/plan.txt"]);
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        names in ("[^/\0-\u{1f}\u{7f}]{1,12}", "[^/\0-\u{1f}\u{7f}]{1,12}"),
        session in ".{0,20}",
        present in prop::collection::vec(any::<bool>(), ARTIFACTS.len()),
        texts in prop::collection::vec("[a-z]{0,3}", ARTIFACTS.len()),
    ) {
        let (design, implement) = (format!("/{}-d", names.0), format!("/{}-i", names.1));
        let mut disk = Disk::default().dir(&design).dir(&implement);
        for ((artifact, present), text) in ARTIFACTS.iter().zip(&present).zip(&texts) {
            if *present || artifact.requirement != ArtifactRule::Optional {
                disk = disk.file(&format!("{design}/{}", artifact.file), text);
            }
        }
        let args = ["--design-tmpdir", &design, "--implement-tmpdir", &implement];
        let environment = ManifestEnvironment { session_id: Some(&session), ..ManifestEnvironment::default() };
        let Ok(bundle) = planned(&args, environment, &disk) else { return Ok(()) };
        let lines = read_with(&["--implement-tmpdir", &implement], &exported(disk, &bundle));
        let expected: Vec<&str> = std::iter::once("MANIFEST_OK=true").chain(bundle.manifest.lines().skip(1)).collect();
        prop_assert_eq!(lines, expected);
    }

    #[test]
    fn no_text_is_trusted_by_accident(text in "([A-Z_]{1,12}|MANIFEST_VERSION|PLAN_FILE|=|1|/i/design-export/plan.txt|\n|\r|\0|é){0,30}") {
        let disk = with_text(|_| text);
        let lines = read_with(READ, &disk);
        prop_assert_eq!(&lines[0], "MANIFEST_FAILED=true");
    }
}
