//! `.claude/config/integrations.json`: tracker (Linear) and deployment service (Vercel).
//!
//! No file means that nothing is enabled. An invalid file is an error, never "disabled".

use crate::escape::printable;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Error when the tracker is requested but not configured.
pub const LINEAR_NOT_CONFIGURED: &str = "Linear configuration not found. Create .claude/config/integrations.json with linear.enabled and linear.team";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Integrations {
    pub linear: LinearSettings,
    pub vercel: VercelSettings,
}

/// Tracker settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LinearSettings {
    /// True if issues are created.
    pub enabled: bool,
    /// Team of the issues: name, key or id.
    pub team: Option<String>,
    /// Prefix of branches for issues.
    pub branch_prefix: String,
    /// True if the tracker itself follows pull requests.
    pub use_native_automation: bool,
}

/// Deployment service settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct VercelSettings {
    /// True if previews are checked.
    pub enabled: bool,
    /// True if shipping waits for the preview.
    pub wait_for_preview: bool,
    /// Timeout of that wait.
    pub preview_timeout_ms: u64,
    /// True if a failed preview blocks shipping.
    pub require_preview_success: bool,
}

impl Default for LinearSettings {
    fn default() -> LinearSettings {
        LinearSettings {
            enabled: false,
            team: None,
            branch_prefix: "feature".to_owned(),
            use_native_automation: true,
        }
    }
}

impl Default for VercelSettings {
    fn default() -> VercelSettings {
        VercelSettings {
            enabled: false,
            wait_for_preview: true,
            preview_timeout_ms: 300_000,
            require_preview_success: false,
        }
    }
}

/// An invalid file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{LINEAR_NOT_CONFIGURED} ({reason})")]
pub struct IntegrationsError {
    pub reason: String,
}

/// Parses the file, or its absence. Unknown members are returned as warnings.
pub fn read(text: Option<&str>) -> Result<(Integrations, Vec<String>), IntegrationsError> {
    let Some(text) = text else { return Ok((Integrations::default(), Vec::new())) };
    let problem = |reason: String| IntegrationsError { reason };
    let value: Value =
        serde_json::from_str(text).map_err(|error| problem(format!("the file is not JSON: {error}")))?;
    if !value.is_object() {
        return Err(problem("the file is not a JSON object".to_owned()));
    }
    let integrations: Integrations = serde_path_to_error::deserialize(&value).map_err(|error| {
        problem(format!(
            "{}: {}",
            printable(&error.path().to_string()),
            printable(&error.inner().to_string())
        ))
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
            None => unknown.push(format!("unknown member {}", printable(section))),
            Some(known) => {
                let members = members.as_object().into_iter().flatten();
                let strange = members.filter(|(name, _)| known.get(name.as_str()).is_none());
                unknown
                    .extend(strange.map(|(name, _)| format!("unknown member {section}.{}", printable(name))));
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
    fn an_invalid_file_is_an_error_not_disabled() {
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
