//! Options of a session: a read-only mode, and the model that the user has set.
//!
//! Agents offer them in two ways: as config options with a category, or as lists of modes and models.

use crate::stream::event::Object;
use serde_json::{Value, json};

/// Names of read-only modes, in order of preference.
const READ_ONLY: [&str; 5] = ["read-only", "read_only", "readonly", "ask", "plan"];

/// A request that selects an option.
#[derive(Debug, PartialEq)]
pub(super) struct Choice {
    pub(super) method: &'static str,
    /// Parameters of the request, without the session.
    pub(super) params: Value,
    /// Id of the option.
    pub(super) id: String,
}

/// The request that selects a read-only mode, if there is one.
pub(super) fn read_only_mode(session: &Object<'_>) -> Option<Choice> {
    let (option, modes) = (options(session, "mode"), modes(session));
    let offered = |is: &dyn Fn(&str) -> bool| {
        let config_option = option.as_ref().and_then(|(config, values)| config_choice(config, values, is));
        config_option.or_else(|| {
            let (id, _) = modes.iter().find(|(id, name)| is(id) || is(name))?;
            Some(Choice { method: "session/set_mode", params: json!({"modeId": id}), id: id.clone() })
        })
    };
    READ_ONLY.iter().find_map(|wanted| offered(&|name| name.to_lowercase().replace(' ', "-") == *wanted))
}

/// The request that selects this model, if it is offered.
pub(super) fn model(session: &Object<'_>, wanted: &str) -> Option<Choice> {
    let is = |name: &str| name.eq_ignore_ascii_case(wanted);
    if let Some(choice) =
        options(session, "model").and_then(|(config, values)| config_choice(&config, &values, &is))
    {
        return Some(choice);
    }
    let (id, _) = models(session).into_iter().find(|(id, name)| is(id) || is(name))?;
    Some(Choice { method: "session/set_model", params: json!({"modelId": id}), id })
}

/// The default model of the session.
pub(super) fn current_model(session: &Object<'_>) -> Option<String> {
    let option = session.objects("configOptions").into_iter().find(|option| option.is("category", "model"));
    let current = option.and_then(|option| option.text("currentValue"));
    current.or_else(|| session.object("models")?.text("currentModelId"))
}

/// Id and name.
type NamedOption = (String, String);

fn config_choice(config: &str, values: &[NamedOption], is: &dyn Fn(&str) -> bool) -> Option<Choice> {
    let (id, _) = values.iter().find(|(id, name)| is(id) || is(name))?;
    let params = json!({"configId": config, "value": id});
    Some(Choice { method: "session/set_config_option", params, id: id.clone() })
}

/// The config option of that category: its id, and its values, which may be grouped.
fn options(session: &Object<'_>, category: &str) -> Option<(String, Vec<NamedOption>)> {
    let option =
        session.objects("configOptions").into_iter().find(|option| option.is("category", category))?;
    let values = option.objects("options");
    let grouped = values.iter().flat_map(|group| group.objects("options"));
    let values = values.iter().cloned().chain(grouped).filter_map(|value| named(&value, "value")).collect();
    Some((option.text("id")?, values))
}

fn modes(session: &Object<'_>) -> Vec<NamedOption> {
    let modes = session.object("modes").map(|modes| modes.objects("availableModes")).unwrap_or_default();
    modes.iter().filter_map(|mode| named(mode, "id")).collect()
}

fn models(session: &Object<'_>) -> Vec<NamedOption> {
    let models = session.object("models").map(|models| models.objects("availableModels")).unwrap_or_default();
    models.iter().filter_map(|model| named(model, "modelId")).collect()
}

fn named(object: &Object<'_>, id: &str) -> Option<NamedOption> {
    let id = object.text(id)?;
    let name = object.text("name").unwrap_or_else(|| id.clone());
    Some((id, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Gemini CLI offers it.
    const LISTS: &str = r#"{"sessionId":"s","modes":{"availableModes":[{"id":"default","name":"Default"},{"id":"yolo","name":"YOLO"},{"id":"plan","name":"Plan"}],"currentModeId":"default"},"models":{"availableModels":[{"modelId":"auto","name":"Auto"},{"modelId":"gemini-2.5-pro","name":"gemini-2.5-pro"}],"currentModelId":"auto"}}"#;
    /// As opencode offers it.
    const OPTIONS: &str = r#"{"sessionId":"s","configOptions":[{"id":"model","category":"model","type":"select","currentValue":"mock/m","options":[{"value":"mock/m","name":"Mock"},{"group":"g","options":[{"value":"other/n","name":"Other"}]}]},{"id":"agent","category":"mode","type":"select","currentValue":"build","options":[{"value":"build","name":"build"},{"value":"plan","name":"plan"}]}]}"#;

    #[test]
    fn modes_and_models_are_found_however_they_are_offered() {
        let (lists, options) = (Object::parse(LISTS).unwrap(), Object::parse(OPTIONS).unwrap());
        let choice = |method, params, id: &str| Some(Choice { method, params, id: id.to_owned() });
        assert_eq!(read_only_mode(&lists), choice("session/set_mode", json!({"modeId": "plan"}), "plan"));
        assert_eq!(
            read_only_mode(&options),
            choice("session/set_config_option", json!({"configId": "agent", "value": "plan"}), "plan")
        );
        assert_eq!(
            model(&lists, "Gemini-2.5-Pro"),
            choice("session/set_model", json!({"modelId": "gemini-2.5-pro"}), "gemini-2.5-pro")
        );
        assert_eq!(
            model(&options, "other"),
            choice("session/set_config_option", json!({"configId": "model", "value": "other/n"}), "other/n")
        );
        assert_eq!(model(&options, "gpt"), None);
        assert_eq!(current_model(&lists).as_deref(), Some("auto"));
        assert_eq!(current_model(&options).as_deref(), Some("mock/m"));
    }

    #[test]
    fn the_plainest_read_only_mode_is_taken() {
        let modes = |ids: &[&str]| {
            let modes: Vec<_> = ids.iter().map(|id| json!({"id": id, "name": id})).collect();
            json!({"modes": {"availableModes": modes}}).to_string()
        };
        let cases: [(&[&str], Option<&str>); 4] = [
            (&["agent", "plan", "ask"], Some("ask")),
            (&["full-access", "Read Only", "plan"], Some("Read Only")),
            (&["default", "acceptEdits"], None),
            (&[], None),
        ];
        for (offered, taken) in cases {
            let session = modes(offered);
            let choice = read_only_mode(&Object::parse(&session).unwrap());
            assert_eq!(choice.map(|choice| choice.id).as_deref(), taken, "{offered:?}");
        }
    }
}
