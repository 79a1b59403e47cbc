//! STUB to be replaced.
#![allow(missing_docs)]
use serde::{Deserialize, Serialize};
#[derive(Debug, Clone, Default)]
pub struct Templates;
impl Templates { pub const NAMES: [&'static str; 1] = ["summary.md"]; pub fn with_overrides(_: Vec<(String,String)>) -> Result<Templates, String> { Ok(Templates) } }
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeatTaken { pub seat: String, pub agent: String, pub vendor: String }
#[derive(Debug, Clone)]
pub struct Materials { pub feature: String, pub today: String, pub requirements: String, pub design: String, pub tasks: String, pub context_summary: String, pub resolutions: Option<String>, pub tally: Option<String>, pub contested: Option<String>, pub diagram: Option<String>, pub seats: Vec<SeatTaken> }
pub fn files(m: &Materials, _: &Templates) -> Result<Vec<(String, String)>, String> { Ok(vec![("requirements.md".into(), m.requirements.clone()), ("design.md".into(), m.design.clone()), ("tasks.md".into(), m.tasks.clone()), ("summary.md".into(), "s".into()), ("spec.json".into(), "{}".into()), ("meta.yaml".into(), "id: x\n".into())]) }
#[derive(Debug, Clone, Copy)]
pub enum Status { Draft, Approved }
pub fn with_status(files: &[(String, String)], _: Status, _: &str) -> Vec<(String, String)> { files.to_vec() }
pub fn without_status(files: &[(String, String)]) -> String { files.iter().map(|f| f.1.clone()).collect() }
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Shown { pub decisions: Vec<String>, pub risks: Vec<String>, pub omissions: Vec<String>, pub confidence: String, pub weaker_areas: String }
pub fn shown(_: &[(String, String)]) -> Shown { Shown::default() }
