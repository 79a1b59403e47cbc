//! Files that a patch changes, by its file lines.

/// Lines of a patch in the format of Codex.
const FILE_LINES: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// Paths in the file lines of a patch; empty if there are none.
pub(crate) fn patched_files(patch: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for line in patch.lines() {
        let line = line.trim_end_matches('\r');
        let file = FILE_LINES
            .iter()
            .find_map(|prefix| line.trim_start().strip_prefix(prefix))
            .or_else(|| unified_file(line));
        if let Some(file) = file.map(str::trim).filter(|file| !file.is_empty() && *file != "/dev/null")
            && files.last().is_none_or(|last| last != file)
        {
            files.push(file.to_owned());
        }
    }
    files
}

/// The file of a line of a unified diff.
fn unified_file(line: &str) -> Option<&str> {
    let path = ["+++ ", "--- ", "rename to ", "rename from ", "copy to "]
        .iter()
        .find_map(|prefix| line.strip_prefix(prefix))?;
    let path = path.split('\t').next().unwrap_or(path).trim_matches('"');
    Some(path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_lines_of_both_formats_are_read() {
        let codex = "*** Begin Patch\n*** Update File: src/a.rs\n*** Move to: src/b.rs\n@@\n-x\n+y\n*** Add File: /etc/hosts\r\n+z\n*** End Patch\n";
        assert_eq!(patched_files(codex), ["src/a.rs", "src/b.rs", "/etc/hosts"]);
        let unified =
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-*** Add\n+b\n--- /dev/null\n+++ b/new\n";
        assert_eq!(patched_files(unified), ["x", "new"]);
        assert!(patched_files("no patch at all").is_empty());
    }
}
