//! `summary.md`: a few sentences and the key decisions, taken from what others wrote.

use super::design::DECISIONS;
use super::record::TITLE;
use charrette_model::panel::context_summary::read_context_summary;
use charrette_model::panel::lines::flat;
use charrette_model::spec::ids::{Id, IdKind};
use charrette_model::spec::outline::{boxed, heading, is_decoration, item, outline};
use charrette_model::spec::requirements::Requirements;
use charrette_model::spec::sections::Sections;
use charrette_model::spec::sentences::sentences;
use charrette_model::spec::tasks::TaskList;

/// The longest sentence that is repeated.
const SENTENCE: usize = 300;
/// The longest decision that is listed.
const DECISION: usize = 160;

/// Two to four sentences: what is asked for and how it is done, from the context summary; else from the overviews.
pub(super) fn paragraph(context: &str, requirements: &str, design: &str, tasks: &TaskList) -> String {
    let (summary, _) = read_context_summary(context, usize::MAX);
    let overview = |text| {
        Sections::of(text).named(&["Overview"]).map(|section| section.body.to_owned()).unwrap_or_default()
    };
    let mut told = String::new();
    for (text, most) in [(summary.understanding, 2), (summary.approach, 4)] {
        add(&mut told, &text, most);
    }
    for text in [overview(requirements), overview(design)] {
        if sentences(&told).len() < 2 {
            add(&mut told, &text, 2);
        }
    }
    let demands = Requirements::parse(requirements).requirements.len();
    let counted = format!("The specification has {demands} requirements and {} tasks.", tasks.tasks.len());
    for last in [counted.as_str(), "Everything else is in the files below.", "They are read in that order."] {
        if sentences(&told).len() < 2 {
            push(&mut told, last);
        }
    }
    told
}

/// Adds sentences until there are `most`.
fn add(told: &mut String, text: &str, most: usize) {
    for sentence in sentences(&plain(text)).into_iter().take(2 * most) {
        let mut longer = told.clone();
        push(&mut longer, &clipped(&sentence, SENTENCE));
        if sentences(&longer).len() > most {
            return;
        }
        *told = longer;
    }
}

/// Adds one sentence, with a capital and an end.
fn push(told: &mut String, sentence: &str) {
    let sentence = sentence.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '"').trim();
    let mut chars = sentence.chars();
    let Some(first) = chars.next() else { return };
    if !told.is_empty() {
        told.push(' ');
    }
    told.extend(first.to_uppercase());
    told.push_str(chars.as_str());
    if !told.ends_with(['.', '!', '?', '…', '。', '！', '？']) {
        told.push('.');
    }
}

/// Three to five decisions: those of the design, then its components, then what it says about the rest.
pub(super) fn decisions(design: &str) -> Vec<String> {
    let sections = Sections::of(design);
    let mut found: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        let text = clipped(&plain(text), DECISION);
        let text = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '"').to_owned();
        if found.len() < 5 && !text.is_empty() && !found.contains(&text) {
            found.push(text);
        }
        found.len()
    };
    for (_, title) in titles(&sections, IdKind::Decision) {
        add(title);
    }
    if let Some(section) = sections.named(DECISIONS) {
        for text in items(section.body) {
            add(&text);
        }
    }
    for (id, title) in titles(&sections, IdKind::Component) {
        if add("") < 3 {
            add(&format!("Component {id}: {title}"));
        }
    }
    let rest = ["Overview", "Architecture", "Data Model", "Error Handling", "Testing", "Data Flow"];
    for title in rest {
        let Some(section) = sections.named(&[title]).filter(|_| add("") < 3) else { continue };
        if let Some(first) = sentences(&plain(section.body)).first() {
            add(&format!("{}: {first}", section.title.trim_matches(is_decoration)));
        }
    }
    found
}

/// The headings of a kind of id, without the id.
fn titles<'a>(sections: &Sections<'a>, kind: IdKind) -> Vec<(Id, &'a str)> {
    let named = sections.titles().filter_map(|title| {
        let title = title.trim_start_matches(is_decoration);
        let title =
            ["Component ", "Decision "].iter().find_map(|word| title.strip_prefix(word)).unwrap_or(title);
        let (id, rest) = Id::at_start(title)?;
        let rest = rest.trim_matches(|c: char| is_decoration(c) || matches!(c, ':' | '.' | '-' | '–' | '—'));
        (id.kind == kind && !rest.is_empty()).then_some((id, rest))
    });
    named.collect()
}

/// The items of a list, if a section is one. The record of the votes is no part of it.
pub(super) fn items(body: &str) -> Vec<String> {
    let sections = Sections::of(body);
    let end = sections.named(&[TITLE]).map_or(body.len(), |record| record.start);
    let lines = outline(&body[..end]).lines;
    let top = lines.iter().filter(|line| !line.code && !line.text.starts_with([' ', '\t']));
    top.filter_map(|line| item(line.text)).map(str::to_owned).collect()
}

/// Prose without Markdown: no headings, tables, code or quotes; no marks, no links.
pub(super) fn plain(text: &str) -> String {
    let mut words = String::new();
    for line in outline(text).lines.iter().filter(|line| !line.code && heading(line.text).is_none()) {
        let entry = item(line.text);
        let text = entry.unwrap_or(line.text).trim();
        let text = boxed(text).map_or(text, |(_, rest)| rest);
        if text.starts_with(['|', '>']) || text.trim_matches(['-', '=', '*', '_']).is_empty() {
            continue;
        }
        let text = text.replace("**", "").replace("](", "] (").replace("]: ", "] ");
        // An item is a sentence, with or without a full stop.
        if entry.is_some() && !words.is_empty() && !words.ends_with(['.', '!', '?', ':', '…']) {
            words.push('.');
        }
        words.push(' ');
        words.push_str(&text);
    }
    flat(&words)
}

fn clipped(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let cut: String = text.chars().take(most).collect();
    let end = cut.rfind(' ').unwrap_or(cut.len());
    format!("{}…", cut[..end].trim_end_matches([',', ';', ':', ' ', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_go_and_names_stay() {
        let text = "## Head\n- **Begin** in `pkg/__init__.py`\n- then [there](x.md)\n\n> quoted\n";
        assert_eq!(plain(text).trim(), "Begin in `pkg/__init__.py`. then [there] (x.md)");
    }
}
