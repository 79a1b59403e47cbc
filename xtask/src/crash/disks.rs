//! A disk that is really full and one that is really read-only: a small file system in a namespace of its own.

use crate::Outcome;
use crate::programs::scratch;
use std::path::Path;
use std::process::Command;

/// Runs in a mount namespace. Prints what the binary answered on each disk; `$1` is the binary, `$2` a folder.
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

pub(super) fn full_and_read_only(charrette: &Path) -> Outcome {
    let folder = scratch("disk")?;
    let output = Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", SCRIPT, "sh"])
        .arg(charrette)
        .arg(folder.path())
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    if !said.contains("mounted") {
        println!(
            "a full and a read-only disk: not tried, this machine allows no mounts here ({})",
            complained.trim()
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
        if !said.contains(expected) {
            return Err(format!("expected '{expected}' in:\n{said}{complained}").into());
        }
    }
    if said.contains("leftover") {
        return Err(format!("a temp file was left on the full disk:\n{said}").into());
    }
    println!("a full and a read-only disk: the previous document intact, and said so");
    Ok(())
}
