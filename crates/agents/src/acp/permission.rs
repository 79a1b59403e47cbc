//! Policy for permission requests of agents.

use crate::stream::event::Object;
use serde_json::{Value, json};

/// Decision on a permission request.
#[derive(Debug, PartialEq)]
pub(super) struct Decision {
    /// The `result` of the request.
    pub(super) answer: Value,
    /// The refused tool, for the record.
    pub(super) denied: Option<String>,
}

/// Permissions of a seat.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access {
    pub(super) writing: bool,
    pub(super) web: bool,
}

impl Access {
    /// True if a tool of this kind may be used. A seat that does not write may only read, and fetch if it may use the
    /// web.
    fn allows(self, kind: &str) -> bool {
        self.writing || matches!(kind, "read" | "search" | "think") || (self.web && kind == "fetch")
    }
}

/// Decides one `session/request_permission`. `known_kind` is the tool's kind if the request does not have it.
///
/// The option is selected by its kind, never by its position or name, and the narrower one first. Without a
/// matching option the request is cancelled, which is a refusal.
pub(super) fn decide(request: &Object<'_>, known_kind: Option<&str>, access: Access) -> Decision {
    let tool = request.object("toolCall");
    let field = |name| tool.as_ref().and_then(|tool| tool.text(name));
    let kind = field("kind").or_else(|| known_kind.map(str::to_owned)).unwrap_or_else(|| "other".to_owned());
    let allowed = access.allows(&kind);
    let wanted = if allowed { ["allow_once", "allow_always"] } else { ["reject_once", "reject_always"] };
    let options = request.objects("options");
    let option = wanted.iter().find_map(|kind| {
        options.iter().find(|option| option.is("kind", kind)).and_then(|option| option.text("optionId"))
    });
    let answer = match &option {
        Some(id) => json!({"outcome": {"outcome": "selected", "optionId": id}}),
        None => json!({"outcome": {"outcome": "cancelled"}}),
    };
    let denied = (!allowed || option.is_none()).then(|| match field("title") {
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
        decide(&Object::parse(&request).unwrap(), known, Access { writing, web: false })
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
    fn only_a_seat_with_the_web_may_fetch() {
        for (kind, allowed) in [("fetch", true), ("read", true), ("execute", false), ("edit", false)] {
            let request = format!(r#"{{"toolCall":{{"kind":"{kind}"}},"options":{OPTIONS}}}"#);
            let request = Object::parse(&request).unwrap();
            let decision = decide(&request, None, Access { writing: false, web: true });
            assert_eq!(decision.answer, selected(if allowed { "once" } else { "no" }), "{kind}");
        }
    }

    #[test]
    fn tools_of_unknown_kind_are_refused() {
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
