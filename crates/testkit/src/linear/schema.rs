//! Validates requests against the schema, and selects the requested fields of an answer.

use apollo_compiler::executable::{Field, OperationType, Selection, SelectionSet};
use apollo_compiler::request::coerce_variable_values;
use apollo_compiler::response::JsonMap;
use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Schema};
use serde_json::{Map, Value};

/// Loads the schema.
pub(super) fn load_schema() -> Valid<Schema> {
    let text = include_str!("schema.graphql");
    Schema::parse_and_validate(text, "schema.graphql").unwrap_or_else(|error| panic!("{error}"))
}

/// A valid request: one root field, with the values of its arguments.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) is_mutation: bool,
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
    document: Valid<ExecutableDocument>,
}

/// Parses and validates a request.
pub(super) fn parse_operation(schema: &Valid<Schema>, request: &Value) -> Result<Operation, String> {
    let text = request["query"].as_str().ok_or("missing query")?;
    let document = ExecutableDocument::parse_and_validate(schema, text, "request.graphql")
        .map_err(|error| error.to_string())?;
    let operation = document.operations.get(None).map_err(|_| "expected one operation")?;
    let variables: JsonMap =
        serde_json::from_value(request["variables"].clone()).map_err(|error| error.to_string())?;
    let known = |name: &str| operation.variables.iter().any(|variable| variable.name == name);
    if let Some(stranger) = variables.keys().find(|name| !known(name.as_str())) {
        return Err(format!("the variable {} is not declared", stranger.as_str()));
    }
    let variables =
        coerce_variable_values(schema, operation, &variables).map_err(|error| error.message().to_string())?;
    let variables = serde_json::to_value(&*variables).map_err(|error| error.to_string())?;
    let [Selection::Field(root)] = operation.selection_set.selections.as_slice() else {
        return Err("expected one root field".to_owned());
    };
    let (is_mutation, name) =
        (operation.operation_type == OperationType::Mutation, root.name.as_str().to_owned());
    let arguments = arguments(root, &variables);
    Ok(Operation { is_mutation, name, arguments, document })
}

impl Operation {
    /// Answer with the requested fields of the root field's value.
    pub(super) fn answer(&self, value: &Value) -> Value {
        let Ok(operation) = self.document.operations.get(None) else { return Value::Null };
        let [Selection::Field(root)] = operation.selection_set.selections.as_slice() else {
            return Value::Null;
        };
        let mut data = Map::new();
        data.insert(root.response_key().as_str().to_owned(), select_fields(value, &root.selection_set));
        Value::Object(data)
    }
}

fn arguments(field: &Field, variables: &Value) -> Map<String, Value> {
    let value = |argument: &apollo_compiler::ast::Value| match argument.as_variable() {
        Some(name) => variables[name.as_str()].clone(),
        None => argument.to_i32().map_or_else(|| Value::from(argument.to_string()), Value::from),
    };
    field.arguments.iter().map(|argument| (argument.name.to_string(), value(&argument.value))).collect()
}

/// Requested fields of a value.
fn select_fields(value: &Value, set: &SelectionSet) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| select_fields(item, set)).collect(),
        Value::Object(members) if !set.selections.is_empty() => {
            let fields = set.selections.iter().filter_map(|selection| match selection {
                Selection::Field(field) => Some(field),
                _ => None,
            });
            let member = |name: &str| members.get(name).cloned().unwrap_or_default();
            fields
                .map(|field| {
                    let value = select_fields(&member(field.name.as_str()), &field.selection_set);
                    (field.response_key().to_string(), value)
                })
                .collect()
        }
        other => other.clone(),
    }
}
