//! A survey as plain text for a terminal: files with reasons, tests, risks, similar commits.
//!
//! Text from the repository is escaped.

use crate::report::{Risk, Survey};
use charrette_model::escape::printable as escaped;
use std::fmt::Write as _;

/// Renders a survey for a terminal of that many columns.
pub fn render_survey(survey: &Survey, columns: usize) -> String {
    let mut renderer = Renderer { text: String::new(), columns: columns.clamp(60, 120) };
    renderer.head(survey);
    renderer.files(survey);
    renderer.symbols(survey);
    renderer.tests(survey);
    renderer.risks(survey);
    renderer.commits(survey);
    renderer.commands(survey);
    for note in &survey.notes {
        renderer.write_wrapped("Note: ", &escaped(note).to_string(), 0);
    }
    renderer.text.trim_end().to_owned()
}

struct Renderer {
    text: String,
    columns: usize,
}

impl Renderer {
    fn head(&mut self, survey: &Survey) {
        let request = escaped(survey.request.trim()).to_string();
        self.write_wrapped("", &request, 0);
        let languages: Vec<String> = survey
            .languages
            .iter()
            .take(4)
            .map(|language| format!("{} {}", language.files, language.name))
            .collect();
        let head = survey
            .head
            .as_deref()
            .map_or("no commits".to_owned(), |head| head.get(..9).unwrap_or(head).to_owned());
        let files = if languages.is_empty() { "none readable".to_owned() } else { languages.join(", ") };
        self.line(&format!("at {head} · files: {files} · no model took part"));
        self.line("");
    }

    fn files(&mut self, survey: &Survey) {
        if survey.files.is_empty() {
            self.line("No file fits the request. Try the words the code itself uses.");
            self.line("");
            return;
        }
        self.title("Files, most likely first");
        for (n, file) in survey.files.iter().enumerate() {
            let place = file.lines.map_or(String::new(), |lines| format!(":{}", lines.first));
            self.line(&format!("{:>3}. {}{place}", n + 1, escaped(&file.path)));
            for reason in file.reasons.iter().take(3) {
                self.write_wrapped("", &escaped(reason).to_string(), 5);
            }
        }
        self.line("");
    }

    fn symbols(&mut self, survey: &Survey) {
        if survey.symbols.is_empty() {
            return;
        }
        self.title("Definitions to read first");
        let shown: Vec<_> = survey.symbols.iter().take(12).collect();
        let places: Vec<String> =
            shown.iter().map(|symbol| format!("{}:{}", escaped(&symbol.path), symbol.line)).collect();
        let width = places.iter().map(|place| place.chars().count()).max().unwrap_or(0).min(self.columns / 2);
        for (symbol, place) in shown.iter().zip(places) {
            self.line(&format!("  {place:<width$}  {} {}", symbol.kind, escaped(&symbol.name)));
        }
        self.line("");
    }

    fn tests(&mut self, survey: &Survey) {
        if survey.tests.is_empty() {
            return;
        }
        self.title("Tests");
        for test in survey.tests.iter().take(8) {
            if test.covers == [test.path.clone()] {
                self.line(&format!("  {} (inline tests)", escaped(&test.path)));
            } else {
                let others: Vec<String> = test.covers.iter().map(|path| escaped(path).to_string()).collect();
                self.line(&format!("  {}", escaped(&test.path)));
                self.write_wrapped("covers ", &others.join(", "), 5);
            }
        }
        self.line("");
    }

    fn risks(&mut self, survey: &Survey) {
        if survey.risks.is_empty() {
            return;
        }
        self.title("Risks");
        for Risk { path, line, kind, text } in survey.risks.iter().take(10) {
            self.line(&format!("  {}:{line}  {kind}", escaped(path)));
            self.write_wrapped("", &escaped(text).to_string(), 5);
        }
        self.line("");
    }

    fn commits(&mut self, survey: &Survey) {
        if survey.similar_commits.is_empty() {
            return;
        }
        self.title("Similar commits");
        for commit in &survey.similar_commits {
            let id = commit.id.get(..9).unwrap_or(&commit.id);
            self.line(&format!("  {id}  {}", escaped(&commit.subject)));
            let files: Vec<String> =
                commit.files.iter().take(4).map(|path| escaped(path).to_string()).collect();
            let more = commit.files.len().saturating_sub(4);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            if !files.is_empty() {
                self.write_wrapped("", &format!("{}{more}", files.join(", ")), 5);
            }
        }
        self.line("");
    }

    fn commands(&mut self, survey: &Survey) {
        let commands = &survey.commands;
        let all = [("build", &commands.build), ("test", &commands.test), ("lint", &commands.lint)];
        if all.iter().any(|(_, run)| run.is_some()) || !survey.conventions.is_empty() {
            self.title("Commands and conventions");
        }
        for (name, run) in all {
            if let Some(run) = run {
                self.line(&format!("  {name:<10} {}", escaped(run)));
            }
        }
        for convention in survey.conventions.iter().take(8) {
            let path = convention.path.as_deref().filter(|path| !convention.text.contains(path));
            let path = path.map(|path| format!(" ({})", escaped(path))).unwrap_or_default();
            self.line(&format!("  {:<10} {}{path}", convention.kind, escaped(&convention.text)));
        }
        self.line("");
    }

    fn title(&mut self, title: &str) {
        self.line(title);
        self.line(&"─".repeat(title.chars().count()));
    }

    fn line(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{}", line.trim_end());
    }

    /// Writes text indented by that many columns, wrapped at words.
    fn write_wrapped(&mut self, label: &str, text: &str, indent: usize) {
        let blanks = " ".repeat(indent);
        let mut line = format!("{blanks}{label}");
        let mut width = line.chars().count();
        let mut fresh = true;
        for word in text.split(' ') {
            let length = word.chars().count();
            if !fresh && width + 1 + length > self.columns {
                self.line(&line);
                line.clone_from(&blanks);
                width = indent;
                fresh = true;
            }
            if !fresh {
                line.push(' ');
                width += 1;
            }
            line.push_str(word);
            width += length;
            fresh = false;
        }
        self.line(&line);
    }
}
