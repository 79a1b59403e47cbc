//! A full and a read-only disk: a small tmpfs in a mount namespace.

use crate::TaskResult;
use crate::programs::create_scratch_folder;
use std::path::Path;
use std::process::Command;

/// Shell script for the mount namespace. Prints the output of the binary on each disk; `$1` is the binary, `$2` a
/// folder.
const SCRIPT: &str = r#"
set -eu
mount -t tmpfs -o size=512k tmpfs "$2"
echo mounted
cd "$2"
git init -q --template=
update() { echo '{"status": "complete"}' | "$1" checkpoint update-phase "$2" --command design --feature x; }
update "$1" research > /dev/null 2>&1
cp .claude/state/design-x.json before
dd if=/dev/zero of=filler bs=4k > /dev/null 2>&1 || true
echo "full: $(update "$1" write 2>&1 | tr '\n' ' ')"
cmp .claude/state/design-x.json before && echo "full: intact"
ls -A .claude/state | grep -q 'tmp$' && echo "full: leftover" || true
rm filler
echo "space again: $(update "$1" write 2>&1 | tr '\n' ' ')"
cp .claude/state/design-x.json before
mount -o remount,ro "$2"
echo "read-only: $(update "$1" validate 2>&1 | tr '\n' ' ')"
cmp .claude/state/design-x.json before && echo "read-only: intact"
"$1" status | grep -q '^x ' && echo "read-only: status works"
"#;

pub(super) fn check_full_and_read_only(charrette: &Path) -> TaskResult {
    let folder = create_scratch_folder("disk")?;
    let output = Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", SCRIPT, "sh"])
        .arg(charrette)
        .arg(folder.path())
        .output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    if !stdout.contains("mounted") {
        println!(
            "a full and a read-only disk: skipped, mounts are not allowed on this machine ({})",
            stderr.trim()
        );
        return Ok(());
    }
    for expected in [
        "the previous document is intact",
        "full: intact",
        "space again: true",
        "read-only: intact",
        "read-only: status works",
    ] {
        if !stdout.contains(expected) {
            return Err(format!("expected '{expected}' in:\n{stdout}{stderr}").into());
        }
    }
    if stdout.contains("leftover") {
        return Err(format!("a temp file was left on the full disk:\n{stdout}").into());
    }
    println!("a full and a read-only disk: previous document intact and reported so");
    Ok(())
}
