//! Configurations as people have them: installing and removing leaves them byte for byte as they were.

use crate::bench::{Bench, snapshot};
use charrette_hosts::json_hooks::{install, own_hooks, read, uninstall};
use charrette_hosts::{Client, HookLayout, wanted_hooks};

/// Files of Claude Code, Codex, Gemini and Cursor, with a name for messages.
pub(crate) const CONFIGURATIONS: [(&str, &str); 16] = [
    ("empty object", "{}\n"),
    ("empty file", ""),
    ("only a newline", "\n"),
    ("two spaces", "{\n  \"model\": \"opus\",\n  \"env\": {\n    \"A\": \"1\"\n  }\n}\n"),
    (
        "four spaces, no final newline",
        "{\n    \"model\": \"opus\",\n    \"env\": {\n        \"A\": \"1\"\n    }\n}",
    ),
    ("tabs", "{\n\t\"model\": \"opus\",\n\t\"permissions\": {\n\t\t\"allow\": [\"Bash(ls)\"]\n\t}\n}\n"),
    ("CRLF", "{\r\n  \"model\": \"opus\",\r\n  \"theme\": \"dark\"\r\n}\r\n"),
    ("byte order mark", "\u{feff}{\n  \"model\": \"opus\"\n}\n"),
    (
        "one line",
        "{\"model\":\"opus\",\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"date\"}]}]}}",
    ),
    (
        "line and block comments",
        "// mine\n{\n  // the model\n  \"model\": \"opus\", // good\n  /* later:\n     \"theme\": \"dark\" */\n  \"env\": {} // none\n}\n// end\n",
    ),
    (
        "trailing commas",
        "{\n  \"model\": \"opus\",\n  \"permissions\": {\n    \"deny\": [\n      \"Read(.env)\",\n    ],\n  },\n}\n",
    ),
    (
        "foreign hooks for the same events",
        "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"./check.sh\", \"timeout\": 5 }\n        ]\n      }\n    ],\n    \"SessionStart\": [],\n    \"BeforeTool\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}],\n    \"preToolUse\": [{\"command\": \"y\"}]\n  },\n  \"model\": \"opus\"\n}\n",
    ),
    (
        "foreign hooks for other events, commented",
        "{\n  \"hooks\": {\n    // says when it is done\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"notify-send done\"}]}], // loud\n  },\n}\n",
    ),
    ("hooks that are empty", "{\n  \"hooks\": {},\n  \"model\": \"opus\"\n}\n"),
    ("hooks last, on one line", "{ \"model\": \"opus\", \"hooks\": {} }\n"),
    (
        "escapes and other letters",
        "{\n  \"statusLine\": \"caf\\u00e9 \\\"\\\\\\\" 日本 \u{1f600}\",\n  \"n\": 1e3, \"big\": 12345678901234567890\n}\n",
    ),
];

const CLIENTS: [(Client, HookLayout, &str); 4] = [
    (Client::Claude, HookLayout::Claude, ".claude/settings.json"),
    (Client::Codex, HookLayout::Codex, ".codex/hooks.json"),
    (Client::Gemini, HookLayout::Gemini, ".gemini/settings.json"),
    (Client::Cursor, HookLayout::Cursor, ".cursor/hooks.json"),
];

#[test]
fn installing_and_removing_is_byte_identical_and_installing_twice_changes_nothing() {
    for (client, _, file) in CLIENTS {
        for (name, text) in CONFIGURATIONS {
            let bench = Bench::new();
            bench.sandbox.write(file, text);
            let before = snapshot(&bench.root());
            let scope = bench.repository();
            assert_eq!(bench.install(client, &scope), 3, "{client:?}, {name}: the file and two pages");
            let installed = snapshot(&bench.root());
            assert_ne!(before, installed);
            assert_eq!(bench.install(client, &scope), 0, "{client:?}, {name}: the second time");
            assert_eq!(snapshot(&bench.root()), installed);
            assert_eq!(bench.remove(client, &scope), 3, "{client:?}, {name}");
            assert_eq!(snapshot(&bench.root()), before, "{client:?}, {name}");
            assert_eq!(bench.remove(client, &scope), 0, "{client:?}, {name}: the second time");
        }
    }
}

