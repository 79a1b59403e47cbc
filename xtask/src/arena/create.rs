//! `arena new`: the folder of a round, with two clones of the repository and the settings of the panel's run.

use super::folder::{ArenaRecord, write_json};
use crate::TaskResult;
use crate::driver::{clone_at, git};
use clap::Args;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// Folder of the round, which must not exist
    folder: PathBuf,
    /// Repository to design for
    #[arg(long, value_name = "PATH")]
    repo: PathBuf,
    /// Commit to design for; later commits are not in the clones
    #[arg(long, value_name = "C", default_value = "HEAD")]
    commit: String,
    /// File with the request, word for word
    #[arg(long, value_name = "FILE")]
    request: PathBuf,
    /// Name of the feature [default: derived from the name of the request's file]
    #[arg(long, value_name = "N")]
    name: Option<String>,
}

/// Agents of the panel and their vendors. Each is a queue, served by people or models.
const AGENTS: [(&str, &str); 3] = [("claude", "anthropic"), ("codex", "openai"), ("cursor", "cursor")];

/// Built-in agents that might be installed on this machine and are no part of the panel.
const OTHER_AGENTS: [&str; 2] = ["gemini", "opencode"];

/// Seconds that a queued call waits for its answer: a round must not fall back because its players sleep.
const QUEUE_SECONDS: u32 = 86_400;

pub(super) fn create(args: &NewArgs) -> TaskResult {
    if args.folder.exists() {
        return Err(format!("{} exists already", args.folder.display()).into());
    }
    let request = fs_err::read_to_string(&args.request)?;
    if request.trim().is_empty() {
        return Err(format!("{} is empty", args.request.display()).into());
    }
    let name = args.name.clone().unwrap_or_else(|| derive_name(&args.request));
    if !is_feature_name(&name) {
        return Err(
            format!("'{name}' is no name of a feature; give one with --name (words-with-hyphens)").into()
        );
    }
    let commit = git(&args.repo, &["rev-parse", "--verify", &format!("{}^{{commit}}", args.commit)])?;
    fs_err::create_dir_all(&args.folder)?;
    let folder = fs_err::canonicalize(&args.folder)?;
    for side in ["panel", "lone"] {
        clone_at(&args.repo, &commit, &folder.join(side).join("repository"))?;
    }
    fs_err::write(folder.join("request.md"), &request)?;
    fs_err::write(folder.join("charrette.toml"), settings())?;
    let record = ArenaRecord { version: 1, name, repository: fs_err::canonicalize(&args.repo)?, commit };
    // Written last: a folder with a record is complete.
    write_json(&folder.join("arena.json"), &record)?;
    println!("{}: {} at {}", folder.display(), record.name, &record.commit);
    println!("Next: cargo xtask arena panel {}", folder.display());
    Ok(())
}

/// Settings of the panel's run: three queue agents of three vendors, long clocks, nothing else.
fn settings() -> String {
    let mut text = String::from("# Settings of this round only; those of the user do not count.\n");
    for (agent, vendor) in AGENTS {
        let _ = write!(text, "[agents.{agent}]\nkind = \"queue\"\nvendor = {vendor:?}\n");
    }
    for agent in OTHER_AGENTS {
        let _ = write!(text, "[agents.{agent}]\ncommand = \"/nonexistent\"\n");
    }
    text.push_str("[policy]\nprobe = false\nrate_limit = \"wait\"\n[limits]\nparallel = 8\n[clocks]\n");
    for clock in ["first_byte", "idle", "sketch", "review", "investigate", "design"] {
        let _ = writeln!(text, "{clock} = {QUEUE_SECONDS}");
    }
    text.push_str("[preflight]\nfetch = \"off\"\n[resume]\nexisting = \"resume\"\n");
    text
}

fn derive_name(request: &Path) -> String {
    let stem = request.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_lowercase();
    let words: Vec<&str> =
        stem.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("-")
}

fn is_feature_name(name: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.len() <= 50 && name.split('-').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_the_file_of_the_request() {
        for (file, name) in
            [("requests/Rate_limit.md", "rate-limit"), ("mcp server.txt", "mcp-server"), ("---", "")]
        {
            assert_eq!(derive_name(Path::new(file)), name);
        }
        for (name, valid) in [("rate-limit", true), ("", false), ("a--b", false), ("A", false)] {
            assert_eq!(is_feature_name(name), valid, "{name}");
        }
    }
}
