//! Errors that are caught, and nothing is done with them: only where the syntax tree proves it.
//!
//! A handler counts if its body is empty or has only `pass`, `continue` or a constant, and the code after it is not the
//! way of the error: a `try` whose body ends with `return` or that has an `else` goes on below after an error. Values that
//! are thrown away (`_ = f()`, `let _ = f()`, `f().ok();`) count only in Rust, if the function is in the same file and
//! returns a `Result`.

use crate::syntax::{GrammarId, SyntaxTree, ancestors, children, descendants, node_text};
use tree_sitter::Node;

/// Lines, from 1, on which an error is dropped.
pub(crate) fn dropped_errors(parsed: &SyntaxTree, text: &str) -> Vec<usize> {
    let root = parsed.tree.root_node();
    let drops: fn(Node<'_>, &str) -> bool = match parsed.grammar {
        GrammarId::Python => python_handler,
        GrammarId::JavaScript | GrammarId::TypeScript | GrammarId::Tsx => javascript_handler,
        GrammarId::Java => java_handler,
        GrammarId::Go => go_branch,
        GrammarId::Rust => rust_branch,
    };
    let results = if parsed.grammar == GrammarId::Rust { result_functions(root, text) } else { Vec::new() };
    descendants(root)
        .filter(|node| !node.has_error())
        .filter(|node| drops(*node, text) || rust_discarded_result(*node, text, &results))
        .map(|node| node.start_position().row + 1)
        .collect()
}

/// Exceptions that end a loop or a program; to catch them is control flow.
const CONTROL_FLOW: [&str; 7] = [
    "StopIteration",
    "StopAsyncIteration",
    "GeneratorExit",
    "KeyboardInterrupt",
    "SystemExit",
    "CancelledError",
    "BrokenPipeError",
];

/// `except X: pass`.
fn python_handler(node: Node<'_>, text: &str) -> bool {
    if node.kind() != "except_clause" {
        return false;
    }
    let parts = children(node);
    let Some((body, caught)) = parts.split_last() else { return false };
    let control = caught
        .iter()
        .flat_map(|caught| descendants(*caught))
        .any(|caught| CONTROL_FLOW.contains(&node_text(caught, text)));
    let idle = |statement: &Node<'_>| match statement.kind() {
        "pass_statement" | "continue_statement" => true,
        "expression_statement" => children(*statement)
            .iter()
            .all(|value| matches!(value.kind(), "ellipsis" | "string" | "none" | "integer")),
        _ => false,
    };
    body.kind() == "block" && !control && children(*body).iter().all(idle) && !goes_on_after_error(node, text)
}

/// `catch (e) {}` and `.catch(() => {})`.
fn javascript_handler(node: Node<'_>, text: &str) -> bool {
    let empty = |body: Node<'_>| body.kind() == "statement_block" && children(body).is_empty();
    match node.kind() {
        "catch_clause" => {
            node.child_by_field_name("body").is_some_and(empty) && !goes_on_after_error(node, text)
        }
        "call_expression" => {
            let called = node.child_by_field_name("function").and_then(|f| f.child_by_field_name("property"));
            let arguments = node.child_by_field_name("arguments").map(children).unwrap_or_default();
            let [handler] = arguments.as_slice() else { return false };
            called.is_some_and(|called| node_text(called, text) == "catch")
                && matches!(handler.kind(), "arrow_function" | "function_expression")
                && handler.child_by_field_name("body").is_some_and(empty)
        }
        _ => false,
    }
}

/// `catch (X e) {}`.
fn java_handler(node: Node<'_>, text: &str) -> bool {
    node.kind() == "catch_clause"
        && node.child_by_field_name("body").is_some_and(|body| children(body).is_empty())
        && !goes_on_after_error(node, text)
}

/// `if err != nil {}`.
fn go_branch(node: Node<'_>, text: &str) -> bool {
    node.kind() == "if_statement"
        && node.child_by_field_name("alternative").is_none()
        && node.child_by_field_name("consequence").is_some_and(|body| children(body).is_empty())
        && node
            .child_by_field_name("condition")
            .is_some_and(|condition| node_text(condition, text) == "err != nil")
}

/// Functions whose `Err` is no failure.
const NO_FAILURE: [&str; 6] =
    ["binary_search", "compare_exchange", "try_recv", "try_lock", "strip_prefix", "fetch_update"];

/// `Err(_) => {}` and `if let Err(_) = f() {}`.
fn rust_branch(node: Node<'_>, text: &str) -> bool {
    let (pattern, body, value) = match node.kind() {
        "match_arm" => {
            let matched = ancestors(node).find(|node| node.kind() == "match_expression");
            let value = matched.and_then(|matched| matched.child_by_field_name("value"));
            (node.child_by_field_name("pattern"), node.child_by_field_name("value"), value)
        }
        "if_expression" if node.child_by_field_name("alternative").is_none() => {
            let condition = node.child_by_field_name("condition").filter(|c| c.kind() == "let_condition");
            let part = |name: &str| condition.and_then(|condition| condition.child_by_field_name(name));
            (part("pattern"), node.child_by_field_name("consequence"), part("value"))
        }
        _ => return false,
    };
    let (Some(pattern), Some(body), Some(value)) = (pattern, body, value) else { return false };
    let idle = match body.kind() {
        "block" => children(body).is_empty(),
        "unit_expression" => true,
        _ => false,
    };
    let value = node_text(value, text);
    idle && is_any_error(node_text(pattern, text)) && !NO_FAILURE.iter().any(|name| value.contains(name))
}

