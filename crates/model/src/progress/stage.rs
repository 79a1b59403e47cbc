//! A stage of a run: the numbered part of a flow in its progress output. Each flow defines its own stages.

/// Definition of a stage, in the table of its flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageSpec {
    /// Displayed number, as in `2a.5`.
    pub number: &'static str,
    pub name: &'static str,
    /// Label in the ledgers.
    pub ledger: &'static str,
    /// The phase of the checkpoint it belongs to.
    pub phase: &'static str,
}

/// Displayed number and name of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StageLabel<'a> {
    pub number: &'a str,
    pub name: &'a str,
}
