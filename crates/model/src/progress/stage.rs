//! A stage of a run: the numbered part of a flow that people see it in. Which stages there are is for each flow to say.

/// One stage, as the table of its flow has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage {
    /// Its number, as people know it: `2a.5`.
    pub number: &'static str,
    /// Its short name.
    pub name: &'static str,
    /// Its label in the ledgers.
    pub ledger: &'static str,
    /// The phase of the checkpoint it belongs to.
    pub phase: &'static str,
}

/// What people know a stage by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageLabel<'a> {
    /// Its number.
    pub number: &'a str,
    /// Its short name.
    pub name: &'a str,
}
