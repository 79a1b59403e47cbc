//! The MCP server in the files of every client.

use crate::bench::{Bench, snapshot};
use crate::configurations::CONFIGURATIONS;
use charrette_hosts::{Client, Part, json_hooks, toml_text};
use serde_json::{Value, json};

const JSON_FILES: [(Client, &str, &str); 4] = [
    (Client::Claude, ".mcp.json", "mcpServers"),
    (Client::Gemini, ".gemini/settings.json", "mcpServers"),
    (Client::Cursor, ".cursor/mcp.json", "mcpServers"),
    (Client::Opencode, "opencode.json", "mcp"),
];

/// Files of Codex, with a name for messages.
const TOML: [(&str, &str); 12] = [
    ("empty file", ""),
    ("only a newline", "\n"),
    ("settings", "model = \"gpt-5\"\n"),
    ("no final newline", "model = \"gpt-5\"\n[features]\nhooks = true"),
    (
        "comments",
        "# mine\nmodel = \"gpt-5\" # good\n\n# tables follow\n[tui] # screen\ntheme = \"dark\"\n# end\n",
    ),
    ("CRLF", "model = \"gpt-5\"\r\n\r\n[tui]\r\ntheme = \"dark\"\r\n"),
    ("byte order mark", "\u{feff}model = \"gpt-5\"\n"),
    (
        "other servers",
        "[mcp_servers.docs]\ncommand = \"docs\"\nargs = [\n  \"a\", # first\n  \"b\",\n]\n\n[mcp_servers.docs.env]\nA = \"1\"\n",
    ),
    ("dotted keys", "mcp_servers.docs.command = \"docs\"\n"),
    (
        "list of tables at the end",
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"date\"\n",
    ),
    ("text that looks like a section", "notes = \"\"\"\n[mcp_servers.charrette]\ncommand = \"x\"\n\"\"\"\n"),
    (
        "trust",
        "[projects.\"/home/me/a b\"]\ntrust_level = \"trusted\"\n\n\n[hooks.state.\"/x:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:00\"\n",
    ),
];

const CODEX: &str = ".codex/config.toml";

#[test]
fn installing_and_removing_is_byte_identical_in_json() {
    for (client, file, member) in JSON_FILES {
        for (name, text) in CONFIGURATIONS {
            let bench = Bench::new();
            bench.sandbox.write(file, text);
            let before = snapshot(&bench.root());
            let scope = bench.repository();
            assert!(bench.install_parts(&[client], &scope, &Part::ALL) > 1, "{client:?}, {name}");
            let installed = bench.sandbox.read(file);
            let value = json_hooks::read(&installed).unwrap();
            let entry = &value[member]["charrette"];
            assert!(entry.to_string().contains("\"mcp\""), "{client:?}, {name}: {installed}");
            for comment in
                ["// the model", "// good", "// none", "// end", "// says when", "// loud", "// mine"]
            {
                let count = |text: &str| text.matches(comment).count();
                assert_eq!(count(&installed), count(text), "{client:?}, {name}: {comment}");
            }
            assert_eq!(bench.install_parts(&[client], &scope, &Part::ALL), 0, "{client:?}, {name}");
            bench.remove(client, &scope);
            assert_eq!(snapshot(&bench.root()), before, "{client:?}, {name}");
        }
    }
}

#[test]
fn installing_and_removing_is_byte_identical_in_toml() {
    for (name, text) in TOML {
        let bench = Bench::new();
        bench.sandbox.write(CODEX, text);
        let before = snapshot(&bench.root());
        let scope = bench.repository();
        assert_eq!(bench.install_parts(&[Client::Codex], &scope, &[Part::Mcp]), 1, "{name}");
        let installed = bench.sandbox.read(CODEX);
        assert!(installed.starts_with(text.trim_end()), "{name}: {installed}");
        let body = installed.trim_start_matches('\u{feff}');
        let value = toml_text::read(body).unwrap();
        assert_eq!(
            value["mcp_servers"]["charrette"],
            json!({"command": "charrette", "args": ["mcp"]}),
            "{name}"
        );
        if name == "CRLF" {
            assert_eq!(installed.matches('\n').count(), installed.matches("\r\n").count());
        }
        assert_eq!(bench.install_parts(&[Client::Codex], &scope, &[Part::Mcp]), 0, "{name}");

        // The same without a receipt: only the section goes.
        let other = Bench::new();
        other.sandbox.write(CODEX, &installed);
        other.remove(Client::Codex, &other.repository());
        let left = other.sandbox.read(CODEX);
        assert_eq!(left.trim_end(), text.trim_end(), "{name}");

        bench.remove(Client::Codex, &scope);
        assert_eq!(snapshot(&bench.root()), before, "{name}");
    }
}

