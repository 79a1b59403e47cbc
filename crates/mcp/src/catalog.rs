//! The tools, as the protocol lists them: few, each with one purpose, all annotated.

use crate::arguments::{
    AnswerArguments, CheckArguments, ReadArguments, RunArguments, StartArguments, SurveyArguments,
    WaitArguments,
};
use crate::results::{ReadResult, RunResult};
use charrette_app::App;
use charrette_app::launch::offered_options;
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde_json::{Value, json};
use std::sync::Arc;

/// Instructions of the server.
pub(crate) const INSTRUCTIONS: &str = "charrette takes a request through a long, gated design process in this repository; a run takes minutes to an hour and outlives this session.
Call start, then wait until the look asks something or is complete; every result names the one next step.
Gates are for the person: show the page, ask them, hand in their words with answer. Never answer or approve in their place.
Runs are shared with the command line: the person can answer with charrette answer and charrette resume at any time.";

/// All tools.
pub(crate) fn tools(app: &App) -> Vec<Tool> {
    let tools = all(app).into_iter().map(|mut tool| {
        tool.input_schema = cleaned(&tool.input_schema);
        tool.output_schema = tool.output_schema.as_deref().map(cleaned);
        tool
    });
    tools.collect()
}

/// A schema without members that clients warn about or do not need: formats of numbers, the dialect, empty defaults, `null`
/// beside a type. What may be absent is never `null` in a result, and is not required in arguments.
fn cleaned(schema: &JsonObject) -> Arc<JsonObject> {
    fn clean(value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.retain(|name, value| match name.as_str() {
                    "$schema" | "format" => !value.is_string(),
                    "default" => !value.is_null(),
                    _ => true,
                });
                if let Some(Value::Array(types)) = members.get_mut("type") {
                    types.retain(|kind| kind != "null");
                    if let [only] = types.as_slice() {
                        let only = only.clone();
                        members.insert("type".to_owned(), only);
                    }
                }
                members.values_mut().for_each(clean);
            }
            Value::Array(values) => values.iter_mut().for_each(clean),
            _ => {}
        }
    }
    let mut schema = Value::Object(schema.clone());
    clean(&mut schema);
    object_schema(schema)
}

fn all(app: &App) -> Vec<Tool> {
    vec![
        start(app),
        tool::<RunArguments>(
            "resume",
            "Resume a run that is ready, stopped or was interrupted: starts its driver again. Use it when a look says so, never while the run works or waits. Finished steps are not repeated. Returns the look.",
            changing("Resume a run"),
        )
        .with_raw_output_schema(brief_look()),
        tool::<RunArguments>(
            "stop",
            "Stop the process that drives a run. Use it when the person asks for that. Finished steps are kept, and the run can be resumed. Returns the look.",
            changing("Stop a run"),
        )
        .with_raw_output_schema(brief_look()),
        always_loaded(
            tool::<WaitArguments>(
                "wait",
                "Look at a run: its state, who is at work, open gates with page and questions, and the one next step. While the run works, waits for news up to the given seconds. Use it after start, resume and answer; pass the last mark as since so that nothing is missed. Without a feature: the newest open run, or the list of runs.",
                reading("Look at a run, wait for news"),
            )
            .with_output_schema::<RunResult>(),
        ),
        tool::<AnswerArguments>(
            "answer",
            "Hand in the person's answers to an open gate, as they gave them, with the shown mark of the look. Without answers, this host asks the person in a form. Approvals are only taken from the person. All answers are recorded or none; the run goes on by itself when nothing is open. Use it when a look has gates.",
            changing("Answer a gate"),
        )
        .with_raw_output_schema(brief_look()),
        tool::<ReadArguments>(
            "read",
            "Read the files of a run: without a file the list, else a page of at most 48 KB. Use it to show plan, specification or notes to the person, or to work with them.",
            reading("Read files of a run"),
        )
        .with_output_schema::<ReadResult>(),
        tool::<CheckArguments>(
            "check",
            "Check a specification without a model: requirements, tasks, links, cited places. Use it after a specification was edited. Returns the issues with file and line.",
            reading("Check a specification"),
        )
        .with_raw_output_schema(any_object()),
        tool::<SurveyArguments>(
            "survey",
            "Rank the files, tests and risks that a change touches, without a model and without a run. Use it to get an overview before starting a design.",
            reading("Survey the repository"),
        )
        .with_raw_output_schema(any_object()),
    ]
}

