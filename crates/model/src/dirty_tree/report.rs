//! What git listed, turned into a verdict.

use super::command::Mode;
use std::collections::BTreeSet;

/// Ends the name of the list of tracked paths that are not as committed.
pub const TRACKED_PATHS: &str = ".tracked-paths";
/// Ends the name of the list of files that git does not know and did not know of before.
pub const NEW_UNTRACKED_PATHS: &str = ".new-untracked-paths";

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    mode: Option<Mode>,
    /// Tracked paths that are not as committed, each ended with NUL; empty if there are none.
    pub tracked: Vec<u8>,
    /// Files that are new, each ended with NUL; empty if there are none.
    pub new_untracked: Vec<u8>,
}

/// The verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing was written.
    Clean,
    /// Something was, for this reason.
    Dirty(&'static str),
    /// It could not be found out, for this reason.
    Unknown(&'static str),
}

impl Report {
    /// It could not be found out.
    pub fn unknown(mode: Option<Mode>, reason: &'static str) -> Report {
        Report::new(mode, Verdict::Unknown(reason))
    }

    fn new(mode: Option<Mode>, verdict: Verdict) -> Report {
        Report { verdict, mode, tracked: Vec::new(), new_untracked: Vec::new() }
    }

    /// The same, but it could not be written down completely, so it is not known for sure.
    #[must_use]
    pub fn but(self, reason: &'static str) -> Report {
        Report { verdict: Verdict::Unknown(reason), ..self }
    }

    /// The lines: `STATUS`, `MODE`, and `REASON` unless everything is clean.
    pub fn lines(&self) -> Vec<String> {
        let (status, reason) = match self.verdict {
            Verdict::Clean => ("clean", None),
            Verdict::Dirty(reason) => ("dirty", Some(reason)),
            Verdict::Unknown(reason) => ("unknown", Some(reason)),
        };
        let mode = self.mode.map_or("unknown", Mode::as_str);
        let mut lines = vec![format!("STATUS={status}"), format!("MODE={mode}")];
        lines.extend(reason.map(|reason| format!("REASON={reason}")));
        lines
    }
}

/// Judges `git status --porcelain`; none if git failed.
pub fn since_checkpoint(status: Option<&[u8]>) -> Report {
    let verdict = match status {
        None => Verdict::Unknown("git-status-failed"),
        Some(b"") => Verdict::Clean,
        Some(_) => Verdict::Dirty("checkpoint-dirty"),
    };
    Report::new(Some(Mode::Checkpoint), verdict)
}

/// What git listed, each name ended with NUL; none where it failed.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// `git status --porcelain`, only to see that it works.
    pub status: Option<&'a [u8]>,
    /// `git diff --name-only`.
    pub unstaged: Option<&'a [u8]>,
    /// `git diff --name-only --cached`.
    pub staged: Option<&'a [u8]>,
    /// `git ls-files --others --exclude-standard`.
    pub untracked: Option<&'a [u8]>,
    /// The list of files that git did not know before.
    pub baseline: Baseline<'a>,
}

/// The list of files that git did not know before, each ended with NUL.
#[derive(Debug, Clone, Copy)]
pub enum Baseline<'a> {
    /// This one.
    List(&'a [u8]),
    /// There is none.
    Missing,
    /// There is one, but it cannot be read.
    Unreadable,
}