#[test]
fn a_section_with_additions_of_the_user_is_removed_whole_and_only_it() {
    let bench = Bench::new();
    let mine = "model = \"gpt-5\"\n";
    bench.sandbox.write(CODEX, mine);
    bench.install_parts(&[Client::Codex], &bench.repository(), &[Part::Mcp]);
    let text = bench.sandbox.read(CODEX)
        + "startup_timeout_sec = 5 # slow disk\n\n[tui]\ntheme = \"dark\"\n\n[mcp_servers.charrette.tools.start]\napproval_mode = \"approve\"\n\n# end\n";
    bench.sandbox.write(CODEX, &text);
    bench.remove(Client::Codex, &bench.repository());
    assert_eq!(bench.sandbox.read(CODEX), "model = \"gpt-5\"\n\n[tui]\ntheme = \"dark\"\n\n# end\n");
}

#[test]
fn the_entries_are_those_that_the_clients_read() {
    let bench = Bench::new();
    bench.install_parts(&Client::ALL, &bench.repository(), &[Part::Mcp]);
    let json = |file: &str| serde_json::from_str::<Value>(&bench.sandbox.read(file)).unwrap();
    let plain = json!({"mcpServers": {"charrette": {"command": "charrette", "args": ["mcp"]}}});
    assert_eq!(
        json(".mcp.json"),
        json!({"mcpServers": {"charrette": {"type": "stdio", "command": "charrette", "args": ["mcp"]}}})
    );
    assert_eq!(json(".gemini/settings.json"), plain);
    assert_eq!(json(".cursor/mcp.json"), plain);
    assert_eq!(
        json("opencode.json"),
        json!({
            "$schema": "https://opencode.ai/config.json",
            "mcp": {"charrette": {"type": "local", "command": ["charrette", "mcp"], "enabled": true}},
        })
    );
    assert_eq!(
        bench.sandbox.read(CODEX),
        "[mcp_servers.charrette]\ncommand = \"charrette\"\nargs = [\"mcp\"]\n"
    );
}

#[test]
fn a_server_of_this_name_that_runs_something_else_is_left_alone() {
    for (client, file, text) in [
        (
            Client::Claude,
            ".mcp.json",
            "{\"mcpServers\": {\"charrette\": {\"command\": \"/opt/c\", \"args\": [\"mcp\"]}}}",
        ),
        (Client::Codex, CODEX, "[mcp_servers.charrette]\nurl = \"https://example.com\"\n"),
    ] {
        let bench = Bench::new();
        bench.sandbox.write(file, text);
        let plan = bench.plan_parts(&[client], &bench.repository(), &[Part::Mcp]);
        assert_eq!((plan.changes.len(), plan.problems.len()), (0, 0), "{plan:?}");
        assert_eq!(plan.taken, [bench.root().join(file)]);
        assert_eq!(bench.remove(client, &bench.repository()), 0);
        assert_eq!(bench.sandbox.read(file), text);
    }
}

#[test]
fn a_server_that_the_user_listed_stays_theirs() {
    let bench = Bench::new();
    let file = bench.sandbox.home().join(".codex/config.toml");
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    let theirs = "[mcp_servers.charrette]\ncommand = \"charrette\"\nargs = [\"mcp\"]\n";
    fs_err::write(&file, theirs).unwrap();
    assert_eq!(bench.install_parts(&[Client::Codex], &bench.user(), &[Part::Mcp]), 0);
    assert_eq!(bench.remove(Client::Codex, &bench.user()), 0);
    assert_eq!(fs_err::read_to_string(&file).unwrap(), theirs);
}