/// `Err(_)` and `Err(error)`: whatever the error is.
fn is_any_error(pattern: &str) -> bool {
    let inside = pattern.trim().strip_prefix("Err(").and_then(|rest| rest.strip_suffix(')'));
    inside.is_some_and(|inside| inside.chars().all(|c| c == '_' || c.is_lowercase() || c.is_ascii_digit()))
}

/// Names of the functions of a Rust file that all return a `Result`, with `async` ones marked.
fn result_functions(root: Node<'_>, text: &str) -> Vec<(String, bool)> {
    let mut all: Vec<(String, Option<bool>)> = Vec::new();
    for function in
        descendants(root).filter(|node| matches!(node.kind(), "function_item" | "function_signature_item"))
    {
        let Some(name) = function.child_by_field_name("name") else { continue };
        let returned = function.child_by_field_name("return_type").map_or("", |node| node_text(node, text));
        let path = returned.split('<').next().unwrap_or_default();
        let result = path == "Result" || path.ends_with("::Result");
        let head = text.get(function.start_byte()..name.start_byte()).unwrap_or_default();
        let is_async = head.split_whitespace().any(|word| word == "async");
        all.push((node_text(name, text).to_owned(), result.then_some(is_async)));
    }
    let agree = |name: &str| {
        let mut same = all.iter().filter(|(known, _)| known == name).map(|(_, result)| *result);
        let first = same.next().flatten()?;
        same.all(|other| other == Some(first)).then_some(first)
    };
    all.iter().filter_map(|(name, _)| Some((name.clone(), agree(name)?))).collect()
}

/// `let _ = f();` and `f().ok();`, where `f` is in `results`.
fn rust_discarded_result(node: Node<'_>, text: &str, results: &[(String, bool)]) -> bool {
    if results.is_empty() {
        return false;
    }
    let value = match node.kind() {
        "let_declaration" => {
            let discarded =
                node.child_by_field_name("pattern").is_some_and(|pattern| node_text(pattern, text) == "_");
            node.child_by_field_name("value").filter(|_| discarded)
        }
        "expression_statement" => children(node).first().copied().and_then(|call| ok_receiver(call, text)),
        _ => None,
    };
    let Some(value) = value else { return false };
    let awaited = value.kind() == "await_expression";
    let call = if awaited { children(value).first().copied() } else { Some(value) };
    let called = call
        .filter(|call| call.kind() == "call_expression")
        .and_then(|call| call.child_by_field_name("function"));
    let name = called.and_then(|called| match called.kind() {
        "identifier" => Some(node_text(called, text)),
        // A method of another type may have the same name.
        "field_expression" | "scoped_identifier" => {
            let whole = node_text(called, text);
            whole.strip_prefix("self.").or_else(|| whole.strip_prefix("Self::"))
        }
        _ => None,
    });
    name.is_some_and(|name| results.iter().any(|(known, is_async)| known == name && *is_async == awaited))
}

/// The call before `.ok()`.
fn ok_receiver<'a>(call: Node<'a>, text: &str) -> Option<Node<'a>> {
    let function = call.child_by_field_name("function").filter(|f| f.kind() == "field_expression")?;
    let is_ok = node_text(function.child_by_field_name("field")?, text) == "ok";
    function.child_by_field_name("value").filter(|_| is_ok)
}

