//! Every setting that names a program, tried end to end: planted in the repository's own configuration it starts nothing,
//! and a plain git proves that it would have.

use crate::{marking_program, repository, script};
use charrette_git::{Git, RemoteCallOptions};
use charrette_testkit::Sandbox;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

/// How git is asked.
#[derive(Clone, Copy)]
enum Kind {
    Read,
    Edit,
    Act,
    Call,
}

/// A setting that names a program, and a command that starts it.
struct Trap {
    key: &'static str,
    kind: Kind,
    /// Prepares the repository, given the program's path. The address is that of a server that asks for a password.
    set: fn(&Sandbox, program: &str, server: &str),
    args: &'static [&'static str],
}

const FETCH: &[&str] = &["fetch", "-q", "origin"];
const STATUS: &[&str] = &["status", "--porcelain"];
const SWITCH: &[&str] = &["switch", "-q", "other"];
const SIGN: &[&str] = &["commit", "-q", "-S", "--allow-empty", "-m", "signed"];

const TRAPS: &[Trap] = &[
    Trap { key: "filter.mine.clean", kind: Kind::Read, set: filter, args: STATUS },
    Trap { key: "filter.mine.clean", kind: Kind::Edit, set: filter, args: &["add", "a.txt"] },
    Trap { key: "filter.mine.process", kind: Kind::Read, set: filter, args: STATUS },
    Trap { key: "filter.mine.smudge", kind: Kind::Act, set: filter, args: SWITCH },
    Trap { key: "filter.mine.process", kind: Kind::Act, set: filter, args: SWITCH },
    Trap {
        key: "filter.mine.smudge",
        kind: Kind::Edit,
        set: filter,
        args: &["restore", "-s", "other", "a.txt"],
    },
    Trap { key: "credential.helper", kind: Kind::Call, set: at_server, args: FETCH },
    Trap {
        key: "credential.http://127.0.0.1.helper",
        kind: Kind::Call,
        set: |s, program, server| {
            let host = server.trim_end_matches("/x.git");
            config(s, &format!("credential.{host}.helper"), program);
            config(s, "remote.origin.url", server);
        },
        args: FETCH,
    },
    Trap { key: "core.askPass", kind: Kind::Call, set: at_server, args: FETCH },
    Trap {
        key: "core.sshCommand",
        kind: Kind::Call,
        set: |s, _, _| config(s, "remote.origin.url", "ssh://127.0.0.1:1/x.git"),
        args: FETCH,
    },
    Trap {
        key: "core.gitProxy",
        kind: Kind::Call,
        set: |s, _, _| config(s, "remote.origin.url", "git://127.0.0.1:1/x.git"),
        args: FETCH,
    },
    Trap { key: "remote.origin.uploadpack", kind: Kind::Call, set: origin, args: FETCH },
    Trap { key: "remote.origin.uploadpack", kind: Kind::Call, set: origin, args: &["ls-remote", "origin"] },
    Trap { key: "remote.origin.uploadpack", kind: Kind::Act, set: partial_clone, args: SWITCH },
    Trap { key: "remote.origin.uploadpack", kind: Kind::Act, set: origin, args: FETCH },
    Trap {
        key: "remote.origin.receivepack",
        kind: Kind::Call,
        set: origin,
        args: &["push", "-q", "origin", "main"],
    },
    Trap {
        key: "core.alternateRefsCommand",
        kind: Kind::Call,
        set: |s, program, server| {
            origin(s, program, server);
            let other = s.outside("other.git");
            s.git(["clone", "-q", "--bare", ".", other.to_str().unwrap()]);
            s.write(".git/objects/info/alternates", format!("{}/objects\n", other.display()));
        },
        args: FETCH,
    },
    Trap {
        key: "merge.mine.driver",
        kind: Kind::Act,
        set: |s, _, _| s.write(".git/info/attributes", "*.txt merge=mine\n"),
        args: &["merge", "-q", "other"],
    },
    Trap { key: "diff.mine.command", kind: Kind::Act, set: diff, args: &["diff"] },
    Trap { key: "diff.mine.textconv", kind: Kind::Act, set: diff, args: &["diff"] },
    Trap { key: "diff.external", kind: Kind::Act, set: diff, args: &["diff"] },
    Trap { key: "gpg.program", kind: Kind::Act, set: nothing, args: SIGN },
    Trap { key: "gpg.openpgp.program", kind: Kind::Act, set: nothing, args: SIGN },
    Trap {
        key: "gpg.x509.program",
        kind: Kind::Act,
        set: |s, _, _| config(s, "gpg.format", "x509"),
        args: SIGN,
    },
    Trap {
        key: "gpg.ssh.program",
        kind: Kind::Act,
        set: |s, _, _| {
            config(s, "gpg.format", "ssh");
            config(s, "user.signingKey", "a.txt");
        },
        args: SIGN,
    },
    Trap {
        key: "gpg.ssh.defaultKeyCommand",
        kind: Kind::Act,
        set: |s, _, _| config(s, "gpg.format", "ssh"),
        args: SIGN,
    },
    Trap { key: "trailer.mine.command", kind: Kind::Read, set: nothing, args: TRAILERS },
    Trap { key: "trailer.mine.cmd", kind: Kind::Read, set: nothing, args: TRAILERS },
    Trap { key: "lfs.extension.mine.clean", kind: Kind::Read, set: users_filter, args: STATUS },
    Trap { key: "lfs.extension.mine.smudge", kind: Kind::Read, set: users_filter, args: STATUS },
    Trap { key: "lfs.customtransfer.mine.path", kind: Kind::Read, set: users_filter, args: STATUS },
    Trap {
        key: "gc.recentObjectsHook",
        kind: Kind::Act,
        set: |s, _, _| {
            // Enough for a collection after the command: git estimates from the objects whose ids start with 17.
            for number in LOOSE {
                s.write("loose", format!("{number}\n"));
                let id = s.git(["hash-object", "-w", "loose"]);
                let object = fs_err::File::open(s.path(&format!(".git/objects/17/{}", &id[2..]))).unwrap();
                object.file().set_modified(std::time::UNIX_EPOCH).unwrap();
            }
            s.git(["switch", "-q", "gone"]);
            config(s, "gc.auto", "1");
            config(s, "gc.autoDetach", "false");
        },
        args: &["merge", "-q", "other"],
    },
];

