//! Verdict on git's listings.

use super::command::DirtyTreeMode;
use std::collections::BTreeSet;

/// Suffix of the list of tracked paths that differ from the last commit.
pub const TRACKED_PATHS: &str = ".tracked-paths";
/// Suffix of the list of newly untracked files.
pub const NEW_UNTRACKED_PATHS: &str = ".new-untracked-paths";

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirtyTreeReport {
    pub verdict: Verdict,
    mode: Option<DirtyTreeMode>,
    /// Tracked paths that differ from the last commit, NUL-terminated.
    pub tracked: Vec<u8>,
    /// New untracked files, NUL-terminated.
    pub new_untracked: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Clean,
    /// With the reason.
    Dirty(&'static str),
    /// The check failed, with the reason.
    Unknown(&'static str),
}

impl DirtyTreeReport {
    /// A report of a failed check.
    pub fn unknown(mode: Option<DirtyTreeMode>, reason: &'static str) -> DirtyTreeReport {
        DirtyTreeReport::new(mode, Verdict::Unknown(reason))
    }

    fn new(mode: Option<DirtyTreeMode>, verdict: Verdict) -> DirtyTreeReport {
        DirtyTreeReport { verdict, mode, tracked: Vec::new(), new_untracked: Vec::new() }
    }

    /// The report with its verdict replaced by `unknown`, because it could not be written completely.
    #[must_use]
    pub fn downgraded(self, reason: &'static str) -> DirtyTreeReport {
        DirtyTreeReport { verdict: Verdict::Unknown(reason), ..self }
    }

    /// The lines: `STATUS`, `MODE`, and `REASON` unless everything is clean.
    pub fn lines(&self) -> Vec<String> {
        let (status, reason) = match self.verdict {
            Verdict::Clean => ("clean", None),
            Verdict::Dirty(reason) => ("dirty", Some(reason)),
            Verdict::Unknown(reason) => ("unknown", Some(reason)),
        };
        let mode = self.mode.map_or("unknown", DirtyTreeMode::as_str);
        let mut lines = vec![format!("STATUS={status}"), format!("MODE={mode}")];
        lines.extend(reason.map(|reason| format!("REASON={reason}")));
        lines
    }
}

/// Judges `git status --porcelain`; `None` if git failed.
pub fn compare_with_commit(status: Option<&[u8]>) -> DirtyTreeReport {
    let verdict = match status {
        None => Verdict::Unknown("git-status-failed"),
        Some(b"") => Verdict::Clean,
        Some(_) => Verdict::Dirty("checkpoint-dirty"),
    };
    DirtyTreeReport::new(Some(DirtyTreeMode::Checkpoint), verdict)
}

/// Output of git, NUL-terminated names; `None` where git failed.
#[derive(Debug, Clone, Copy)]
pub struct GitListings<'a> {
    /// `git status --porcelain`, to see that it works.
    pub status: Option<&'a [u8]>,
    /// `git diff --name-only`.
    pub unstaged: Option<&'a [u8]>,
    /// `git diff --name-only --cached`.
    pub staged: Option<&'a [u8]>,
    /// `git ls-files --others --exclude-standard`.
    pub untracked: Option<&'a [u8]>,
    pub baseline: Baseline<'a>,
}

/// The files that were untracked before, NUL-terminated.
#[derive(Debug, Clone, Copy)]
pub enum Baseline<'a> {
    List(&'a [u8]),
    Missing,
    Unreadable,
}

/// Judges git's listings against the baseline.
pub fn compare_with_baseline(listings: &GitListings<'_>) -> DirtyTreeReport {
    let mode = Some(DirtyTreeMode::Baseline);
    let (unstaged, staged, untracked) =
        match (listings.status, listings.unstaged, listings.staged, listings.untracked) {
            (None, ..) => return DirtyTreeReport::unknown(mode, "git-status-failed"),
            (_, None, ..) => return DirtyTreeReport::unknown(mode, "git-diff-failed"),
            (_, _, None, _) => return DirtyTreeReport::unknown(mode, "git-diff-cached-failed"),
            (.., None) => return DirtyTreeReport::unknown(mode, "git-ls-files-failed"),
            (_, Some(unstaged), Some(staged), Some(untracked)) => (unstaged, staged, untracked),
        };
    let tracked = joined(&names(unstaged).chain(names(staged)).collect());
    let report =
        |verdict, new_untracked| DirtyTreeReport { verdict, mode, tracked: tracked.clone(), new_untracked };
    let baseline = match listings.baseline {
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
    fn every_git_listing_has_a_verdict() {
        const NOTHING: Option<&[u8]> = Some(b"");
        let all = GitListings {
            status: NOTHING,
            unstaged: NOTHING,
            staged: NOTHING,
            untracked: NOTHING,
            baseline: Baseline::List(b""),
        };
        let files: Option<&[u8]> = Some(b"b\0a\nx\0");
        for (listings, verdict, tracked, new) in [
            (all, Verdict::Clean, "", ""),
            (GitListings { baseline: Baseline::Missing, ..all }, Verdict::Clean, "", ""),
            (
                GitListings { untracked: files, baseline: Baseline::List(b"b\0a\nx\0"), ..all },
                Verdict::Clean,
                "",
                "",
            ),
            (GitListings { baseline: Baseline::List(b"b\0a\nx\0"), ..all }, Verdict::Clean, "", ""),
            (
                GitListings { unstaged: files, staged: Some(b"b\0c\0"), ..all },
                Verdict::Dirty("working-tree-dirty"),
                "a\nx\0b\0c\0",
                "",
            ),
            (
                GitListings { untracked: files, baseline: Baseline::List(b"b\0"), ..all },
                Verdict::Dirty("working-tree-dirty"),
                "",
                "a\nx\0",
            ),
            (
                GitListings { unstaged: files, untracked: files, baseline: Baseline::Missing, ..all },
                Verdict::Unknown("baseline-missing-untracked-ambiguous"),
                "a\nx\0b\0",
                "",
            ),
            (
                GitListings { baseline: Baseline::Unreadable, ..all },
                Verdict::Unknown("baseline-unreadable"),
                "",
                "",
            ),
            (GitListings { status: None, ..all }, Verdict::Unknown("git-status-failed"), "", ""),
            (GitListings { unstaged: None, ..all }, Verdict::Unknown("git-diff-failed"), "", ""),
            (GitListings { staged: None, ..all }, Verdict::Unknown("git-diff-cached-failed"), "", ""),
            (GitListings { untracked: None, ..all }, Verdict::Unknown("git-ls-files-failed"), "", ""),
        ] {
            let report = compare_with_baseline(&listings);
            assert_eq!(report.verdict, verdict, "{listings:?}");
            assert_eq!((report.tracked, report.new_untracked), (tracked.into(), new.into()), "{listings:?}");
        }
        assert_eq!(compare_with_commit(NOTHING).lines(), ["STATUS=clean", "MODE=checkpoint"]);
        assert_eq!(
            compare_with_commit(files).lines(),
            ["STATUS=dirty", "MODE=checkpoint", "REASON=checkpoint-dirty"]
        );
    }
}
