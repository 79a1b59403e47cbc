//! Role definitions as templates: their rendering, within the limits of all templates.
//!
//! The rules of all templates are in [`crate::template`]: a feature called `{{ x }}` is rendered as `{{ x }}`.

mod texts;

pub(super) use texts::Texts;

use super::role::{RoleError, TextOrigin};
use crate::template;
use minijinja::value::Serde;
use minijinja::{Environment, Value};
use serde::Serialize;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use texts::RoleTexts;

/// Text of a role, and the parts that it may include.
#[derive(Debug, Clone)]
pub(super) struct TemplateSet {
    texts: RoleTexts,
    /// Compiled on first use: a role has several seats.
    compiled: OnceLock<Result<Arc<Environment<'static>>, RoleError>>,
}

impl TemplateSet {
    /// A role whose text begins at `first_line`.
    pub(super) fn new(
        role: &'static str,
        origin: TextOrigin,
        text: &str,
        first_line: usize,
        parts: Arc<Texts>,
    ) -> TemplateSet {
        let above = first_line - 1;
        let body: String = text.split_inclusive('\n').skip(above).collect();
        let text = "\n".repeat(above) + &body;
        TemplateSet { texts: RoleTexts { role, origin, text, parts }, compiled: OnceLock::new() }
    }

    /// Renders the text of the role.
    pub(super) fn render(&self, values: &impl Serialize) -> Result<String, RoleError> {
        self.render_within(template::TIME_LIMIT, Value::from(Serde(values)))
    }

    /// Renders it in a limited time.
    fn render_within(&self, limit: Duration, values: Value) -> Result<String, RoleError> {
        let texts = &self.texts;
        if let Some((part, error)) = texts.parts.slow_part()
            && texts.included().contains(&part)
        {
            return Err(error.clone());
        }
        // A part that all roles include must not take the time of each.
        let limit = if texts.parts.is_slow() { limit / 10 } else { limit };
        let start = Instant::now();
        let rendered = self.compiled().and_then(|environment| {
            let file = format!("{}.md", texts.role);
            let rendered = template::supervise(limit, move || {
                environment.get_template(&file).and_then(|found| template::render_here(&found, values))
            });
            match rendered {
                Ok(rendered) => rendered.map_err(|error| texts.error(texts.role, &error)),
                Err(failure) => Err(texts.failure(failure)),
            }
        });
        if let Err(error) = &rendered
            && start.elapsed() >= limit
        {
            texts.parts.remember_slow(error);
        }
        Ok(rendered?.trim_start_matches('\n').trim_end().to_owned() + "\n")
    }

    fn compiled(&self) -> Result<Arc<Environment<'static>>, RoleError> {
        let compile = || {
            let texts = self.texts.clone();
            let compiled = template::supervise(template::TIME_LIMIT, move || texts.compile());
            compiled.unwrap_or_else(|failure| Err(self.texts.failure(failure))).map(Arc::new)
        };
        self.compiled.get_or_init(compile).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::path::PathBuf;

    fn texts(role: &str, part: &str) -> TemplateSet {
        let mut parts = Texts::new();
        parts.insert("parts/part", (TextOrigin::BuiltIn, part.to_owned()));
        TemplateSet::new("role", TextOrigin::File(PathBuf::from("r/role.md")), role, 3, Arc::new(parts))
    }

    fn rendered(role: &str, part: &str) -> Result<String, String> {
        let values = json!({"a": "{{ b }} <&> {% raw %}", "many": "x\n\n# y", "ticks": "a\n````\nb\n"});
        texts(&format!("---\n---\n{role}"), part).render(&values).map_err(|error| error.to_string())
    }

    #[test]
    fn values_come_out_as_they_are() {
        assert_eq!(rendered("{{ a }}", ""), Ok("{{ b }} <&> {% raw %}\n".to_owned()));
        assert_eq!(rendered("{{ many | line }}", ""), Ok("x # y\n".to_owned()));
        assert_eq!(rendered("{{ ticks | fenced }}", ""), Ok("`````\na\n````\nb\n`````\n".to_owned()));
        assert_eq!(rendered("{{ many | json }}", ""), Ok("\"x\\n\\n# y\"\n".to_owned()));
    }

    #[test]
    fn tags_leave_no_lines_behind_and_includes_end_theirs() {
        let role = "A\n{% if a %}\nB\n{% endif %}\n{% include \"parts/part.md\" %}\nC\n\n\n";
        assert_eq!(rendered(role, "- {{ many | line }}\n"), Ok("A\nB\n- x # y\nC\n".to_owned()));
    }