const LOOSE: [u32; 3] = [263, 410, 523];
const TRAILERS: &[&str] = &["interpret-trailers", "--trailer", "mine: x", "a.txt"];

fn config(sandbox: &Sandbox, key: &str, value: &str) {
    sandbox.git(["config", key, value]);
}

fn nothing(_: &Sandbox, _: &str, _: &str) {}

fn filter(sandbox: &Sandbox, _: &str, _: &str) {
    sandbox.write(".git/info/attributes", "*.txt filter=mine\n");
    fs_err::File::open(sandbox.path("a.txt")).unwrap().file().set_modified(std::time::UNIX_EPOCH).unwrap();
}

fn diff(sandbox: &Sandbox, _: &str, _: &str) {
    sandbox.write(".git/info/attributes", "*.txt diff=mine\n");
    sandbox.write("a.txt", "changed\n");
}

fn at_server(sandbox: &Sandbox, _: &str, server: &str) {
    config(sandbox, "remote.origin.url", server);
}

/// A remote on the same disk.
fn origin(sandbox: &Sandbox, _: &str, _: &str) {
    let origin = sandbox.outside("origin.git");
    sandbox.git(["clone", "-q", "--bare", ".", origin.to_str().unwrap()]);
    let tree = sandbox.git(["rev-parse", "main^{tree}"]);
    let commit = sandbox.git_in(&origin, ["commit-tree", &tree, "-p", "main", "-m", "theirs"]);
    sandbox.git_in(&origin, ["update-ref", "refs/heads/main", &commit]);
    sandbox.git(["remote", "add", "origin", origin.to_str().unwrap()]);
}

/// A partial clone that lacks what the other branch needs.
fn partial_clone(sandbox: &Sandbox, program: &str, server: &str) {
    origin(sandbox, program, server);
    let blob = sandbox.git(["rev-parse", "other:a.txt"]);
    fs_err::remove_file(sandbox.path(&format!(".git/objects/{}/{}", &blob[..2], &blob[2..]))).unwrap();
    for (key, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
    ] {
        config(sandbox, key, value);
    }
}

