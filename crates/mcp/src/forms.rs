//! Gates as forms: the host shows the questions of a gate to the person, and what they fill in becomes the answers.

use charrette_app::look::{GateLook, QuestionLook};
use rmcp::model::InputRequest;
use serde_json::{Map, Value, json};

/// Maximum length of the message above a form, in characters: the whole page is a file of the run.
const MAX_MESSAGE: usize = 3_000;
/// Maximum length of the description of a field, in characters.
const MAX_DESCRIPTION: usize = 600;
/// Key of the feedback that goes with `revise`.
const FEEDBACK: &str = "feedback";

/// What the person did with a form.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FormReply {
    /// Filled in; the answers by key.
    Filled(Map<String, Value>),
    /// Closed without an answer; headless hosts do that by themselves.
    Dismissed,
}

/// Key of a gate's form: it names what is shown, so that a late reply is noticed.
pub(crate) fn key(gate: &GateLook) -> String {
    format!("{}@{}", gate.gate, gate.shown)
}

/// Gate and mark of a form's key.
pub(crate) fn parse_key(key: &str) -> Option<(&str, &str)> {
    key.rsplit_once('@')
}

/// The form of a gate, as parameters of `elicitation/create`.
pub(crate) fn parameters(feature: &str, gate: &GateLook) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for question in &gate.questions {
        properties.insert(question.key.clone(), field(question));
        // An empty field of the others stands for the recommended answer.
        if question.recommended.is_none() {
            required.push(Value::from(question.key.clone()));
        }
    }
    let has_approval = gate.questions.iter().any(|question| question.approval);
    if has_approval && !properties.contains_key(FEEDBACK) {
        let description = "What should be revised; needed with revise, else empty";
        properties.insert(
            FEEDBACK.to_owned(),
            json!({"type": "string", "title": FEEDBACK, "description": description}),
        );
    }
    json!({
        "mode": "form",
        "message": message(feature, gate),
        "requestedSchema": {"type": "object", "properties": properties, "required": required},
    })
}

/// The form of a gate, as a request inside a result.
pub(crate) fn request(feature: &str, gate: &GateLook) -> Result<InputRequest, String> {
    let request = json!({"method": "elicitation/create", "params": parameters(feature, gate)});
    serde_json::from_value(request).map_err(|error| format!("cannot show the gate as a form: {error}"))
}

fn field(question: &QuestionLook) -> Value {
    let mut field = Map::new();
    field.insert("type".to_owned(), "string".into());
    field.insert("title".to_owned(), question.key.clone().into());
    // Hosts show a description on one line.
    let text = question.text.split_whitespace().collect::<Vec<_>>().join(" ");
    if !text.is_empty() {
        field.insert("description".to_owned(), cut(&text, MAX_DESCRIPTION).into());
    }
    if !question.choices.is_empty() {
        field.insert("enum".to_owned(), question.choices.clone().into());
    }
    let is_offered = |answer: &&String| question.choices.is_empty() || question.choices.contains(answer);
    // Nobody approves by leaving a field as it is.
    if let Some(recommended) = question.recommended.as_ref().filter(is_offered).filter(|_| !question.approval)
    {
        field.insert("default".to_owned(), recommended.clone().into());
    }
    field.into()
}

/// Text above the form: whose gate it is and where its page is, because hosts show the first lines only; then the page.
fn message(feature: &str, gate: &GateLook) -> String {
    let name = &gate.gate;
    let page = cut(gate.page.trim(), MAX_MESSAGE);
    format!(
        "{feature}: {name} asks. To read its page first: charrette answer {feature} ({}).\n\n{page}",
        gate.page_file
    )
}

fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{} …", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Reads the reply to a form. Empty fields stand for the recommended answers.
pub(crate) fn reply(gate: &GateLook, response: &Value) -> Result<FormReply, String> {
    match response.get("action").and_then(Value::as_str) {
        Some("accept") => {}
        Some("decline" | "cancel") => return Ok(FormReply::Dismissed),
        _ => return Err("the reply to the form has no action".to_owned()),
    }
    let content = match response.get("content") {
        Some(Value::Object(content)) => content.clone(),
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err("the content of the form is not an object".to_owned()),
    };
    let is_empty =
        |answer: &Value| answer.is_null() || answer.as_str().is_some_and(|text| text.trim().is_empty());
    let mut answers: Map<String, Value> =
        content.into_iter().filter(|(_, answer)| !is_empty(answer)).collect();
    for question in gate.questions.iter().filter(|question| !question.approval) {
        if let (None, Some(recommended)) = (answers.get(&question.key), &question.recommended) {
            answers.insert(question.key.clone(), recommended.clone().into());
        }
    }
    // Feedback belongs to a revision; without one the field was filled in by mistake.
    let is_revised = gate.questions.iter().filter(|question| question.approval).any(|question| {
        answers.get(&question.key).and_then(Value::as_str).is_some_and(|answer| answer.trim() == "revise")
    });
    let asks_feedback = gate.questions.iter().any(|question| question.key == FEEDBACK);
    if !is_revised && !asks_feedback {
        answers.remove(FEEDBACK);
    }
    Ok(FormReply::Filled(answers))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate() -> GateLook {
        let question = |key: &str, recommended: Option<&str>, choices: &[&str], approval| QuestionLook {
            key: key.to_owned(),
            text: format!("About {key}?"),
            recommended: recommended.map(str::to_owned),
            choices: choices.iter().map(|&choice| choice.to_owned()).collect(),
            approval,
        };
        GateLook {
            gate: "post-design".to_owned(),
            shown: "2-aaaaaaaabbbbbbbb".to_owned(),
            round: 2,
            page: format!("# Page\n{}", "x".repeat(5_000)),
            page_file: "gates/post-design-2.md".to_owned(),
            questions: vec![
                question("scope", Some("fine"), &[], false),
                question("tree", None, &["keep", "discard"], false),
                question("approval", Some("yes"), &["yes", "no", "revise"], true),
            ],
        }
    }

    #[test]
    fn a_form_is_flat_and_never_approves_by_default() {
        let gate = gate();
        assert_eq!(parse_key(&key(&gate)), Some(("post-design", "2-aaaaaaaabbbbbbbb")));
        let form = parameters("x", &gate);
        let properties = &form["requestedSchema"]["properties"];
        assert_eq!(properties["scope"]["default"], "fine");
        assert_eq!(properties["approval"]["enum"], json!(["yes", "no", "revise"]));
        assert_eq!(properties["approval"].get("default"), None);
        assert_eq!(form["requestedSchema"]["required"], json!(["tree"]));
        assert!(form["message"].as_str().unwrap().contains("gates/post-design-2.md"));
        let request = serde_json::to_value(request("x", &gate).unwrap()).unwrap();
        assert_eq!(request["params"]["requestedSchema"]["properties"], *properties);
        let keys: Vec<&String> = properties.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["scope", "tree", "approval", "feedback"]);
    }

    #[test]
    fn replies_are_read() {
        let gate = gate();
        let filled = |content: Value| reply(&gate, &json!({"action": "accept", "content": content})).unwrap();
        assert_eq!(
            filled(json!({"scope": " ", "tree": "keep", "approval": "yes", "feedback": "nice"})),
            FormReply::Filled(
                json!({"scope": "fine", "tree": "keep", "approval": "yes"}).as_object().unwrap().clone()
            )
        );
        assert_eq!(
            filled(json!({"tree": "keep", "approval": "revise", "feedback": "less"})),
            FormReply::Filled(
                json!({"tree": "keep", "approval": "revise", "feedback": "less", "scope": "fine"})
                    .as_object()
                    .unwrap()
                    .clone()
            )
        );
        for action in ["decline", "cancel"] {
            assert_eq!(reply(&gate, &json!({"action": action})).unwrap(), FormReply::Dismissed);
        }
        assert!(reply(&gate, &json!({"action": "yes"})).is_err());
        assert!(reply(&gate, &json!({"action": "accept", "content": [1]})).is_err());
        assert!(reply(&gate, &json!("accept")).is_err());
    }
}
