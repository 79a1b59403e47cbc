//! State documents: an update in process and as a command, `status` over 10,000 documents, reading HEAD.

use super::ratio::{Figure, compare};
use crate::TaskResult;
use crate::programs::{
    build_empty_program, build_static_charrette, create_repository, create_scratch_folder,
};
use charrette_model::checkpoint::{Command as FlowCommand, DocumentName, read};
use charrette_model::stamp::Now;
use charrette_store::head::head;
use charrette_store::layout::StateFolder;
use charrette_store::{Documents, Holder, Location, locate};
use serde_json::{Value, json};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

const DOCUMENT_COUNT: usize = 10_000;

pub(super) fn figures(only: &str) -> TaskResult<Vec<Figure>> {
    let is_wanted = |name: &str| name.contains(only);
    let mut figures = Vec::new();
    if is_wanted("durable update in process") {
        figures.push(measure_update_in_process()?);
    }
    if is_wanted("update-phase as a process") {
        figures.push(measure_update_command()?);
    }
    if is_wanted("status over 10,000 documents") {
        figures.extend(measure_status()?);
    }
    if is_wanted("HEAD in process") {
        figures.push(measure_head()?);
    }
    Ok(figures)
}

/// A document of about this size, with phases, steps and summaries like those of a design.
fn sample_document(name: &DocumentName, bytes: usize) -> Value {
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

pub(super) fn open_documents(root: &Path) -> TaskResult<Documents> {
    let repository = match locate(root)? {
        Location::WorkTree(repository) => Some(repository),
        _ => None,
    };
    let holder = Holder::of_this_process(String::new(), "bench".to_owned());
    Ok(Documents::new(StateFolder::new(root, ".claude/state"), repository, holder, 500))
}

fn document_name(feature: &str) -> TaskResult<DocumentName> {
    Ok(DocumentName::for_feature(FlowCommand::Design, Some(feature))?)
}

fn current_time() -> Now {
    Now::real(std::time::SystemTime::now().try_into().unwrap_or_default())
}

/// Baseline of a durable write: temp file, fsync, rename, fsync of the folder.
pub(super) fn bare_durable_write(folder: &Path, bytes: &[u8]) -> TaskResult {
    let temp = folder.join("bare.tmp");
    let mut file = File::create(&temp)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&temp, folder.join("bare"))?;
    File::open(folder)?.sync_all()?;
    Ok(())
}

fn measure_update_in_process() -> TaskResult<Figure> {
    let scratch = create_scratch_folder("update")?;
    create_repository(scratch.path())?;
    let documents = open_documents(scratch.path())?;
    let name = document_name("bench")?;
    documents.save(&name, &read(sample_document(&name, 30_000).to_string().as_bytes())?, current_time())?;
    let bytes = fs_err::read(documents.folder().document(&name))?;
    let folder = scratch.path().join("bare");
    fs_err::create_dir(&folder)?;
    let mut n = 0;
    let update = || {
        n += 1;
        let data =
            json!({"status": "in_progress", "context_summary": format!("The {n}th change of this phase.")});
        documents.update_phase(&name, "phase-1", &data, current_time())?;
        Ok(())
    };
    compare("durable update in process (30 KB)", 1.4, 300, update, || bare_durable_write(&folder, &bytes))
}

fn measure_update_command() -> TaskResult<Figure> {
    let scratch = create_scratch_folder("process")?;
    create_repository(scratch.path())?;
    let charrette = build_static_charrette()?;
    let empty = build_empty_program(scratch.path())?;
    let documents = open_documents(scratch.path())?;
    let name = document_name("bench")?;
    documents.save(&name, &read(sample_document(&name, 30_000).to_string().as_bytes())?, current_time())?;
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
    let bare = || {
        Command::new(&empty).stdin(File::open(&data)?).output()?;
        bare_durable_write(&folder, &bytes)?;
        bare_durable_write(&folder, &bytes)
    };
    compare("update-phase as a process", 2.0, 200, update, bare)
}

fn measure_status() -> TaskResult<Vec<Figure>> {
    let scratch = create_scratch_folder("status")?;
    create_repository(scratch.path())?;
    let charrette = build_static_charrette()?;
    let folder = scratch.path().join(".claude/state");
    fs_err::create_dir_all(&folder)?;
    for n in 0..DOCUMENT_COUNT {
        let name = document_name(&format!("feature-{n}"))?;
        let text = serde_json::to_string_pretty(&sample_document(&name, 18_000))?;
        fs_err::write(folder.join(format!("{}.json", name.stem())), text)?;
    }
    let read_all = || {
        let mut bytes = 0;
        for entry in std::fs::read_dir(&folder)? {
            bytes += std::fs::read(entry?.path())?.len();
        }
        if bytes > DOCUMENT_COUNT * 18_000 { Ok(()) } else { Err("the documents are not there".into()) }
    };
    let run = |args: &[&str]| {
        let mut command = Command::new(&charrette);
        command.args(args).current_dir(scratch.path()).stdout(Stdio::null());
        command
    };
    let status = |args: &'static [&'static str]| {
        move || -> TaskResult {
            let status = run(args).status()?;
            if status.success() { Ok(()) } else { Err(format!("charrette status: {status}").into()) }
        }
    };
    let mut figures = vec![compare("status over 10,000 documents", 3.0, 10, status(&["status"]), read_all)?];
    let json = status(&["status", "--json"]);
    figures.push(compare("status --json over 10,000 documents", 3.0, 10, json, read_all)?);
    // Memory is measured in a separate run, because polling /proc takes CPU time.
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
        baseline: 60.0,
        unit: "MB",
        limit: 1.0,
    });
    Ok(figures)
}

/// Peak memory of a process so far, in kilobytes.
pub(super) fn peak_memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().trim_end_matches(" kB").parse().ok()
}

fn measure_head() -> TaskResult<Figure> {
    let scratch = create_scratch_folder("head")?;
    create_repository(scratch.path())?;
    let Location::WorkTree(repository) = locate(scratch.path())? else { return Err("no repository".into()) };
    let ours = || head(&repository)?.map(drop).ok_or_else(|| "no HEAD".into());
    let git = || {
        Command::new("git").args(["rev-parse", "HEAD"]).current_dir(scratch.path()).output()?;
        Ok(())
    };
    compare("HEAD in process, against git rev-parse", 0.1, 200, ours, git)
}