/// The tool that starts runs; its commands and options are those of the registry.
fn start(app: &App) -> Tool {
    let mut tool = tool::<StartArguments>(
        "start",
        "Start a run in this repository, such as a design: it works in the background for minutes to an hour and asks the person at its gates. Use it when the user wants something designed, implemented or researched with charrette. The same request finds the same run; nothing is ever archived. Returns the look at the run, or a task.",
        changing("Start a run").idempotent(true),
    );
    let mut schema = (*tool.input_schema).clone();
    let commands: Vec<&str> = app.registry.all().map(|flow| flow.command.as_str()).collect();
    let about: Vec<String> =
        app.registry.all().map(|flow| format!("{}: {}", flow.command.as_str(), flow.about)).collect();
    let mut options = JsonObject::new();
    for flow in app.registry.all() {
        for option in offered_options(flow) {
            let kind = if option.value.is_none() { "boolean" } else { "string" };
            let described = json!({"type": kind, "description": option.about});
            options.entry(option.name).or_insert(described);
        }
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.insert(
            "command".to_owned(),
            json!({"type": "string", "enum": commands, "description": about.join(". ")}),
        );
        properties.insert(
            "options".to_owned(),
            json!({"type": "object", "properties": options, "additionalProperties": false, "description": "Options of the command"}),
        );
    }
    tool.input_schema = Arc::new(schema);
    always_loaded(tool.with_raw_output_schema(brief_look()))
}

fn tool<T: JsonSchema + 'static>(
    name: &'static str,
    description: &'static str,
    hints: ToolAnnotations,
) -> Tool {
    Tool::new(name, description, Arc::new(JsonObject::new())).with_input_schema::<T>().with_annotations(hints)
}

/// Hints of a tool that changes nothing.
fn reading(title: &str) -> ToolAnnotations {
    ToolAnnotations::with_title(title).read_only(true).destructive(false).idempotent(true).open_world(false)
}

/// Hints of a tool that changes runs, and destroys nothing.
fn changing(title: &str) -> ToolAnnotations {
    ToolAnnotations::with_title(title).read_only(false).destructive(false).open_world(false)
}

/// Asks a host that loads tools on demand to load this one always.
fn always_loaded(tool: Tool) -> Tool {
    let mut meta = MetaObject::new();
    meta.insert("anthropic/alwaysLoad".to_owned(), Value::Bool(true));
    tool.with_meta(meta)
}

fn any_object() -> Arc<JsonObject> {
    object_schema(json!({"type": "object"}))
}

/// Schema of a look without its details, which the schema of `wait` has: hosts keep all schemas in mind.
fn brief_look() -> Arc<JsonObject> {
    object_schema(json!({
        "type": "object",
        "properties": {
            "did": {"type": "string", "description": "What this call did"},
            "run": {"type": "object", "description": "The look at the run, as wait gives it"},
            "next": {"type": "object", "description": "The one next step"},
        },
        "required": ["next"],
    }))
}

fn object_schema(schema: Value) -> Arc<JsonObject> {
    Arc::new(if let Value::Object(schema) = schema { schema } else { JsonObject::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_few_short_and_annotated() {
        let tools = tools(&App::product());
        assert!(tools.len() <= 10);
        for tool in &tools {
            let (name, description) = (&tool.name, tool.description.as_deref().unwrap_or_default());
            assert!(description.split_whitespace().count() < 100, "{name}");
            assert!(description.contains("Use it "), "{name} says when to use it");
            let hints = tool.annotations.as_ref().unwrap();
            assert_eq!(hints.destructive_hint, Some(false), "{name}");
            assert_eq!(hints.open_world_hint, Some(false), "{name}");
            assert!(tool.output_schema.is_some(), "{name}");
            assert_eq!(tool.input_schema.get("additionalProperties"), Some(&Value::Bool(false)), "{name}");
            let is_always_loaded = matches!(name.as_ref(), "start" | "wait");
            assert_eq!(tool.meta.is_some(), is_always_loaded, "{name}");
            let schemas = serde_json::to_string(&(&tool.input_schema, &tool.output_schema)).unwrap();
            assert!(!schemas.contains("\"type\":["), "{name}: some clients know one type only: {schemas}");
        }
        assert!(INSTRUCTIONS.lines().count() <= 4);
    }

    #[test]
    fn commands_and_options_come_from_the_registry() {
        let tools = tools(&App::product());
        let schema = Value::Object((*tools[0].input_schema).clone());
        let commands: Vec<&str> = App::product().registry.all().map(|flow| flow.command.as_str()).collect();
        assert_eq!(schema["properties"]["command"]["enum"], json!(commands));
        let options = schema["properties"]["options"]["properties"].as_object().unwrap();
        assert!(options.contains_key("quick"));
        // Neither what replaces a decision of a person nor what names a file.
        for withheld in ["no-checkpoint", "embedded", "out"] {
            assert!(!options.contains_key(withheld), "{withheld}");
        }
    }
}