    #[test]
    fn errors_name_the_file_and_line() {
        for (role, part, start) in [
            (
                "A\n{{ nothing }}",
                "",
                "r/role.md:4: undefined value, in '{{ nothing }}' (it overrides the built-in role; ",
            ),
            ("A\n\n{% if %}", "", "r/role.md:5: syntax error: "),
            ("{{ a | shout }}", "", "r/role.md:3: unknown filter: "),
            ("{% include \"parts/none.md\" %}", "", "r/role.md:3: template not found: "),
            ("{% include \"../../etc/passwd\" %}", "", "r/role.md:3: template not found: "),
            (
                "A\n{% include \"parts/part.md\" %}",
                "B\n{{ nothing }}",
                "built-in parts/part:2: undefined value, in '{{ nothing }}'",
            ),
            (
                "{% for i in range(9999) %}{% for j in range(9999) %}{{ i }}{% endfor %}{% endfor %}",
                "",
                "r/role.md:3: engine ran out of fuel",
            ),
        ] {
            let error = rendered(role, part).unwrap_err();
            assert!(error.starts_with(start), "{role}: {error}");
        }
    }

    #[test]
    fn a_template_cannot_make_more_than_the_limits_allow() {
        let doubled = |first: &str, again: &str| format!("{first}{}", again.repeat(60));
        for (role, reason) in [
            (doubled("{% set x = 'abc' %}", "{% set x = x ~ x %}"), "~ in a value with a name"),
            (doubled("{% set x = 'abc' %}", "{% set x = x + x %}"), "+ without a number"),
            (doubled("{% set x = ['abc'] %}", "{% set x = [x, x] %}"), "a list of names"),
            (doubled("", "{% with x = [a, a] %}"), "a list of names"),
            (doubled("", "{% for x in [[a, a]] %}"), "a list of names"),
            (doubled("{% set x = a %}", "{% set x = x[0:] %}"), "a slice"),
            (
                "{% set x %}{% for i in range(9) %}{{ a }}{% endfor %}{% endset %}".to_owned(),
                "{% set name %}",
            ),
            ("{% filter upper %}{{ a }}{% endfilter %}".to_owned(), "{% filter %}"),
            ("{% block b %}x{% endblock %}{{ self.b() }}".to_owned(), "{% block %}"),
            ("{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}".to_owned(), "a recursive loop"),
            ("{{ 'x' * 5000000 }}".to_owned(), "* is not available"),
            (format!("{{{{ (a{}) | length }}}}", " ~ a".repeat(100)), "an expression of so many parts"),
            (
                "{{ 'a' | indent(20000000000) | length }}".to_owned(),
                "the width of an indentation exceeds 200",
            ),
            ("{{ 'a' | indent(width=20000000000) | length }}".to_owned(), "the width of an indentation"),
            (
                doubled("{% set x = 'a' %}", "{% set x = x | replace('a', 'aaaaaaaaaa') %}"),
                "what the filters make exceeds 8 MB",
            ),
            (
                doubled("{% set x = 'aa' %}", "{% set x = x | join('aaaaaaaaaa') %}"),
                "what the filters make exceeds 8 MB",
            ),
            (doubled("{% set x = '\\\"' %}", "{% set x = x | json %}"), "what the filters make exceeds 8 MB"),
            (
                "{% for i in range(9000) %}{{ range(9000) | list | length }}{% endfor %}".to_owned(),
                "what the filters make",
            ),
            ("{{ '%99999999999d' | format(1) | length }}".to_owned(), "unknown filter"),
            ("{{ [1] | batch(10000000000, 'x') | list | length }}".to_owned(), "unknown filter"),
            ("{{ [1] | slice(10000000000) | list | length }}".to_owned(), "unknown filter"),
            ("{% set ns = namespace(x=1) %}".to_owned(), "unknown function"),
            ("x".repeat(300 << 10), "the template exceeds 256 KB"),
        ] {
            // Closed, where the tags nest.
            let ends = role.matches("{% with").count();
            let role = role.clone() + &"{% endwith %}".repeat(ends);
            let loops = role.matches("{% for").count() - role.matches("{% endfor").count();
            let role = role + &"{% endfor %}".repeat(loops);
            let error = rendered(&role, "").unwrap_err();
            let shown: String = role.chars().take(80).collect();
            assert!(error.starts_with("r/role.md:") && error.contains(reason), "{shown}: {error}");
        }
    }

