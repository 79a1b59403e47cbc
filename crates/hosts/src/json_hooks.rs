//! Hooks in JSON files: added, found and taken out. Comments, order, indentation, line ends and foreign entries stay as
//! they are.

use crate::edit::{Difference, EditProblem, Edited};
use crate::json_file::{Parsed, input_value, split_mark, wrong_type};
use crate::wiring::{HookLayout, WantedHook, is_own_command, wanted_hooks};
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject};
use serde_json::Value;

pub use crate::json_file::read;

/// Adds the wanted hooks. A text that has them all is returned as it is.
pub fn install(text: &str, layout: HookLayout) -> Result<Edited, EditProblem> {
    let (mark, body) = split_mark(text);
    if body.trim().is_empty() {
        let differences = wanted_hooks(layout).iter().map(missing).collect();
        return Ok(Edited { text: format!("{mark}{}", fresh_file(layout)), differences });
    }
    let file = Parsed::parse(body)?;
    let wanted = wanted_hooks(layout);
    let mut differences = Vec::new();
    let mut present: Vec<&str> = Vec::new();
    for entry in file.own_entries(layout)? {
        let hook = wanted.iter().find(|hook| hook.event == entry.event);
        match hook {
            Some(hook) if entry.is_as_wanted(hook) && !present.contains(&hook.event) => {
                present.push(hook.event);
            }
            Some(_) => {
                differences.push(Difference::Changed { event: entry.event.clone() });
                entry.remove();
            }
            None => {
                differences.push(Difference::Surplus { event: entry.event.clone() });
                entry.remove();
            }
        }
    }
    for hook in wanted.iter().filter(|hook| !present.contains(&hook.event)) {
        if !differences.contains(&Difference::Changed { event: hook.event.to_owned() }) {
            differences.push(missing(hook));
        }
        file.add(hook, layout)?;
    }
    if layout.needs_version() && file.object.get("version").is_none() {
        differences.push(Difference::Version);
        file.object.insert(0, "version", CstInputValue::from(1_u64));
    }
    if differences.is_empty() {
        return Ok(Edited::unchanged(text));
    }
    Ok(Edited { text: format!("{mark}{}", file.root), differences })
}

/// Takes the hooks of charrette out, and what then is empty around them.
pub fn uninstall(text: &str, layout: HookLayout) -> Result<Edited, EditProblem> {
    let (mark, body) = split_mark(text);
    if body.trim().is_empty() {
        return Ok(Edited::unchanged(text));
    }
    let file = Parsed::parse(body)?;
    let mut differences = Vec::new();
    for entry in file.own_entries(layout)? {
        differences.push(Difference::Surplus { event: entry.event.clone() });
        entry.remove();
    }
    if differences.is_empty() {
        return Ok(Edited::unchanged(text));
    }
    Ok(Edited { text: format!("{mark}{}", file.root), differences })
}

/// The hooks of charrette alone, in the groups and with the options that they have in a file; none if there are none.
pub fn own_hooks(text: &str, layout: HookLayout) -> Result<Option<Value>, EditProblem> {
    let (_, body) = split_mark(text);
    if body.trim().is_empty() {
        return Ok(None);
    }
    let file = Parsed::parse(body)?;
    let mut events = serde_json::Map::new();
    for entry in file.own_entries(layout)? {
        let list = events.entry(entry.event.clone()).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(entry.alone());
        }
    }
    Ok((!events.is_empty()).then_some(Value::Object(events)))
}

fn missing(hook: &WantedHook) -> Difference {
    Difference::Missing { event: hook.event.to_owned() }
}

/// Content of a file that did not exist or was empty.
fn fresh_file(layout: HookLayout) -> String {
    let mut hooks = serde_json::Map::new();
    for hook in wanted_hooks(layout) {
        let entry =
            if layout.has_groups() { serde_json::json!({"hooks": [hook.handler]}) } else { hook.handler };
        hooks.insert(hook.event.to_owned(), Value::Array(vec![entry]));
    }
    let mut file = serde_json::Map::new();
    if layout.needs_version() {
        file.insert("version".to_owned(), 1.into());
    }
    file.insert("hooks".to_owned(), Value::Object(hooks));
    format!("{:#}\n", Value::Object(file))
}

impl Parsed {
    /// The member `hooks`, if it is there.
    fn hooks(&self) -> Result<Option<CstObject>, EditProblem> {
        let Some(member) = self.object.get("hooks") else { return Ok(None) };
        member.object_value().map(Some).ok_or_else(|| wrong_type("hooks", "an object"))
    }