#[test]
fn foreign_content_survives_both_edits() {
    for (client, layout, _) in CLIENTS {
        for (name, text) in CONFIGURATIONS {
            let installed = install(text, layout).unwrap();
            assert!(!installed.differences.is_empty(), "{client:?}, {name}");
            let again = install(&installed.text, layout).unwrap();
            assert_eq!(again.text, installed.text, "{client:?}, {name}");
            assert_eq!(again.differences, [], "{client:?}, {name}");
            let own = own_hooks(&installed.text, layout).unwrap().unwrap();
            let events: Vec<&str> = own.as_object().unwrap().keys().map(String::as_str).collect();
            let wanted: Vec<&str> = wanted_hooks(layout).iter().map(|hook| hook.event).collect();
            let is_same = events.len() == wanted.len() && wanted.iter().all(|event| events.contains(event));
            assert!(is_same, "{client:?}, {name}: {events:?}");

            let removed = uninstall(&installed.text, layout).unwrap();
            let (mut before, mut after) = (read(text).unwrap(), read(&removed.text).unwrap());
            // What was empty may be gone, and a version that was added stays.
            for value in [&mut before, &mut after] {
                let members = value.as_object_mut().unwrap();
                members.remove("version");
                if let Some(hooks) = members.get_mut("hooks").and_then(|hooks| hooks.as_object_mut()) {
                    hooks.retain(|_, list| list != &serde_json::json!([]));
                }
                members.retain(|name, value| name != "hooks" || value != &serde_json::json!({}));
            }
            assert_eq!(after, before, "{client:?}, {name}");
            for comment in
                ["// the model", "// good", "// none", "// end", "// says when", "// loud", "// mine"]
            {
                let count = |text: &str| text.matches(comment).count();
                assert_eq!(count(&installed.text), count(text), "{client:?}, {name}: {comment}");
                assert_eq!(count(&removed.text), count(text), "{client:?}, {name}: {comment}");
            }
            if name == "CRLF" {
                assert_eq!(installed.text.matches('\n').count(), installed.text.matches("\r\n").count());
            }
        }
    }
}

#[test]
fn indentation_and_order_are_those_of_the_file() {
    let text =
        "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": [{\"hooks\": []}]\n\t},\n\t\"z\": 1\n}\n";
    let installed = install(text, HookLayout::Claude).unwrap().text;
    let expected = "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": [{\"hooks\": []}],\n\t\t\"PreToolUse\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": \"charrette-hook PreToolUse\",\n\t\t\t\t\t\t\"timeout\": 10\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t],\n\t\t\"SessionStart\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": \"charrette-hook SessionStart\",\n\t\t\t\t\t\t\"timeout\": 10\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t},\n\t\"z\": 1\n}\n";
    assert_eq!(installed, expected);
    assert_eq!(uninstall(&installed, HookLayout::Claude).unwrap().text, text);
}

#[test]
fn other_forms_of_own_hooks_are_put_right() {
    let narrowed = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "charrette-hook PreToolUse", "timeout": 10}, {"type": "command", "command": "mine"}]}], "Stop": [{"hooks": [{"type": "command", "command": "charrette-hook Stop"}]}]}}"#;
    let edited = install(narrowed, HookLayout::Claude).unwrap();
    let said: Vec<String> = edited.differences.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "hook PreToolUse is not as init writes it",
            "hook Stop is not needed",
            "hook SessionStart is missing"
        ]
    );
    let value = read(&edited.text).unwrap();
    assert_eq!(value["hooks"]["PreToolUse"][0]["hooks"][0]["command"], "mine");
    assert_eq!(value["hooks"]["PreToolUse"][1]["hooks"][0]["command"], "charrette-hook PreToolUse");
    assert_eq!(value["hooks"]["PreToolUse"][1].get("matcher"), None);
    assert_eq!(value["hooks"].get("Stop"), None);
    assert_eq!(install(&edited.text, HookLayout::Claude).unwrap().differences, []);
}