    #[test]
    fn a_list_in_many_places_is_as_large_as_its_copies() {
        let made = "what the filters make exceeds 8 MB";
        let nested = |inner: &str| {
            format!("{{{{ range(60000) | map(attribute='q', default=range(60000) | list) {inner} }}}}")
        };
        let wide = |filter: &str| {
            format!("{{% set x = range(60000) | list %}}{{{{ [{}] | {filter} }}}}", vec!["x"; 24].join(", "))
        };
        let deeper = "{% set x = [1] | map(attribute='q', default=x) %}".repeat(70);
        let texts =
            ["capitalize", "e", "lower", "safe", "string", "title", "trim", "upper", "indent", "join"];
        let all = ["| string | length", "~ ''", "| join | length", "| sort | length"].map(nested).into_iter();
        for (role, reason) in all.chain(texts.map(wide)).map(|role| (role, made)).chain([
            ("{{ range(900) | map(attribute='q', default=range(900)) ~ '' }}".to_owned(), made),
            (format!("{{% set x = [1] %}}{deeper}"), "the depth of lists in lists exceeds 64"),
            (
                "{{ range(60000) | reject('in', range(60000) | list) | list | length }}".to_owned(),
                "what the filters read exceeds 256 MB",
            ),
            (format!("{{{{ a | trim('{}') }}}}", "x".repeat(65)), "the length of what is trimmed off"),
        ]) {
            let error = rendered(&role, "").unwrap_err();
            let shown: String = role.chars().take(80).collect();
            assert!(error.starts_with("r/role.md:") && error.contains(reason), "{shown}: {error}");
        }
    }

    #[test]
    fn a_panic_of_the_template_engine_is_an_error() {
        let failed = "the template engine failed on an argument or index in the template";
        let built_in_part = "{% include \"parts/part.md\" %}";
        for (role, part, said) in [
            (
                "{% for i in [1] %}{{ loop.cycle() }}{% endfor %}",
                "",
                ":3: cycle() needs arguments, in '{% for",
            ),
            (
                "{% for i in [1] %}{{ loop.cycle(*[]) }}{% endfor %}",
                "",
                &format!(":1: {failed} (it overrides"),
            ),
            (
                built_in_part,
                "{% for i in [1] %}{{ loop.cycle(*[]) }}{% endfor %}",
                &format!(":1: {failed} (it"),
            ),
            (
                "{{ range(9223372036854775807, -9223372036854775807, -1) }}",
                "",
                ":3: invalid operation: the number of items of a range exceeds 100000 (limit), in '{{ range",
            ),
        ] {
            let error = rendered(role, part).unwrap_err();
            assert!(error.starts_with(&format!("r/role.md{said}")), "{role}: {error}");
        }
        // With and without checks of overflow.
        let sliced = rendered("{{ \"abc\"[::-9223372036854775807-1] }}", "");
        assert!(
            sliced.as_deref() == Ok("c\n") || sliced.as_ref().is_err_and(|e| e.contains(failed)),
            "{sliced:?}"
        );
    }

    #[test]
    fn a_rendering_ends_at_the_time_limit() {
        const SHORT: Duration = Duration::from_millis(100);
        let range = |body: &str| {
            format!(
                "{{% set r = range(100000) %}}{{% set q = range(100000) %}}{{% for i in range(20000) %}}{{% if {body} %}}{{% endif %}}{{% endfor %}}"
            )
        };
        let text = |body: &str| {
            format!(
                "{{% set a = range(60000)|join('x') %}}{{% for i in range(20000) %}}{{% if {body} %}}{{% endif %}}{{% endfor %}}"
            )
        };
        let together = ["a"; 15].join(" ~ ");
        let ranges =
            ["-1 in r", "r == q", "r < q", "r[99999]", "r[::-1] == q", "r is startingwith('b')"].map(range);
        let texts = ["'99999x' in a", "a[::-1]", "a[5:] == a[6:]", &together].map(text);
        // Nothing in it asks for the time.
        let abandoned = text("a[::-1] == a[::-2]").replace("range(20000)", "range(200)|list");
        for role in ranges.into_iter().chain(texts).chain([abandoned]) {
            let error = texts_of(&role).render_within(SHORT, Value::UNDEFINED).unwrap_err().to_string();
            let shown = &role[role.len() - 60..];
            assert!(error.starts_with("r/role.md:"), "{shown}: {error}");
            assert!(error.contains("the template takes longer than 100 ms (limit)"), "{shown}: {error}");
        }
    }

    fn texts_of(role: &str) -> TemplateSet {
        texts(&format!("---\n---\n{role}"), "")
    }

