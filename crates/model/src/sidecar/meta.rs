//! Metadata of a call, as `KEY=VALUE` lines.

use super::names::sanitize_tool;
use crate::session::pairs::pairs;
use std::fmt::Write;

/// Metadata of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallMeta {
    pub tool: String,
    /// Timeout in seconds.
    pub timeout: u64,
    /// True if the output is captured from standard output.
    pub capture_stdout: bool,
    /// True if standard error is left out.
    pub capture_stdout_only: bool,
    /// Path of the output.
    pub output_file: String,
    /// Program and arguments. No secret belongs here: keys travel in the environment.
    pub command: Vec<String>,
    /// Additional lines, such as the parent of the launcher.
    pub more: Vec<(String, String)>,
}

/// The text of a `.meta` file. Control characters are removed from values.
pub fn meta_text(meta: &CallMeta) -> String {
    let command = serde_json::to_string(&meta.command).unwrap_or_default();
    let mut text = String::new();
    let mut write = |key: &str, value: &str| {
        let value: String = value.chars().filter(|c| !c.is_control()).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{key}={value}");
    };
    write("TOOL", &sanitize_tool(&meta.tool));
    write("TIMEOUT", &meta.timeout.to_string());
    write("CAPTURE_STDOUT", &meta.capture_stdout.to_string());
    write("CAPTURE_STDOUT_ONLY", &meta.capture_stdout_only.to_string());
    write("OUTPUT_FILE", &meta.output_file);
    write("CMD_JSON", &command);
    for (key, value) in &meta.more {
        write(key, value);
    }
    text
}

/// The last value of a key; an empty one counts as absent.
pub fn last_value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    pairs(text)
        .filter(|(name, _)| *name == key)
        .last()
        .map(|(_, value)| value)
        .filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_six_lines_and_some() {
        let meta = CallMeta {
            tool: "my tool".to_owned(),
            timeout: 1200,
            capture_stdout: true,
            capture_stdout_only: false,
            output_file: "/tmp/o.txt\nTOOL=evil".to_owned(),
            command: ["codex", "exec", "a \"b\"\nc"].map(str::to_owned).to_vec(),
            more: vec![("OUTER_LAUNCHER".to_owned(), "charrette".to_owned())],
        };
        let text = meta_text(&meta);
        assert_eq!(
            text,
            "TOOL=my_tool\nTIMEOUT=1200\nCAPTURE_STDOUT=true\nCAPTURE_STDOUT_ONLY=false\nOUTPUT_FILE=/tmp/o.txtTOOL=evil\nCMD_JSON=[\"codex\",\"exec\",\"a \\\"b\\\"\\nc\"]\nOUTER_LAUNCHER=charrette\n"
        );
        assert_eq!(last_value(&text, "TIMEOUT"), Some("1200"));
        assert_eq!(last_value("A=1\nA=2\nB=\n", "A"), Some("2"));
        assert_eq!(last_value("A=1\nA=2\nB=\n", "B"), None);
    }
}