/// Judges what git listed against what it did not know before.
pub fn from_baseline(seen: &Seen<'_>) -> Report {
    let mode = Some(Mode::Baseline);
    let (unstaged, staged, untracked) = match (seen.status, seen.unstaged, seen.staged, seen.untracked) {
        (None, ..) => return Report::unknown(mode, "git-status-failed"),
        (_, None, ..) => return Report::unknown(mode, "git-diff-failed"),
        (_, _, None, _) => return Report::unknown(mode, "git-diff-cached-failed"),
        (.., None) => return Report::unknown(mode, "git-ls-files-failed"),
        (_, Some(unstaged), Some(staged), Some(untracked)) => (unstaged, staged, untracked),
    };
    let tracked = joined(&names(unstaged).chain(names(staged)).collect());
    let report = |verdict, new_untracked| Report { verdict, mode, tracked: tracked.clone(), new_untracked };
    let baseline = match seen.baseline {
        Baseline::Unreadable => return report(Verdict::Unknown("baseline-unreadable"), Vec::new()),
        Baseline::Missing if names(untracked).next().is_some() => {
            return report(Verdict::Unknown("baseline-missing-untracked-ambiguous"), Vec::new());
        }
        Baseline::Missing => b"",
        Baseline::List(list) => list,
    };
    let known: BTreeSet<&[u8]> = names(baseline).collect();
    let new = joined(&names(untracked).filter(|name| !known.contains(name)).collect());
    let clean = tracked.is_empty() && new.is_empty();
    report(if clean { Verdict::Clean } else { Verdict::Dirty("working-tree-dirty") }, new)
}

fn names(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|b| *b == 0).filter(|name| !name.is_empty())
}

fn joined(names: &BTreeSet<&[u8]>) -> Vec<u8> {
    names.iter().flat_map(|name| name.iter().copied().chain([0])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_for_everything_git_can_say() {
        const NOTHING: Option<&[u8]> = Some(b"");
        let all = Seen {
            status: NOTHING,
            unstaged: NOTHING,
            staged: NOTHING,
            untracked: NOTHING,
            baseline: Baseline::List(b""),
        };
        let files: Option<&[u8]> = Some(b"b\0a\nx\0");
        for (seen, verdict, tracked, new) in [
            (all, Verdict::Clean, "", ""),
            (Seen { baseline: Baseline::Missing, ..all }, Verdict::Clean, "", ""),
            (
                Seen { untracked: files, baseline: Baseline::List(b"b\0a\nx\0"), ..all },
                Verdict::Clean,
                "",
                "",
            ),
            (Seen { baseline: Baseline::List(b"b\0a\nx\0"), ..all }, Verdict::Clean, "", ""),
            (
                Seen { unstaged: files, staged: Some(b"b\0c\0"), ..all },
                Verdict::Dirty("working-tree-dirty"),
                "a\nx\0b\0c\0",
                "",
            ),
            (
                Seen { untracked: files, baseline: Baseline::List(b"b\0"), ..all },
                Verdict::Dirty("working-tree-dirty"),
                "",
                "a\nx\0",
            ),
            (
                Seen { unstaged: files, untracked: files, baseline: Baseline::Missing, ..all },
                Verdict::Unknown("baseline-missing-untracked-ambiguous"),
                "a\nx\0b\0",
                "",
            ),
            (Seen { baseline: Baseline::Unreadable, ..all }, Verdict::Unknown("baseline-unreadable"), "", ""),
            (Seen { status: None, ..all }, Verdict::Unknown("git-status-failed"), "", ""),
            (Seen { unstaged: None, ..all }, Verdict::Unknown("git-diff-failed"), "", ""),
            (Seen { staged: None, ..all }, Verdict::Unknown("git-diff-cached-failed"), "", ""),
            (Seen { untracked: None, ..all }, Verdict::Unknown("git-ls-files-failed"), "", ""),
        ] {
            let report = from_baseline(&seen);
            assert_eq!(report.verdict, verdict, "{seen:?}");
            assert_eq!((report.tracked, report.new_untracked), (tracked.into(), new.into()), "{seen:?}");
        }
        assert_eq!(since_checkpoint(NOTHING).lines(), ["STATUS=clean", "MODE=checkpoint"]);
        assert_eq!(
            since_checkpoint(files).lines(),
            ["STATUS=dirty", "MODE=checkpoint", "REASON=checkpoint-dirty"]
        );
    }
}
