//! Diagnostics of a call without output, in one line.

/// Number of bytes quoted from the end of an output.
const LAST_BYTES: usize = 200;

/// A timeout. `bytes` is the size of the output, `last` its end.
pub fn diag_timeout(seconds: u64, limit: u64, bytes: u64, last: &[u8]) -> String {
    format!("Timed out after {seconds}s (limit: {limit}s). Output size: {bytes} bytes.{}", quote_tail(last))
}

/// A failure. `bytes` is the size of the output, `last` its end.
pub fn diag_exit(code: u8, seconds: u64, bytes: u64, last: &[u8]) -> String {
    format!("Failed with exit code {code} after {seconds}s. Output size: {bytes} bytes.{}", quote_tail(last))
}

/// Success without output.
pub fn diag_empty(tool: &str, seconds: u64) -> String {
    format!("{tool} exited successfully after {seconds}s but produced no output")
}

/// The end of an output, on one line; empty if there is none.
fn quote_tail(output: &[u8]) -> String {
    let from = output.len().saturating_sub(LAST_BYTES);
    // Drops half a character at the cut.
    let tail = &output[from..];
    let tail = &tail[tail.iter().take(3).take_while(|b| (0x80..0xc0).contains(*b)).count()..];
    let text = String::from_utf8_lossy(tail);
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { String::new() } else { format!(" Last output: {}", words.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_described() {
        assert_eq!(
            diag_timeout(1201, 1200, 0, b""),
            "Timed out after 1201s (limit: 1200s). Output size: 0 bytes."
        );
        assert_eq!(
            diag_exit(7, 3, 13, "one\n\ttwo\u{1b}[0m".as_bytes()),
            "Failed with exit code 7 after 3s. Output size: 13 bytes. Last output: one two [0m"
        );
        assert_eq!(diag_empty("codex", 9), "codex exited successfully after 9s but produced no output");
        let long = diag_exit(1, 1, 1000, "é".repeat(500).as_bytes());
        assert!(long.ends_with(&"é".repeat(100)) && !long.contains(char::REPLACEMENT_CHARACTER), "{long}");
        let cut = diag_exit(1, 1, 201, format!("{}é", "x".repeat(199)).as_bytes());
        assert!(cut.contains("201 bytes") && !cut.contains(char::REPLACEMENT_CHARACTER), "{cut}");
    }
}
