//! Checks a plug-in folder by the rules that every host shares.

use super::files::VERSION;
use charrette_model::markdown::lines;
use serde_json::Value;
use std::path::Path;

/// Manifests with a name and a version.
const MANIFESTS: [&str; 3] =
    [".claude-plugin/plugin.json", ".codex-plugin/plugin.json", "gemini-extension.json"];

/// Problems of a plug-in folder, one line each.
pub fn check(folder: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    for name in MANIFESTS {
        match read_json(folder, name) {
            Ok(manifest) => problems.extend(check_manifest(name, &manifest)),
            Err(problem) => problems.push(problem),
        }
    }
    match read_json(folder, "hooks/hooks.json") {
        Ok(hooks) => problems.extend(check_hooks(&hooks)),
        Err(problem) => problems.push(problem),
    }
    match read_json(folder, ".mcp.json") {
        Ok(server) if server["mcpServers"]["charrette"]["command"] != "charrette" => {
            // Codex does not replace variables there: the bare name is all that works everywhere.
            problems.push(".mcp.json: the command of the server is not the bare name charrette".to_owned());
        }
        Ok(_) => {}
        Err(problem) => problems.push(problem),
    }
    problems.extend(check_skills(folder));
    problems
}

fn read_json(folder: &Path, name: &str) -> Result<Value, String> {
    let text = fs_err::read_to_string(folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{name}: {error}"))
}

fn check_manifest(name: &str, manifest: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    if manifest["name"] != "charrette" {
        problems.push(format!("{name}: the name is {}, not \"charrette\"", manifest["name"]));
    }
    if manifest["version"] != VERSION {
        problems
            .push(format!("{name}: the version is {}, that of this program {VERSION}", manifest["version"]));
    }
    problems
}

/// Codex drops a file with other members at the top, and lets a tool run on answers it does not know; a hook that must not
/// fail would block every tool where the program is missing.
fn check_hooks(hooks: &Value) -> Vec<String> {
    const NAME: &str = "hooks/hooks.json";
    let members = hooks.as_object().into_iter().flatten().map(|(member, _)| member);
    let mut problems: Vec<String> = members
        .filter(|member| !["description", "hooks"].contains(&member.as_str()))
        .map(|member| format!("{NAME}: {member} at the top makes Codex drop the whole file"))
        .collect();
    let events = hooks["hooks"].as_object().into_iter().flatten();
    for (event, groups) in events {
        let handlers =
            groups.as_array().into_iter().flatten().filter_map(|group| group["hooks"].as_array()).flatten();
        for handler in handlers {
            let command = handler["command"].as_str().unwrap_or_default();
            if !command.starts_with("command -v charrette") {
                problems.push(format!(
                    "{NAME}: {event}: the command does not look for the program first: {command}"
                ));
            }
            if !handler["onFailure"].is_null() || !handler["args"].is_null() {
                problems.push(format!(
                    "{NAME}: {event}: onFailure and args must not be used in an installed plug-in"
                ));
            }
        }
    }
    problems
}

fn check_skills(folder: &Path) -> Vec<String> {
    let mut problems = Vec::new();
    let entries = fs_err::read_dir(folder.join("skills")).into_iter().flatten().flatten();
    for entry in entries {
        let skill = entry.file_name().to_string_lossy().into_owned();
        let name = format!("skills/{skill}/SKILL.md");
        let text = fs_err::read_to_string(folder.join(&name)).unwrap_or_default();
        let front: Vec<&str> =
            lines(&text).map(|line| line.text).skip(1).take_while(|line| *line != "---").collect();
        let value = |key: &str| front.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
        if !text.starts_with("---\n") || value("name") != Some(&skill) {
            problems.push(format!("{name}: the front matter has no name {skill}"));
        }
        if value("description").is_none_or(str::is_empty) {
            problems.push(format!("{name}: the front matter has no description"));
        }
        if let Some(other) =
            front.iter().find(|line| !line.starts_with("name: ") && !line.starts_with("description: "))
        {
            problems.push(format!("{name}: only name and description are read by every host, not {other:?}"));
        }
    }
    problems
}