    /// All entries of charrette, in the order of the file.
    fn own_entries(&self, layout: HookLayout) -> Result<Vec<Entry>, EditProblem> {
        let Some(hooks) = self.hooks()? else { return Ok(Vec::new()) };
        let mut entries = Vec::new();
        for property in hooks.properties() {
            let event = property.decoded_name().unwrap_or_default();
            // Foreign members, such as Gemini's former `enabled`, are left alone.
            let Some(list) = property.array_value() else {
                if layout.events().contains(&event.as_str()) {
                    return Err(wrong_type(&format!("hooks.{event}"), "a list"));
                }
                continue;
            };
            for element in list.elements() {
                entries.extend(own_in(&element, layout, &event));
            }
        }
        Ok(entries)
    }

    fn add(&self, hook: &WantedHook, layout: HookLayout) -> Result<(), EditProblem> {
        let handler = input_value(&hook.handler);
        let entry = if layout.has_groups() {
            CstInputValue::Object(vec![("hooks".to_owned(), CstInputValue::Array(vec![handler]))])
        } else {
            handler
        };
        let hooks = match self.hooks()? {
            Some(hooks) => hooks,
            None => self.object.object_value_or_set("hooks"),
        };
        hooks.ensure_multiline();
        let list: CstArray = match hooks.get(hook.event) {
            Some(member) => {
                member.array_value().ok_or_else(|| wrong_type(&format!("hooks.{}", hook.event), "a list"))?
            }
            None => hooks.array_value_or_set(hook.event),
        };
        list.ensure_multiline();
        list.append(entry);
        Ok(())
    }
}

/// An entry of charrette.
struct Entry {
    event: String,
    handler: CstNode,
    /// The group around it; none where handlers stand alone.
    group: Option<CstObject>,
}

/// Entries of charrette in one element of an event's list.
fn own_in(element: &CstNode, layout: HookLayout, event: &str) -> Vec<Entry> {
    if !layout.has_groups() {
        let entry = Entry { event: event.to_owned(), handler: element.clone(), group: None };
        return if is_own(element) { vec![entry] } else { Vec::new() };
    }
    let Some(group) = element.as_object() else { return Vec::new() };
    let handlers = group.get("hooks").and_then(|member| member.array_value());
    let handlers = handlers.map(|list| list.elements()).unwrap_or_default();
    handlers
        .into_iter()
        .filter(is_own)
        .map(|handler| Entry { event: event.to_owned(), handler, group: Some(group.clone()) })
        .collect()
}

fn is_own(handler: &CstNode) -> bool {
    let command = handler.as_object().and_then(|handler| handler.get("command")?.value()?.to_serde_value());
    command.as_ref().and_then(Value::as_str).is_some_and(is_own_command)
}

impl Entry {
    /// True if it is in the wanted form and no matcher narrows it.
    fn is_as_wanted(&self, hook: &WantedHook) -> bool {
        let is_for_all = self.group.as_ref().is_none_or(|group| {
            group.properties().iter().all(|property| match property.decoded_name().as_deref() {
                Some("hooks") => true,
                Some("matcher") => {
                    let matcher = property.value().and_then(|value| value.to_serde_value());
                    matcher.as_ref().and_then(Value::as_str).is_some_and(|text| matches!(text, "" | "*"))
                }
                _ => false,
            })
        });
        is_for_all && self.handler.to_serde_value().as_ref() == Some(&hook.handler)
    }

    /// Its group with this handler alone, or the handler.
    fn alone(&self) -> Value {
        let handler = self.handler.to_serde_value().unwrap_or_default();
        match self.group.as_ref().and_then(CstObject::to_serde_value) {
            Some(Value::Object(mut group)) => {
                group.insert("hooks".to_owned(), Value::Array(vec![handler]));
                Value::Object(group)
            }
            _ => handler,
        }
    }

    /// Removes it, and the group, the list, the event and `hooks` if they become empty by that.
    fn remove(self) {
        let Entry { handler, group, .. } = self;
        let list = handler.parent().and_then(|parent| parent.as_array());
        handler.remove();
        let Some(mut list) = list.filter(|list| list.elements().is_empty()) else { return };
        if let Some(group) = group {
            let outer = group.parent().and_then(|parent| parent.as_array());
            group.remove();
            match outer.filter(|list| list.elements().is_empty()) {
                Some(outer) => list = outer,
                None => return,
            }
        }
        let Some(event) = list.parent().and_then(|parent| parent.as_object_prop()) else { return };
        let hooks = event.parent().and_then(|parent| parent.as_object());
        event.remove();
        let Some(hooks) = hooks.filter(|hooks| hooks.properties().is_empty()) else { return };
        if let Some(member) = hooks.parent().and_then(|parent| parent.as_object_prop()) {
            member.remove();
        }
    }
}