#[test]
fn parts_of_one_file_come_and_go_in_any_order() {
    let file = ".gemini/settings.json";
    for (name, text) in CONFIGURATIONS {
        let bench = Bench::new();
        bench.sandbox.write(file, text);
        let scope = bench.repository();
        let clients = [Client::Gemini];
        bench.install_parts(&clients, &scope, &[Part::Hooks]);
        let with_hooks = bench.sandbox.read(file);
        bench.install_parts(&clients, &scope, &[Part::Mcp]);
        let with_both = bench.sandbox.read(file);
        assert!(with_both.contains("mcpServers") && with_both.contains("charrette-hook"), "{name}");

        bench.remove_parts(&clients, &scope, &[Part::Mcp]);
        assert_eq!(bench.sandbox.read(file), with_hooks, "{name}");
        bench.install_parts(&clients, &scope, &[Part::Mcp]);
        bench.remove_parts(&clients, &scope, &[Part::Hooks]);
        let with_server = bench.sandbox.read(file);
        assert!(with_server.contains("mcpServers") && !with_server.contains("charrette-hook"), "{name}");
        bench.remove_parts(&clients, &scope, &[Part::Mcp]);
        assert_eq!(bench.sandbox.read(file), text, "{name}");
    }
}

#[test]
fn a_part_is_taken_out_of_a_file_that_was_edited_since() {
    let bench = Bench::new();
    bench.sandbox.write(".gemini/settings.json", "{\n  \"theme\": \"dark\"\n}\n");
    let scope = bench.repository();
    bench.install_parts(&[Client::Gemini], &scope, &[Part::Hooks, Part::Mcp]);
    let edited = bench.sandbox.read(".gemini/settings.json").replace("dark", "light");
    bench.sandbox.write(".gemini/settings.json", &edited);
    bench.remove_parts(&[Client::Gemini], &scope, &[Part::Hooks]);
    let left: Value = serde_json::from_str(&bench.sandbox.read(".gemini/settings.json")).unwrap();
    assert_eq!(left["theme"], "light");
    assert_eq!((left.get("hooks"), left["mcpServers"]["charrette"].is_object()), (None, true));
    bench.remove_parts(&[Client::Gemini], &scope, &[Part::Mcp]);
    assert_eq!(bench.sandbox.read(".gemini/settings.json"), "{\n  \"theme\": \"light\"\n}\n");
}

#[test]
fn opencode_keeps_the_one_file_that_exists() {
    let bench = Bench::new();
    bench.sandbox.write("opencode.jsonc", "{\n  // mine\n  \"model\": \"x/y\"\n}\n");
    bench.install_parts(&[Client::Opencode], &bench.repository(), &[Part::Mcp]);
    assert!(!bench.root().join("opencode.json").exists());
    assert!(bench.sandbox.read("opencode.jsonc").contains("// mine"));
    bench.remove(Client::Opencode, &bench.repository());
    assert_eq!(bench.sandbox.read("opencode.jsonc"), "{\n  // mine\n  \"model\": \"x/y\"\n}\n");
}

#[test]
fn claude_code_keeps_the_servers_of_a_user_beside_its_folder() {
    let bench = Bench::new();
    let file = bench.sandbox.home().join(".claude.json");
    let state = "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"docs\": {\n      \"command\": \"docs\"\n    }\n  }\n}";
    fs_err::write(&file, state).unwrap();
    bench.install_parts(&[Client::Claude], &bench.user(), &[Part::Mcp]);
    // Claude Code rewrites this file all the time.
    let mut value: Value = serde_json::from_str(&fs_err::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(value["mcpServers"]["charrette"]["command"], "charrette");
    value["numStartups"] = 4.into();
    fs_err::write(&file, format!("{value:#}")).unwrap();
    bench.remove(Client::Claude, &bench.user());
    let left: Value = serde_json::from_str(&fs_err::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(left, json!({"numStartups": 4, "mcpServers": {"docs": {"command": "docs"}}}));
}
