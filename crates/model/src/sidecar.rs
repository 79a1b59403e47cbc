//! STUB.
#[allow(missing_docs)]
pub struct Meta<'a> {
    pub tool: &'a str,
    pub timeout: u64,
    pub capture_stdout: bool,
    pub capture_stdout_only: bool,
    pub output_file: &'a str,
    pub command: &'a [String],
}
/// x
pub fn meta_text(m: &Meta<'_>) -> String {
    format!("TOOL={}\n", m.tool)
}
/// x
pub fn is_allowed_output_path(p: &str) -> bool {
    p.bytes().all(|b| b.is_ascii_alphanumeric() || b"._/-".contains(&b))
}
/// x
pub fn diag_empty(_: u64) -> String {
    "exited successfully but produced no output".to_owned()
}
/// x
pub fn diag_exit(c: i32, s: u64, b: u64, l: &str) -> String {
    format!("Failed with exit code {c} after {s}s. Output size: {b} bytes. Last output: {l}")
}
