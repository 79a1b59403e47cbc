//! State documents: a change, the same as a process, a look at ten thousand, HEAD.

use super::ratio::{Figure, compare};
use crate::Outcome;
use crate::programs::{empty_program, repository, scratch, static_charrette};
use charrette_model::checkpoint::{Command as Which, DocumentName, read};
use charrette_model::stamp::Now;
use charrette_store::head::head;
use charrette_store::layout::StateFolder;
use charrette_store::{Documents, Holder, Location, locate};
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

const MANY: usize = 10_000;

pub(super) fn figures(only: &str) -> Outcome<Vec<Figure>> {
    let wanted = |name: &str| name.contains(only);
    let mut figures = Vec::new();
    if wanted("durable update in process") {
        figures.push(update_in_process()?);
    }
    if wanted("update-phase as a process") {
        figures.push(update_as_process()?);
    }
    if wanted("status over 10,000 documents") {
        figures.extend(status_of_many()?);
    }
    if wanted("HEAD in process") {
        figures.push(head_in_process()?);
    }
    Ok(figures)
}

/// A document of about that many bytes, with phases, steps and summaries as a design run leaves them.
fn document(name: &DocumentName, bytes: usize) -> Value {
    let steps = |from: usize| -> Value {
        let step = |n: usize| {
            let inputs = json!({"request.md": "a".repeat(64), "context-summary.md": "b".repeat(64)});
            json!({"status": "done", "attempt": 1, "started_at": "2026-11-15T12:00:00.000Z", "finished_at": "2026-11-15T12:01:00.000Z",
                "inputs": inputs, "outputs": {format!("output-{n}.txt"): "c".repeat(64)}, "agent": "claude",
                "usage": {"input": 1000, "output": 500, "cached": 0, "usd": null}, "prompt": "d".repeat(64)})
        };
        (from..from + 2)
            .map(|n| (format!("sketch/seat-{n}"), step(n)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let mut document = json!({
        "version": 1, "command": name.command(), "feature": name.feature().map(ToString::to_string),
        "updated_at": "2026-11-15T12:00:00.000Z",
        "state": {"current_phase": "write", "completed_phases": ["research"], "pending_phases": ["write", "validate"]}, "phases": {}
    });
    let pretty_length = |value: &Value| serde_json::to_string_pretty(value).map_or(0, |text| text.len());
    let mut n = 0;
    while pretty_length(&document) < bytes {
        let summary = "A sentence about what was found there, and why it matters. ".repeat(3);
        let phase = json!({"status": "complete", "context_summary": summary, "steps": steps(n)});
        document["phases"][format!("phase-{n}")] = phase;
        n += 1;
    }
    document
}

fn documents_in(root: &Path) -> Outcome<Documents> {
    let repository = match locate(root)? {
        Location::WorkTree(repository) => Some(repository),
        _ => None,
    };
    let holder = Holder { pid: std::process::id(), since: String::new(), command: "bench".to_owned() };
    Ok(Documents::new(StateFolder::new(root, ".claude/state"), repository, holder, 500))
}

fn name(feature: &str) -> Outcome<DocumentName> {
    Ok(DocumentName::for_feature(Which::Design, Some(feature))?)
}

fn now() -> Now {
    Now::real(std::time::SystemTime::now().try_into().unwrap_or_default())
}

/// Temp file, fsync, rename, fsync of the folder, and nothing else.
pub(super) fn bare_durable_write(folder: &Path, bytes: &[u8]) -> Outcome {
    let temp = folder.join("bare.tmp");
    let mut file = File::create(&temp)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&temp, folder.join("bare"))?;
    File::open(folder)?.sync_all()?;
    Ok(())
}

fn update_in_process() -> Outcome<Figure> {
    let scratch = scratch("update")?;
    repository(scratch.path())?;
    let documents = documents_in(scratch.path())?;
    let name = name("bench")?;
    documents.save(&name, &read(document(&name, 30_000).to_string().as_bytes())?, now())?;
    let bytes = fs_err::read(documents.folder().document(&name))?;
    let folder = scratch.path().join("bare");
    fs_err::create_dir(&folder)?;
    let mut n = 0;
    let update = || {
        n += 1;
        let data =
            json!({"status": "in_progress", "context_summary": format!("The {n}th change of this phase.")});
        documents.update_phase(&name, "phase-1", &data, now())?;
        Ok(())
    };
    compare("durable update in process (30 KB)", 1.4, 300, update, || bare_durable_write(&folder, &bytes))
}

fn update_as_process() -> Outcome<Figure> {
    let scratch = scratch("process")?;
    repository(scratch.path())?;
    let charrette = static_charrette()?;
    let empty = empty_program(scratch.path())?;
    let documents = documents_in(scratch.path())?;
    let name = name("bench")?;
    documents.save(&name, &read(document(&name, 30_000).to_string().as_bytes())?, now())?;
    let bytes = fs_err::read(documents.folder().document(&name))?;
    let data = scratch.path().join("data.json");
    fs_err::write(&data, r#"{"status": "in_progress", "context_summary": "A change."}"#)?;
    let folder = scratch.path().join("bare");
    fs_err::create_dir(&folder)?;
    let update = || {
        let mut command = Command::new(&charrette);
        command.args(["checkpoint", "update-phase", "phase-1", "--command", "design", "--feature", "bench"]);
        let output = command.current_dir(scratch.path()).stdin(File::open(&data)?).output()?;
        if output.stdout == b"true\n" { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into()) }
    };
    let least = || {
        Command::new(&empty).stdin(File::open(&data)?).output()?;
        bare_durable_write(&folder, &bytes)?;
        bare_durable_write(&folder, &bytes)
    };
    compare("update-phase as a process", 2.0, 200, update, least)
}

fn status_of_many() -> Outcome<Vec<Figure>> {
    let scratch = scratch("status")?;
    repository(scratch.path())?;
    let charrette = static_charrette()?;
    let folder = scratch.path().join(".claude/state");
    fs_err::create_dir_all(&folder)?;
    for n in 0..MANY {
        let name = name(&format!("feature-{n}"))?;
        let text = serde_json::to_string_pretty(&document(&name, 18_000))?;
        fs_err::write(folder.join(format!("{}.json", name.stem())), text)?;
    }
    let read_all = || {
        let mut bytes = 0;
        for entry in std::fs::read_dir(&folder)? {
            bytes += std::fs::read(entry?.path())?.len();
        }
        if bytes > MANY * 18_000 { Ok(()) } else { Err("the documents are not there".into()) }
    };
    let run = |args: &[&str]| {
        let mut command = Command::new(&charrette);
        command.args(args).current_dir(scratch.path()).stdout(Stdio::null());
        command
    };
    let status = |args: &'static [&'static str]| {
        move || -> Outcome {
            let status = run(args).status()?;
            if status.success() { Ok(()) } else { Err(format!("charrette status: {status}").into()) }
        }
    };
    let mut figures = vec![compare("status over 10,000 documents", 3.0, 10, status(&["status"]), read_all)?];
    let json = status(&["status", "--json"]);
    figures.push(compare("status --json over 10,000 documents", 3.0, 10, json, read_all)?);
    // Watched in a run of its own: watching takes a processor, and there are few.
    let mut child = run(&["status"]).spawn()?;
    let mut peak = 0;
    while child.try_wait()?.is_none() {
        peak = peak.max(peak_memory(child.id()).unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_micros(500));
    }
    #[expect(clippy::cast_precision_loss, reason = "megabytes are small")]
    let subject = peak as f64 / 1024.0;
    figures.push(Figure {
        name: "peak memory of that status",
        subject,
        yardstick: 60.0,
        unit: "MB",
        limit: 1.0,
    });
    Ok(figures)
}

/// The most memory a process has had so far, in kilobytes.
fn peak_memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().trim_end_matches(" kB").parse().ok()
}

fn head_in_process() -> Outcome<Figure> {
    let scratch = scratch("head")?;
    repository(scratch.path())?;
    let Location::WorkTree(repository) = locate(scratch.path())? else { return Err("no repository".into()) };
    let ours = || head(&repository)?.map(drop).ok_or_else(|| "no HEAD".into());
    let git = || {
        Command::new("git").args(["rev-parse", "HEAD"]).current_dir(scratch.path()).output()?;
        Ok(())
    };
    compare("HEAD in process, against git rev-parse", 0.1, 200, ours, git)
}
