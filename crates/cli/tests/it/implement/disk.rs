//! A full disk under the worktrees: the run stops and says so, and goes on when there is space again.

use super::bed::{Bed, assert_ends};
use crate::BINARY;
use charrette_testkit::Output;
use charrette_testkit::till::FEATURE;

#[test]
fn a_full_disk_is_told_and_survived() {
    let bed = Bed::new();
    let folder = bed.sandbox.home().join(".local/state/charrette/worktrees");
    std::fs::create_dir_all(&folder).unwrap();
    // A small file system that only this run sees. It needs root.
    let mount = format!("mount -t tmpfs -o size=2m tmpfs '{}'", folder.display());
    let probe = bed.sandbox.run("unshare", ["-m", "sh", "-c", &mount], b"");
    if probe.code != Some(0) {
        eprintln!("skipped: a file system cannot be mounted here: {}", probe.stderr);
        return;
    }
    let fill = "head -c 8000000 /dev/zero > big.local 2> /dev/null; true";
    bed.set_part("T001/implement-1", &bed.working_part(fill));
    // The run, space again, and the rest of the run.
    let script = format!(
        "{mount} && {{ '{BINARY}' implement {FEATURE} --task=T001; echo \"ended with $?\" >&2; \
         rm -f '{0}'/*/T001/big.local; exec '{BINARY}' implement {FEATURE} --resume; }}",
        folder.display()
    );
    let words = ["-m", "sh", "-c", &script].map(str::to_owned);
    let output = Output::capture(bed.command_for("unshare", &words), b"");
    assert_ends(&output, 0, &["ended with 1", "no space left"]);
    assert_ends(&bed.unittest(), 0, &["OK"]);
    bed.assert_clean();
}
