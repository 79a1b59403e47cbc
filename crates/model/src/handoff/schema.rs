//! JSON Schema of the messages, for other tools.
//!
//! Rules across members (word limits, aggregation) are not part of the schema; they are only in the checks.

use super::request::REQUEST;
use super::response::{FINDINGS, RESPONSE};
use super::shape::Shape;
use serde_json::{Map, Value, json};

pub fn request_schema() -> Value {
    titled("Charrette handoff request", schema_of(&REQUEST))
}

pub fn response_schema() -> Value {
    let mut schema = titled("Charrette handoff response", schema_of(&RESPONSE));
    let by_phase = FINDINGS.iter().map(|(phase, findings)| {
        json!({
            "if": {"properties": {"phase": {"const": phase}, "status": {"not": {"const": "blocked"}}}, "required": ["phase"]},
            "then": {"properties": {"findings": schema_of(findings)}}
        })
    });
    schema["allOf"] = by_phase.collect();
    schema
}

fn titled(title: &str, schema: Value) -> Value {
    let mut titled = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title});
    if let (Value::Object(titled), Value::Object(members)) = (&mut titled, schema) {
        titled.extend(members);
    }
    titled
}

fn schema_of(shape: &Shape) -> Value {
    match shape {
        Shape::Text => json!({"type": "string", "minLength": 1}),
        Shape::OneOf(words) => json!({"enum": words}),
        Shape::Count => json!({"type": "integer", "minimum": 0}),
        Shape::Number => json!({"type": "number"}),
        Shape::Bool => json!({"type": "boolean"}),
        Shape::AnyObject => json!({"type": "object"}),
        Shape::Any => json!({}),
        Shape::List(shape) => json!({"type": "array", "items": schema_of(shape)}),
        Shape::Nullable(shape) => json!({"anyOf": [schema_of(shape), {"type": "null"}]}),
        Shape::Object(members) => {
            let properties: Map<String, Value> =
                members.iter().map(|member| (member.name.to_owned(), schema_of(&member.shape))).collect();
            let required: Vec<&str> =
                members.iter().filter(|member| member.required).map(|member| member.name).collect();
            json!({"type": "object", "properties": properties, "required": required})
        }
    }
}
