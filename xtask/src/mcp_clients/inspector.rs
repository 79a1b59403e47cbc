//! The command line of the inspector: it lists the tools and calls every one of them, each time with a server of its own.

use super::Place;
use crate::TaskResult;
use serde_json::{Value, json};
use std::process::Command;

/// Looks at a run before it counts as hanging.
const MAX_LOOKS: usize = 60;

/// Lists and calls the tools.
pub(super) fn run(place: &Place, revision: &str) -> TaskResult {
    let inspector = Inspector { place, era: if revision < "2026" { "legacy" } else { "modern" } };
    // Strict: schemas that some client cannot use are errors.
    let listed = inspector.request(&["--method", "tools/list", "--strict"])?;
    let feature = format!("inspected-{}", inspector.era);
    let mut tools: Vec<String> = listed["tools"].as_array().into_iter().flatten().map(name).collect();
    let mut called = Vec::new();
    let mut call = |tool: &str, arguments: &Value| -> TaskResult<Value> {
        called.push(tool.to_owned());
        inspector.call(tool, arguments)
    };
    let request = format!("add a farewell for old users, {feature}");
    let order =
        json!({"command": "design", "request": request, "feature": feature, "options": {"auto": true}});
    call("start", &order)?;
    let mut looks = 0;
    let run = loop {
        let run = call("wait", &json!({"feature": feature, "seconds": 20}))?["run"].clone();
        match run["state"].as_str() {
            Some("waiting") => break run,
            Some("working") if looks < MAX_LOOKS => looks += 1,
            _ => return Err(format!("the run does not get to its gate: {run}").into()),
        }
    };
    let gate = &run["gates"][0];
    let key = gate["questions"][0]["key"].as_str().ok_or("the gate asks nothing")?;
    let answer = json!({
        "feature": feature, "gate": gate["gate"], "shown": gate["shown"], "answers": {key: "as recommended"},
    });
    call("answer", &answer)?;
    for tool in ["stop", "resume", "read"] {
        call(tool, &json!({"feature": feature}))?;
    }
    call("check", &json!({"feature": "greeting"}))?;
    call("survey", &json!({"request": "greeting"}))?;
    called.sort();
    called.dedup();
    tools.sort();
    if called != tools {
        return Err(format!("the inspector called {called:?} of {tools:?}").into());
    }
    println!("{revision} inspector: {} tools listed and called", tools.len());
    Ok(())
}

fn name(tool: &Value) -> String {
    tool["name"].as_str().unwrap_or_default().to_owned()
}

/// The inspector, with the era of the protocol that it negotiates.
struct Inspector<'a> {
    place: &'a Place,
    era: &'static str,
}

impl Inspector<'_> {
    /// The structured content of a call that succeeds.
    fn call(&self, tool: &str, arguments: &Value) -> TaskResult<Value> {
        let arguments = arguments.to_string();
        let words = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", &arguments];
        let result = self.request(&words)?;
        if result["isError"] == true || result.get("structuredContent").is_none() {
            return Err(format!("{tool} through the inspector: {result}").into());
        }
        Ok(result["structuredContent"].clone())
    }

    fn request(&self, words: &[&str]) -> TaskResult<Value> {
        let Place { home, charrette, repository, .. } = self.place;
        let mut inspector = Command::new(home.join("node_modules/.bin/mcp-inspector"));
        inspector.arg("--cli").arg(charrette).arg("-C").arg(repository).arg("mcp");
        inspector.args(["--protocol-era", self.era, "--quiet", "--format", "json"]).args(words);
        let printed: Value = serde_json::from_str(&self.place.output(inspector)?)?;
        Ok(printed["result"].clone())
    }
}
