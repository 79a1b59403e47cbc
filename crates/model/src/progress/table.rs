//! The compact table of who is working, printed again after each change.

use super::elapsed::elapsed;
use std::fmt::Write;

/// One worker of a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lane<'a> {
    /// What it is called: `Cursor-Arch`.
    pub name: &'a str,
    /// Where it is.
    pub state: LaneState,
}

/// Where a worker is. Times are seconds since its launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneState {
    /// Not finished.
    Pending,
    /// Finished.
    Done(u64),
    /// Failed, or out of time.
    Failed(u64),
    /// Finished in an earlier process.
    Before,
    /// Never launched.
    Skipped,
}

/// The table, on one line: `📊 Reviewers: | Cursor-Arch: ✅ 4m12s | Cursor-Edge: ⏳ |`.
pub fn status_line(title: &str, lanes: &[Lane<'_>]) -> String {
    let mut line = format!("📊 {title}: |");
    for Lane { name, state } in lanes {
        // Writing to a String cannot fail.
        let _ = match state {
            LaneState::Pending => write!(line, " {name}: ⏳ |"),
            LaneState::Done(seconds) => write!(line, " {name}: ✅ {} |", elapsed(*seconds)),
            LaneState::Failed(seconds) => write!(line, " {name}: ❌ {} |", elapsed(*seconds)),
            LaneState::Before => write!(line, " {name}: ✅ |"),
            LaneState::Skipped => write!(line, " {name}: ⊘ |"),
        };
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_its_icon() {
        let lane = |name, state| Lane { name, state };
        let lanes = [
            lane("Cursor-Arch", LaneState::Pending),
            lane("Cursor-Edge", LaneState::Done(185)),
            lane("Codex-Innovation", LaneState::Failed(483)),
            lane("Codex-Pragmatic", LaneState::Skipped),
            lane("Codex-Edge", LaneState::Before),
        ];
        assert_eq!(
            status_line("Sketches (regular)", &lanes),
            "📊 Sketches (regular): | Cursor-Arch: ⏳ | Cursor-Edge: ✅ 3m5s | Codex-Innovation: ❌ 8m3s | Codex-Pragmatic: ⊘ | Codex-Edge: ✅ |"
        );
        assert_eq!(status_line("Reviewers", &[]), "📊 Reviewers: |");
    }
}
