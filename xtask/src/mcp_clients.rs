//! `charrette mcp` with the protocol's own clients: the official TypeScript client calls every tool of a whole design, and the
//! command line of the inspector lists and calls tools.

use crate::TaskResult;
use crate::programs::{cargo, create_repository, root};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages, with their versions.
const PACKAGES: [&str; 2] = ["@modelcontextprotocol/sdk@1.32.2", "@modelcontextprotocol/inspector@2.12.0"];
/// Script for the TypeScript client.
const SCRIPT: &str = include_str!("mcp_clients/client.mjs");

pub(crate) fn mcp_clients() -> TaskResult {
    let home = root().join("target").join("mcp-hosts");
    install(&home)?;
    let status = cargo()
        .args(["build", "--quiet", "--package", "charrette-cli", "--bins"])
        .current_dir(root())
        .status()?;
    if !status.success() {
        return Err("charrette does not build".into());
    }
    let charrette = root().join("target").join("debug").join("charrette");
    let folder = home.join("run");
    if folder.exists() {
        fs_err::remove_dir_all(&folder)?;
    }
    let repository = folder.join("repo");
    fs_err::create_dir_all(repository.join("src"))?;
    fs_err::write(repository.join("src/users.py"), "def greet(user):\n    return 'hi ' + user\n")?;
    create_repository(&repository)?;
    let place = Place { home, folder, charrette, repository };
    place.whole_design()?;
    place.inspector()
}

/// Installs the packages, unless the same ones are there already.
fn install(home: &Path) -> TaskResult {
    let (marker, wanted) = (home.join("installed"), PACKAGES.join("\n"));
    if fs_err::read_to_string(&marker).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    fs_err::create_dir_all(home)?;
    fs_err::write(home.join("package.json"), "{\"private\": true}\n")?;
    println!("installing {}", PACKAGES.join(", "));
    let npm = Command::new("npm")
        .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
        .args(PACKAGES)
        .current_dir(home)
        .status()?;
    if !npm.success() {
        return Err("npm could not install the clients; its errors are above".into());
    }
    fs_err::write(marker, wanted)?;
    Ok(())
}

/// Folders and programs of the test.
struct Place {
    /// Folder with the packages.
    home: PathBuf,
    folder: PathBuf,
    charrette: PathBuf,
    repository: PathBuf,
}

impl Place {
    /// Lets the TypeScript client call every tool of a whole design.
    fn whole_design(&self) -> TaskResult {
        // Packages are found beside the script.
        let script = self.home.join("client.mjs");
        fs_err::write(&script, SCRIPT)?;
        let mut node = Command::new("node");
        node.arg(script).arg(&self.charrette).arg(&self.repository);
        let printed = self.run(node)?;
        let seen: Value = serde_json::from_str(printed.lines().last().unwrap_or_default())?;
        if seen["files"].as_array().map(Vec::len) != Some(6)
            || seen["forms"].as_u64().unwrap_or_default() == 0
        {
            return Err(format!("the design did not end as expected: {seen}").into());
        }
        println!("TypeScript client: every tool called, {} forms, six files", seen["forms"]);
        Ok(())
    }

    /// Lets the inspector list and call tools.
    fn inspector(&self) -> TaskResult {
        let call = |more: &[&str]| -> TaskResult<Value> {
            let mut inspector = Command::new(self.home.join("node_modules/.bin/mcp-inspector"));
            inspector.arg("--cli").arg(&self.charrette).arg("-C").arg(&self.repository).arg("mcp").args(more);
            Ok(serde_json::from_str(&self.run(inspector)?)?)
        };
        let listed = call(&["--method", "tools/list"])?;
        let tools = listed["tools"].as_array().cloned().unwrap_or_default();
        for (tool, arguments) in [
            ("wait", &["feature=greeting", "seconds=0"][..]),
            ("read", &["feature=greeting"]),
            ("check", &["feature=greeting"]),
            ("survey", &["request=greeting"]),
            ("resume", &["feature=greeting"]),
            ("stop", &["feature=greeting"]),
        ] {
            let mut words = vec!["--method", "tools/call", "--tool-name", tool];
            for argument in arguments {
                words.extend(["--tool-arg", argument]);
            }
            let result = call(&words)?;
            if result["isError"] == true || result.get("structuredContent").is_none() {
                return Err(format!("{tool} through the inspector: {result}").into());
            }
        }
        println!("inspector: {} tools listed, six called", tools.len());
        Ok(())
    }

    fn run(&self, mut command: Command) -> TaskResult<String> {
        let output = command.env("HOME", &self.folder).current_dir(&self.home).output()?;
        if !output.status.success() {
            let (printed, said) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            return Err(format!("{command:?}: {printed}\n{said}").into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