    #[test]
    fn a_part_that_takes_too_long_is_named_and_tried_once() {
        let slow = "{% for i in range(20000) %}{% if -1 in range(100000) %}{% endif %}{% endfor %}";
        let mut parts = Texts::new();
        parts.insert("parts/slow", (TextOrigin::File(PathBuf::from("r/parts/slow.md")), slow.to_owned()));
        parts.insert("parts/more", (TextOrigin::BuiltIn, "{% include \"parts/slow.md\" %}".to_owned()));
        let parts = Arc::new(parts);
        let render = |name, text: &str| {
            let origin =
                if name == "own" { TextOrigin::File(PathBuf::from("r/own.md")) } else { TextOrigin::BuiltIn };
            let role = TemplateSet::new(name, origin, text, 1, parts.clone());
            role.render_within(Duration::from_millis(500), Value::UNDEFINED)
        };
        let including = "{% include \"parts/more.md\" %}";
        let first = render("first", including).unwrap_err();
        let said = "r/parts/slow.md:1: the template takes longer than 500 ms (limit) (it overrides the built-in parts/slow";
        assert!(first.to_string().starts_with(said), "{first}");
        assert_eq!(render("second", including), Err(first), "it is not rendered again");
        assert_eq!(render("third", "fine"), Ok("fine\n".to_owned()));

        let error = texts_with(parts.iter().map(|(name, part)| (*name, part.clone())), including);
        let said = "r/role.md:1: the template takes longer than 500 ms (limit), with r/parts/slow.md";
        assert!(error.to_string().starts_with(said), "{error}");
    }

    /// Error of a role of a team's own with these parts.
    fn texts_with(all: impl Iterator<Item = (&'static str, (TextOrigin, String))>, role: &str) -> RoleError {
        let mut parts = Texts::new();
        parts.extend(all);
        let origin = TextOrigin::File(PathBuf::from("r/role.md"));
        let role = TemplateSet::new("role", origin, role, 1, Arc::new(parts));
        role.render_within(Duration::from_millis(500), Value::UNDEFINED).unwrap_err()
    }

    #[test]
    fn what_is_made_of_a_text_is_counted_before_it_is_made() {
        let made = "what the filters make exceeds 8 MB";
        let text = "{% set a = range(40000) | join('x') %}";
        let long = format!("({})", ["a"; 30].join(" ~ "));
        for (inner, reason) in [
            ("| list | length", made),
            ("| split('') | length", made),
            ("| split('x') | length", made),
            ("| split | length", made),
            ("| lines | length", made),
            ("| sort | length", made),
            ("| unique | length", made),
            ("| select | length", made),
            ("| map('upper') | length", made),
            ("| lower | length", made),
            ("| reverse | length", made),
            ("[::-1]", "an expression of so many parts"),
        ] {
            let error = rendered(&format!("{text}{{{{ {long}{inner} }}}}"), "").unwrap_err();
            assert!(error.starts_with("r/role.md:3:") && error.contains(reason), "{inner}: {error}");
        }
        let tested = "{% for i in range(20000) %}{% if a is startingwith('1') %}{% endif %}{% endfor %}";
        let error = rendered(&format!("{text}{tested}"), "").unwrap_err();
        assert!(error.contains("what the filters read exceeds 256 MB"), "{error}");
    }

    #[test]
    fn what_templates_of_teams_do_stays_available() {
        for (role, text) in [
            ("{{ a ~ '!' }}", "{{ b }} <&> {% raw %}!"),
            ("{% set n = 1 + 2 %}{{ n }}", "3"),
            ("{% for x in ['a', many] %}{{ loop.index + 1 }}{{ x | line }} {% endfor %}", "2a 3x # y"),
            ("{% set x = many | upper | replace('X', 'z') %}{{ x | line }}", "z # Y"),
            ("{{ many | split('\n') | map('line') | join(', ') }}", "x, , # y"),
            ("{{ 'a\nb' | indent(2) }}", "a\n  b"),
            ("{{ 'a\nb' | indent(width=3, first=true) }}", "   a\n   b"),
            ("{% if 'a' in [many, 'a'] %}yes{% endif %}", "yes"),
            ("{% with x = many | length %}{{ x }}{% endwith %}", "6"),
            ("{{ nothing | default('none') }}", "none"),
            ("{{ ['b', 'a'] | sort | first }}", "a"),
            ("{{ ['b', ['a', 1]] | string | upper }}", "['B', ['A', 1]]"),
            ("{{ [1, ['x']] | join('-') }}", "1-['x']"),
            ("{{ '[x]' | trim('[]') }}{{ [1] | trim }}", "x[1]"),
            ("{{ ['a', 'b'] | reject('in', ['b']) | map('upper') | join }}", "A"),
            ("{{ range(3) | join }}{{ range(2, 8, 3) | list }}{{ range(3)[::-1] | join }}", "012[2, 5]210"),
            ("{% for i in range(3) %}{{ loop.cycle('a', 'b') }}{% endfor %}", "aba"),
            ("{% if 'ab' is startingwith('a') and 'a' is lower and 1 is in([1]) %}yes{% endif %}", "yes"),
            (
                "{{ 'a,b,c' | split(',', 1) | last }}{{ ('a' ~ 'bc')[1:] }}{{ 'ab' | list }}",
                "b,cbc['a', 'b']",
            ),
        ] {
            assert_eq!(
                rendered(role, "").map(|text| text.trim_end().to_owned()),
                Ok(text.to_owned()),
                "{role}"
            );
        }
    }
}
