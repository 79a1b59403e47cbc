//! Checks that a `.meta` file would suffice to retry its call. The result is only reported; nothing is
//! retried.

use crate::sidecar::meta::last_value;
use crate::sidecar::parse_positive;

/// The defect of a `.meta` text, to follow `Retry metadata invalid: `; `None` if it is valid.
pub fn problem(text: &str) -> Option<String> {
    let plain = |message: &str| Some(message.to_owned());
    match last_value(text, "TIMEOUT") {
        None => return plain("TIMEOUT missing"),
        Some(timeout) if parse_positive(timeout).is_none() => return plain("TIMEOUT not a positive integer"),
        Some(_) => {}
    }
    let (command, tool) = match (last_value(text, "CMD_JSON"), last_value(text, "TOOL")) {
        (None, None) => return plain("missing CMD_JSON and TOOL"),
        (None, Some(_)) => return plain("missing CMD_JSON"),
        (Some(_), None) => return plain("missing TOOL"),
        (Some(command), Some(tool)) => (command, tool),
    };
    let Some(words) = serde_json::from_str::<Vec<String>>(command).ok().filter(|words| !words.is_empty())
    else {
        return plain("malformed CMD_JSON");
    };
    let program = words[0].rsplit('/').next().unwrap_or_default();
    let has = |word: &str| words.iter().any(|typed| typed == word);
    let second = words.get(1).map(String::as_str);
    let fits = match tool {
        "cursor" => program == "cursor" && second == Some("agent") && has("--workspace") && !has("--add-dir"),
        "codex" => {
            let flags = ["-C", "--add-dir", "--output-last-message"];
            program == "codex" && second == Some("exec") && flags.into_iter().all(has)
        }
        _ => return plain("unknown TOOL for CMD_JSON"),
    };
    (!fits).then(|| format!("CMD_JSON argv shape rejected for {tool}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defects_of_metadata_are_named() {
        let cursor = r#"CMD_JSON=["/usr/bin/cursor","agent","-p","--workspace","/w","prompt"]"#;
        let codex =
            r#"CMD_JSON=["codex","exec","-C","/w","--add-dir","/o","--output-last-message","/o/x","p"]"#;
        for (text, expected) in [
            (format!("TOOL=cursor\nTIMEOUT=5\n{cursor}"), None),
            (format!("TOOL=codex\nTIMEOUT=005\n{codex}\n"), None),
            (format!("TOOL=cursor\n{cursor}"), Some("TIMEOUT missing")),
            (format!("TOOL=cursor\nTIMEOUT=\n{cursor}"), Some("TIMEOUT missing")),
            (format!("TOOL=cursor\nTIMEOUT=00\n{cursor}"), Some("TIMEOUT not a positive integer")),
            ("TIMEOUT=5".to_owned(), Some("missing CMD_JSON and TOOL")),
            ("TIMEOUT=5\nTOOL=codex".to_owned(), Some("missing CMD_JSON")),
            (format!("TIMEOUT=5\n{codex}"), Some("missing TOOL")),
            ("TIMEOUT=5\nTOOL=codex\nCMD_JSON=[1]".to_owned(), Some("malformed CMD_JSON")),
            ("TIMEOUT=5\nTOOL=codex\nCMD_JSON=[]".to_owned(), Some("malformed CMD_JSON")),
            ("TIMEOUT=5\nTOOL=codex\nCMD_JSON=rm -rf /".to_owned(), Some("malformed CMD_JSON")),
            (format!("TIMEOUT=5\nTOOL=sh\n{codex}"), Some("unknown TOOL for CMD_JSON")),
            (format!("TIMEOUT=5\nTOOL=cursor\n{codex}"), Some("CMD_JSON argv shape rejected for cursor")),
            (format!("TIMEOUT=5\nTOOL=codex\n{cursor}"), Some("CMD_JSON argv shape rejected for codex")),
            (
                r#"TIMEOUT=5
TOOL=cursor
CMD_JSON=["cursor","agent","--workspace","/w","--add-dir","/etc"]"#
                    .to_owned(),
                Some("CMD_JSON argv shape rejected for cursor"),
            ),
        ] {
            assert_eq!(problem(&text).as_deref(), expected, "{text}");
        }
    }
}