/// True if the code below the handler is reached only after an error, so that the error is handled there.
fn goes_on_after_error(handler: Node<'_>, text: &str) -> bool {
    let Some(attempt) = handler.parent() else { return false };
    let has_else = children(attempt).iter().any(|part| part.kind() == "else_clause");
    let body = attempt.child_by_field_name("body").map(children).unwrap_or_default();
    let jumps = |statement: &Node<'_>| {
        matches!(
            statement.kind(),
            "return_statement"
                | "raise_statement"
                | "throw_statement"
                | "break_statement"
                | "continue_statement"
        )
    };
    // An endless loop ends by its exception.
    let endless = |statement: &Node<'_>| {
        statement.kind() == "while_statement"
            && statement
                .child_by_field_name("condition")
                .is_some_and(|condition| matches!(node_text(condition, text), "True" | "true" | "(true)"))
    };
    has_else || body.last().is_some_and(|last| jumps(last) || endless(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        dropped_errors(&parse(path, text).unwrap(), text)
    }

    #[test]
    fn python_handlers_that_do_nothing() {
        for (text, expected) in [
            ("try:\n    f()\nexcept:\n    pass\n", vec![3]),
            ("try:\n    f()\nexcept (KeyError, OSError) as e:\n    # fine\n    pass\n", vec![3]),
            ("for x in y:\n    try:\n        f(x)\n    except ValueError:\n        continue\n", vec![4]),
            ("try:\n    f()\nexcept Exception:\n    ...\n", vec![3]),
            ("try:\n    f()\nexcept Exception:\n    raise\n", vec![]),
            ("try:\n    f()\nexcept Exception:\n    log.exception('no')\n", vec![]),
            ("try:\n    f()\nexcept Exception:\n    cleanup()\n    raise\n", vec![]),
            (
                "def a():\n    try:\n        return f()\n    except KeyError:\n        pass\n    raise B\n",
                vec![],
            ),
            ("try:\n    f()\nexcept KeyError:\n    pass\nelse:\n    g()\n", vec![]),
            ("def a():\n    try:\n        f()\n    except KeyError:\n        return None\n", vec![]),
            ("try:\n    while True:\n        f()\nexcept Closed:\n    pass\n", vec![]),
            ("try:\n    f()\nexcept StopIteration:\n    pass\n", vec![]),
            ("text = '''\ntry:\n    f()\nexcept:\n    pass\n'''\n", vec![]),
            ("try:\n    f()\nexcept KeyError:\n    value = 1\n", vec![]),
        ] {
            assert_eq!(lines("a.py", text), expected, "{text}");
        }
    }

    #[test]
    fn javascript_handlers_that_do_nothing() {
        for (text, expected) in [
            ("try { f() } catch {}", vec![1]),
            ("try { f() } catch (e) { /* fine */ }", vec![1]),
            ("f().catch(() => {})", vec![1]),
            ("f().catch(function (e) {})", vec![1]),
            ("try { f() } catch (e) { throw e }", vec![]),
            ("try { f() } catch (e) { log(e) }", vec![]),
            ("function a() { try { return f() } catch (e) {}\n return null }", vec![]),
            ("f().catch(() => null)", vec![]),
            ("f().catch(done)", vec![]),
            ("f().then(() => {})", vec![]),
            ("const s = 'try { f() } catch {}'", vec![]),
        ] {
            assert_eq!(lines("a.js", text), expected, "{text}");
            assert_eq!(lines("a.ts", text), expected, "{text}");
        }
    }

    #[test]
    fn java_handlers_that_do_nothing() {
        for (body, expected) in [
            ("try { f(); } catch (Exception ignored) { }", vec![1]),
            ("try { f(); } catch (Exception e) { e.printStackTrace(); }", vec![]),
            ("try { f(); } catch (Throwable e) { throw e; }", vec![]),
            ("try { return f(); } catch (Exception e) { } return null;", vec![]),
        ] {
            assert_eq!(lines("A.java", &format!("class A {{ int a() {{ {body} }} }}")), expected, "{body}");
        }
    }

    #[test]
    fn go_branches_that_do_nothing() {
        for (body, expected) in [
            ("if err != nil {\n}", vec![2]),
            ("if err != nil {\nreturn err\n}", vec![]),
            ("_ = f()", vec![]),
            ("x, _ := f()\nuse(x)", vec![]),
            ("_, _ = f()", vec![]),
            ("if err != nil {\n} else {\ng()\n}", vec![]),
        ] {
            assert_eq!(lines("a.go", &format!("package a; func a() {{\n{body}\n}}")), expected, "{body}");
        }
    }

    #[test]
    fn rust_results_that_are_thrown_away() {
        let own = "fn save() -> io::Result<()> { Ok(()) }\nasync fn send() -> Result<(), E> { Ok(()) }\nfn count() -> usize { 1 }\n";
        for (body, expected) in [
            ("match f() { Ok(x) => g(x), Err(_) => {} }", vec![4]),
            ("if let Err(error) = f() {}", vec![4]),
            ("let _ = save();", vec![4]),
            ("save().ok();", vec![4]),
            ("let _ = send().await;", vec![4]),
            ("let _ = send();", vec![]),
            ("let _ = count();", vec![]),
            ("let _ = other();", vec![]),
            ("let _ = x.save();", vec![]),
            ("let _ = guard;", vec![]),
            ("let x = save().ok();", vec![]),
            ("x.ok();", vec![]),
            ("match f() { Ok(x) => g(x), Err(e) => log(e) }", vec![]),
            ("match f() { Ok(x) => g(x), Err(Empty::Now) => {} }", vec![]),
            ("match f() { Some(x) => g(x), None => {} }", vec![]),
            ("match v.binary_search(&x) { Ok(_) => g(), Err(_) => {} }", vec![]),
            ("let _ = writeln!(text, \"\");", vec![]),
        ] {
            assert_eq!(lines("a.rs", &format!("{own}fn a() {{ {body} }}")), expected, "{body}");
        }
    }
}
