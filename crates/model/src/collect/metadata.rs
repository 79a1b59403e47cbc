//! Whether the description of a call would do to repeat it. It is checked and told, and not acted upon.

use crate::sidecar::meta::last;
use crate::sidecar::positive;

/// What is wrong with a `.meta` text, after `Retry metadata invalid: `; none if nothing is.
pub fn problem(text: &str) -> Option<String> {
    let plain = |message: &str| Some(message.to_owned());
    match last(text, "TIMEOUT") {
        None => return plain("TIMEOUT missing"),
        Some(timeout) if positive(timeout).is_none() => return plain("TIMEOUT not a positive integer"),
        Some(_) => {}
    }
    let (command, tool) = match (last(text, "CMD_JSON"), last(text, "TOOL")) {
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
    fn every_defect_has_its_words() {
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