/// A filter of the user's own that runs what the repository's configuration names, as git-lfs does.
fn users_filter(sandbox: &Sandbox, _: &str, _: &str) {
    let filter = sandbox.outside("users-filter");
    let names = ["lfs.extension.mine.clean", "lfs.extension.mine.smudge", "lfs.customtransfer.mine.path"];
    let runs: Vec<String> = names.iter().map(|name| format!("$(git config --get {name}) >&2")).collect();
    script(&filter, &format!("{}\ncat", runs.join("\n")));
    sandbox.git(["config", "--global", "filter.lfs.clean", filter.to_str().unwrap()]);
    sandbox.write(".git/info/attributes", "*.txt filter=lfs\n");
    fs_err::File::open(sandbox.path("a.txt")).unwrap().file().set_modified(std::time::UNIX_EPOCH).unwrap();
}

/// A server that asks everybody for a password; its address.
fn asking_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let answer = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}/x.git")
}

/// A repository with the trap in it, and where the mark of the program will be.
fn trapped(trap: &Trap, server: &str) -> (Sandbox, std::path::PathBuf) {
    let sandbox = repository();
    sandbox.git(["branch", "gone"]);
    sandbox.git(["switch", "-q", "-c", "other"]);
    sandbox.write("a.txt", "two\n");
    sandbox.git(["commit", "-qam", "two"]);
    sandbox.git(["switch", "-q", "main"]);
    sandbox.write("a.txt", "three\n");
    sandbox.git(["commit", "-qam", "three"]);
    let (program, mark) = marking_program(&sandbox);
    let program = program.to_str().unwrap();
    (trap.set)(&sandbox, program, server);
    if !trap.key.starts_with("credential.http:") {
        config(&sandbox, trap.key, program);
    }
    let _ = fs_err::remove_file(&mark);
    (sandbox, mark)
}

/// Has git asked in a process with the sandbox's environment, so that the user's configuration is the sandbox's.
fn ask(sandbox: &Sandbox, number: usize) {
    let this = std::env::current_exe().unwrap();
    let args = ["--ignored", "--exact", "traps::ask_in_a_process_of_its_own"];
    let output = sandbox.command(this).args(args).env(NUMBER, number.to_string()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// Number of the trap that [`ask_in_a_process_of_its_own`] tries.
const NUMBER: &str = "TRAP_NUMBER";

#[test]
#[ignore = "a process of another test"]
#[expect(clippy::disallowed_methods, reason = "how its parent tells it what to do")]
fn ask_in_a_process_of_its_own() {
    let Some(trap) = std::env::var(NUMBER).ok().and_then(|number| TRAPS.get(number.parse::<usize>().ok()?))
    else {
        return;
    };
    let folder = std::env::current_dir().unwrap();
    let git = Git::new(&folder);
    let options =
        RemoteCallOptions { timeout: Duration::from_mins(1), has_custom_ssh: true, is_cancelled: &|| false };
    let _ = match trap.kind {
        Kind::Read => git.bytes(trap.args).map(drop).map_err(|error| error.to_string()),
        Kind::Edit => git.edit(trap.args, b"").map_err(|error| error.to_string()),
        Kind::Act => git.act(trap.args).map_err(|error| error.to_string()),
        Kind::Call => git.call(trap.args, options).map_err(|error| error.to_string()),
    };
}

#[test]
fn no_program_of_the_repository_is_started() {
    let server = asking_server();
    for (number, trap) in TRAPS.iter().enumerate() {
        let what = format!("{}, git {}", trap.key, trap.args.join(" "));
        let (sandbox, mark) = trapped(trap, &server);
        ask(&sandbox, number);
        assert!(!mark.exists(), "{what}: {}", fs_err::read_to_string(&mark).unwrap());

        let (sandbox, mark) = trapped(trap, &server);
        let output = sandbox.command("git").args(trap.args).env("GIT_TERMINAL_PROMPT", "0").output().unwrap();
        assert!(mark.exists(), "{what}: a plain git must start it, or nothing is proven: {output:?}");
    }
}
