//! Role definitions as templates: their includes, filters and errors.
//!
//! The rules of all templates are in [`crate::template`]: a feature called `{{ x }}` is rendered as `{{ x }}`.

use super::role::{RoleError, TextOrigin};
use crate::prompt::fence;
use crate::template;
use charrette_model::markdown::flat;
use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

/// Texts by name.
pub(super) type Texts = BTreeMap<&'static str, (TextOrigin, String)>;

/// Text of a role, and the parts that it may include.
#[derive(Debug, Clone)]
pub(super) struct TemplateSet {
    role: &'static str,
    origin: TextOrigin,
    /// Without its front matter, whose lines are empty, so that line numbers in errors are those of the file.
    text: String,
    parts: Arc<Texts>,
    /// Compiled on first use: a role has several seats.
    compiled: OnceLock<Result<Environment<'static>, RoleError>>,
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
        TemplateSet { role, origin, text, parts, compiled: OnceLock::new() }
    }

    /// All texts by name: that of the role, and the parts.
    fn all(&self) -> impl Iterator<Item = (&'static str, &TextOrigin, &str)> {
        let parts = self.parts.iter().map(|(name, (origin, text))| (*name, origin, text.as_str()));
        parts.chain([(self.role, &self.origin, self.text.as_str())])
    }

    /// Renders the text of the role.
    pub(super) fn render(&self, values: &impl Serialize) -> Result<String, RoleError> {
        let environment = self.compiled.get_or_init(|| self.compile()).as_ref().map_err(RoleError::clone)?;
        let file = format!("{}.md", self.role);
        let rendered = environment
            .get_template(&file)
            .and_then(|template| template::render(&template, Serde(values)))
            .map_err(|error| self.error(self.role, &error))?;
        Ok(rendered.trim_start_matches('\n').trim_end().to_owned() + "\n")
    }

    fn compile(&self) -> Result<Environment<'static>, RoleError> {
        let mut environment = template::environment();
        template::add_text_filter(&mut environment, "line", flat);
        template::add_text_filter(&mut environment, "fenced", fence);
        template::add_text_filter(&mut environment, "json", |text| serde_json::Value::from(text).to_string());
        for (name, origin, text) in self.all() {
            template::check(text)
                .map_err(|(line, message)| RoleError::in_text(origin, name, line, message))?;
            let added = environment.add_template_owned(format!("{name}.md"), text.to_owned());
            added.map_err(|error| self.error(name, &error))?;
        }
        Ok(environment)
    }

    /// Converts an error, with the innermost included text and its line.
    fn error(&self, name: &str, error: &minijinja::Error) -> RoleError {
        let cause = template::root_cause(error);
        let file = cause.name().and_then(|file| file.strip_suffix(".md")).unwrap_or(name);
        let found = self.all().find(|(known, ..)| *known == file);
        let (file, origin, text) = found.unwrap_or((name, &TextOrigin::BuiltIn, ""));
        let (line, message) = template::describe_error(cause, text);
        RoleError::in_text(origin, file, line, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::path::PathBuf;

    fn texts(role: &str, part: &str) -> TemplateSet {
        let parts = Texts::from([("parts/part", (TextOrigin::BuiltIn, part.to_owned()))]);
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
        ] {
            assert_eq!(
                rendered(role, "").map(|text| text.trim_end().to_owned()),
                Ok(text.to_owned()),
                "{role}"
            );
        }
    }
}
