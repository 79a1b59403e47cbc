//! What an agent may do when it asks.

use crate::stream::event::Object;
use serde_json::{Value, json};

/// What is told to the agent, and what is recorded if it was refused.
#[derive(Debug, PartialEq)]
pub(super) struct Decision {
    /// The `result` of its request.
    pub(super) answer: Value,
    /// What it may not do.
    pub(super) denied: Option<String>,
}

/// Whether a tool of this kind may be used. A seat that does not write may only read.
fn may(kind: &str, writing: bool) -> bool {
    writing || matches!(kind, "read" | "search" | "think")
}

/// Decides one `session/request_permission`. `kind` is what is known of the tool if the request does not say.
///
/// The option is chosen by its kind, never by its place or name, and the narrower one first. If none fits, the
/// request is cancelled, which no agent may take for a yes.
pub(super) fn decide(request: &Object<'_>, known_kind: Option<&str>, writing: bool) -> Decision {
    let tool = request.object("toolCall");
    let said = |name| tool.as_ref().and_then(|tool| tool.text(name));
    let kind = said("kind").or_else(|| known_kind.map(str::to_owned)).unwrap_or_else(|| "other".to_owned());
    let allowed = may(&kind, writing);
    let wanted = if allowed { ["allow_once", "allow_always"] } else { ["reject_once", "reject_always"] };
    let options = request.objects("options");
    let option = wanted.iter().find_map(|kind| {
        options.iter().find(|option| option.is("kind", kind)).and_then(|option| option.text("optionId"))
    });
    let answer = match &option {
        Some(id) => json!({"outcome": {"outcome": "selected", "optionId": id}}),
        None => json!({"outcome": {"outcome": "cancelled"}}),
    };
    let denied = (!allowed || option.is_none()).then(|| match said("title") {
        Some(title) if title != kind => format!("{kind}: {title}"),
        _ => kind,
    });
    Decision { answer, denied }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &str = r#"[{"optionId":"always","kind":"allow_always"},{"optionId":"once","kind":"allow_once"},{"optionId":"no","kind":"reject_once"}]"#;

    fn decision(tool: &str, options: &str, known: Option<&str>, writing: bool) -> Decision {
        let request = format!(r#"{{"toolCall":{tool},"options":{options}}}"#);
        decide(&Object::parse(&request).unwrap(), known, writing)
    }

    fn selected(id: &str) -> Value {
        json!({"outcome": {"outcome": "selected", "optionId": id}})
    }

    #[test]
    fn a_seat_that_does_not_write_may_only_read() {
        for (kind, read_only) in [
            ("read", true),
            ("search", true),
            ("think", true),
            ("edit", false),
            ("delete", false),
            ("move", false),
            ("execute", false),
            ("fetch", false),
            ("switch_mode", false),
            ("other", false),
            ("something new", false),
        ] {
            let tool = format!(r#"{{"kind":"{kind}","title":"t"}}"#);
            let reading = decision(&tool, OPTIONS, None, false);
            assert_eq!(reading.answer, selected(if read_only { "once" } else { "no" }), "{kind}");
            assert_eq!(reading.denied, (!read_only).then(|| format!("{kind}: t")), "{kind}");
            let writing = decision(&tool, OPTIONS, None, true);
            assert_eq!(writing, Decision { answer: selected("once"), denied: None }, "{kind}");
        }
    }

    #[test]
    fn what_is_not_said_is_not_allowed() {
        assert_eq!(decision("{}", OPTIONS, None, false).denied.as_deref(), Some("other"));
        assert_eq!(decision("3", OPTIONS, None, false).answer, selected("no"));
        assert_eq!(decision("{}", OPTIONS, Some("read"), false).answer, selected("once"));
        let cancelled = json!({"outcome": {"outcome": "cancelled"}});
        let only_yes = r#"[{"optionId":"once","kind":"allow_once"}]"#;
        assert_eq!(decision(r#"{"kind":"edit"}"#, only_yes, None, false).answer, cancelled);
        let only_no = r#"[{"optionId":"no","kind":"reject_once"}]"#;
        let refused = decision(r#"{"kind":"edit"}"#, only_no, None, true);
        assert_eq!((refused.answer, refused.denied.as_deref()), (cancelled, Some("edit")));
    }
}
