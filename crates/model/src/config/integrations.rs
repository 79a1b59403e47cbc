//! `.claude/config/integrations.json`: whether a tracker and a deployment service are used.
//!
//! No file means that nothing is enabled. A file that cannot be understood is never taken for "disabled".

use crate::shown::shown;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What to say, and stop at, when the tracker is asked for but not configured.
pub const LINEAR_NOT_CONFIGURED: &str = "Linear configuration not found. Create .claude/config/integrations.json with linear.enabled and linear.team";

/// The integrations of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Integrations {
    /// The tracker.
    pub linear: Linear,
    /// The deployment service.
    pub vercel: Vercel,
}

/// The tracker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Linear {
    /// Whether issues are created.
    pub enabled: bool,
    /// The team they belong to: name, key or id.
    pub team: Option<String>,
    /// What branches for issues start with.
    pub branch_prefix: String,
    /// Whether the tracker itself follows pull requests.
    pub use_native_automation: bool,
}

/// The deployment service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Vercel {
    /// Whether previews are looked at.
    pub enabled: bool,
    /// Whether shipping waits for the preview.
    pub wait_for_preview: bool,
    /// For how long, in milliseconds.
    pub preview_timeout_ms: u64,
    /// Whether a failed preview stops shipping.
    pub require_preview_success: bool,
}

impl Default for Linear {
    fn default() -> Linear {
        Linear {
            enabled: false,
            team: None,
            branch_prefix: "feature".to_owned(),
            use_native_automation: true,
        }
    }
}

impl Default for Vercel {
    fn default() -> Vercel {
        Vercel {
            enabled: false,
            wait_for_preview: true,
            preview_timeout_ms: 300_000,
            require_preview_success: false,
        }
    }
}

/// Why a file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{LINEAR_NOT_CONFIGURED} ({reason})")]
pub struct IntegrationsProblem {
    /// What is wrong with it.
    pub reason: String,
}

/// Reads the file, or the absence of one. With it come the members nobody knows, as warnings.
pub fn read(text: Option<&str>) -> Result<(Integrations, Vec<String>), IntegrationsProblem> {
    let Some(text) = text else { return Ok((Integrations::default(), Vec::new())) };
    let problem = |reason: String| IntegrationsProblem { reason };
    let value: Value =
        serde_json::from_str(text).map_err(|error| problem(format!("the file is not JSON: {error}")))?;
    if !value.is_object() {
        return Err(problem("the file is not a JSON object".to_owned()));
    }
    let integrations: Integrations = serde_path_to_error::deserialize(&value).map_err(|error| {
        problem(format!("{}: {}", shown(&error.path().to_string()), shown(&error.inner().to_string())))
    })?;
    let team = integrations.linear.team.as_deref().unwrap_or_default();
    if integrations.linear.enabled && team.trim().is_empty() {
        return Err(problem("linear.enabled is true, but linear.team is missing".to_owned()));
    }
    Ok((integrations, unknown_members(&value)))
}

fn unknown_members(value: &Value) -> Vec<String> {
    let known = serde_json::to_value(Integrations::default()).unwrap_or_default();
    let mut unknown = Vec::new();
    for (section, members) in value.as_object().into_iter().flatten() {
        match known.get(section) {
            None => unknown.push(format!("unknown member {}", shown(section))),
            Some(known) => {
                let members = members.as_object().into_iter().flatten();
                let strange = members.filter(|(name, _)| known.get(name.as_str()).is_none());
                unknown.extend(strange.map(|(name, _)| format!("unknown member {section}.{}", shown(name))));
            }
        }
    }
    unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_means_disabled() {
        let (integrations, warnings) = read(None).unwrap();
        assert!(!integrations.linear.enabled && !integrations.vercel.enabled && warnings.is_empty());
    }

    #[test]
    fn a_whole_file_is_read() {
        let text = r#"{"linear": {"enabled": true, "team": "Basecamp", "branch_prefix": "feature", "use_native_automation": true},
            "vercel": {"enabled": true, "wait_for_preview": true, "preview_timeout_ms": 300000, "require_preview_success": false}}"#;
        let (integrations, warnings) = read(Some(text)).unwrap();
        assert_eq!(integrations.linear.team.as_deref(), Some("Basecamp"));
        assert!(integrations.vercel.enabled && warnings.is_empty());
    }

    #[test]
    fn what_cannot_be_understood_is_never_taken_for_disabled() {
        for text in [
            "",
            "[]",
            "{",
            r#"{"linear": {"enabled": "yes"}}"#,
            r#"{"linear": {"enabled": true}}"#,
            r#"{"linear": {"enabled": true, "team": " "}}"#,
            r#"{"linear": 1}"#,
        ] {
            let message = read(Some(text)).unwrap_err().to_string();
            assert!(message.starts_with(LINEAR_NOT_CONFIGURED), "{text}: {message}");
        }
    }

    #[test]
    fn unknown_members_are_warned_about() {
        let (_, warnings) =
            read(Some(r#"{"linear": {"enabled": false, "token": "x"}, "jira": {}}"#)).unwrap();
        assert_eq!(warnings, ["unknown member linear.token", "unknown member jira"]);
    }
}
