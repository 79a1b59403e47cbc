//! The compact table of a panel's lanes, printed again after each change.

use super::elapsed::elapsed;
use std::fmt::Write;

/// One lane of a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableLane<'a> {
    /// Displayed name: `Cursor-Arch`.
    pub name: &'a str,
    pub state: LaneState,
}

/// State of a lane. Times are seconds since its launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaneState {
    Pending,
    Done(u64),
    /// Failed, or timed out.
    Failed(u64),
    /// Finished in an earlier process.
    DoneEarlier,
    /// Never launched.
    Skipped,
}

/// The table on one line: `📊 Reviewers: | Cursor-Arch: ✅ 4m12s | Cursor-Edge: ⏳ |`.
pub fn status_line(title: &str, lanes: &[TableLane<'_>]) -> String {
    let mut line = format!("📊 {title}: |");
    for TableLane { name, state } in lanes {
        // Writing to a String cannot fail.
        let _ = match state {
            LaneState::Pending => write!(line, " {name}: ⏳ |"),
            LaneState::Done(seconds) => write!(line, " {name}: ✅ {} |", elapsed(*seconds)),
            LaneState::Failed(seconds) => write!(line, " {name}: ❌ {} |", elapsed(*seconds)),
            LaneState::DoneEarlier => write!(line, " {name}: ✅ |"),
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
        let lane = |name, state| TableLane { name, state };
        let lanes = [
            lane("Cursor-Arch", LaneState::Pending),
            lane("Cursor-Edge", LaneState::Done(185)),
            lane("Codex-Innovation", LaneState::Failed(483)),
            lane("Codex-Pragmatic", LaneState::Skipped),
            lane("Codex-Edge", LaneState::DoneEarlier),
        ];
        assert_eq!(
            status_line("Sketches (regular)", &lanes),
            "📊 Sketches (regular): | Cursor-Arch: ⏳ | Cursor-Edge: ✅ 3m5s | Codex-Innovation: ❌ 8m3s | Codex-Pragmatic: ⊘ | Codex-Edge: ✅ |"
        );
        assert_eq!(status_line("Reviewers", &[]), "📊 Reviewers: |");
    }
}
