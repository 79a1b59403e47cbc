//! The feature, its tasks and their schedule.

/// Name of the feature.
pub const FEATURE: &str = "till-receipts";

/// Ids of all tasks.
pub const TASKS: [&str; 10] =
    ["T001", "T002", "T003", "T004", "T005", "T006", "T007", "T008", "T009", "T010"];

/// Tasks that are at work side by side, in order. T004 waits for T003, and T010 for T009, because of their files.
pub const WAVES: [&[&str]; 7] =
    [&["T001"], &["T002", "T003", "T005"], &["T004", "T006"], &["T007"], &["T008"], &["T009"], &["T010"]];
