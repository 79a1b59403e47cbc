//! `summary.md`: a few sentences and the key decisions, extracted from what was decided: the design and the resolutions.

use super::design::DECISIONS;
use super::record::{TITLE, break_ids};
use charrette_model::markdown::flat;
use charrette_model::markdown::{
    heading, is_decoration, item, outline, parse_checkbox, trim_around, trim_before,
};
use charrette_model::panel::context_summary::read_context_summary;
use charrette_model::panel::resolutions::read_resolutions;
use charrette_model::spec::ids::{IdKind, SpecId};
use charrette_model::spec::requirements::Requirements;
use charrette_model::spec::sections::Sections;
use charrette_model::spec::sentences::sentences;
use charrette_model::spec::tasks::TaskList;

/// Maximum number of characters of a sentence.
const MAX_SENTENCE_CHARS: usize = 300;
/// Maximum number of characters of a decision.
const MAX_DECISION_CHARS: usize = 160;

/// Paragraph of two to four sentences: the request as the context summary understands it, then the approach of the
/// design. The approach of the context summary is not used, because it is older than the debate.
pub(super) fn paragraph(context: &str, requirements: &str, design: &str, tasks: &TaskList) -> String {
    let (summary, _) = read_context_summary(context, usize::MAX);
    let section = |text, title: &str| {
        Sections::parse(text).find(&[title]).map(|section| section.body.to_owned()).unwrap_or_default()
    };
    let mut paragraph = String::new();
    add_sentences(&mut paragraph, &summary.understanding, 2);
    add_sentences(&mut paragraph, &section(design, "Overview"), 4);
    for text in [section(requirements, "Overview"), section(design, "Architecture")] {
        if sentences(&paragraph).len() < 2 {
            add_sentences(&mut paragraph, &text, 2);
        }
    }
    let demands = Requirements::parse(requirements).requirements.len();
    let counted = format!("The specification has {demands} requirements and {} tasks.", tasks.tasks.len());
    for last in [counted.as_str(), "Everything else is in the files below.", "They are read in that order."] {
        if sentences(&paragraph).len() < 2 {
            push_sentence(&mut paragraph, last);
        }
    }
    paragraph
}

/// Adds sentences up to `most`.
fn add_sentences(paragraph: &mut String, text: &str, most: usize) {
    for sentence in sentences(&plain_text(text)).into_iter().take(2 * most) {
        if paragraph.contains(sentence.trim_end_matches('.')) {
            continue;
        }
        let mut longer = paragraph.clone();
        push_sentence(&mut longer, &truncate(&sentence, MAX_SENTENCE_CHARS));
        if sentences(&longer).len() > most {
            return;
        }
        *paragraph = longer;
    }
}

/// Appends a sentence, capitalized and with a full stop.
fn push_sentence(paragraph: &mut String, sentence: &str) {
    let sentence = trim_before(sentence, is_lead).trim();
    let mut chars = sentence.chars();
    let Some(first) = chars.next() else { return };
    if !paragraph.is_empty() {
        paragraph.push(' ');
    }
    paragraph.extend(first.to_uppercase());
    paragraph.push_str(chars.as_str());
    if !paragraph.ends_with(['.', '!', '?', '…', '。', '！', '？']) {
        paragraph.push('.');
    }
}

/// Characters that begin no sentence. Brackets, quotes and the dashes of an option do.
fn is_lead(c: char) -> bool {
    is_decoration(c) || matches!(c, ':' | ';' | ',' | '>' | '|' | '–' | '—' | '…' | '•' | '!' | '?')
}

/// Three to five key decisions: those of the design, then the resolutions of contested ones, then components, then other
/// sections.
pub(super) fn decisions(design: &str, resolutions: &str) -> Vec<String> {
    let sections = Sections::parse(design);
    let mut decisions: Vec<String> = Vec::new();
    let mut add = |text: &str| {
        let text = truncate(&plain_text(text), MAX_DECISION_CHARS);
        let text = trim_before(&text, is_lead).to_owned();
        if decisions.len() < 5 && !text.is_empty() && !decisions.contains(&text) {
            decisions.push(text);
        }
        decisions.len()
    };
    for (_, title) in titles(&sections, IdKind::Decision) {
        add(title);
    }
    if let Some(section) = sections.find(DECISIONS) {
        for text in list_items(section.body) {
            add(&text);
        }
    }
    for entry in read_resolutions(resolutions).0 {
        if add("") < 3 {
            add(&break_ids(&format!("{}: {}", entry.title, entry.resolution)));
        }
    }
    for (id, title) in titles(&sections, IdKind::Component) {
        if add("") < 3 {
            add(&format!("Component {id}: {title}"));
        }
    }
    let rest = ["Overview", "Architecture", "Data Model", "Error Handling", "Testing", "Data Flow"];
    for title in rest {
        let Some(section) = sections.find(&[title]).filter(|_| add("") < 3) else { continue };
        if let Some(first) = sentences(&plain_text(section.body)).first() {
            add(&format!("{}: {first}", trim_around(section.title, is_decoration)));
        }
    }
    decisions
}

/// Headings that begin with an id of a kind: id and rest.
fn titles<'a>(sections: &Sections<'a>, kind: IdKind) -> Vec<(SpecId, &'a str)> {
    let named = sections.titles().filter_map(|title| {
        let title = title.trim_start_matches(is_decoration);
        let title =
            ["Component ", "Decision "].iter().find_map(|word| title.strip_prefix(word)).unwrap_or(title);
        let (id, rest) = SpecId::parse_prefix(title)?;
        let rest = trim_around(rest, |c| is_decoration(c) || matches!(c, ':' | '.' | '-' | '–' | '—'));
        (id.kind == kind && !rest.is_empty()).then_some((id, rest))
    });
    named.collect()
}

/// Items of the list in a section, without the decision record.
pub(super) fn list_items(body: &str) -> Vec<String> {
    let sections = Sections::parse(body);
    let end = sections.find(&[TITLE]).map_or(body.len(), |record| record.start);
    let lines = outline(&body[..end]).lines;
    let top = lines.iter().filter(|line| !line.fenced && !line.text.starts_with([' ', '\t']));
    top.filter_map(|line| item(line.text)).map(str::to_owned).collect()
}

/// Prose without Markdown: no headings, tables, code, quotes, marks or links.
pub(super) fn plain_text(text: &str) -> String {
    let mut words = String::new();
    for line in outline(text).lines.iter().filter(|line| !line.fenced && heading(line.text).is_none()) {
        let entry = item(line.text);
        let text = entry.unwrap_or(line.text).trim();
        let text = parse_checkbox(text).map_or(text, |(_, rest)| rest);
        if text.starts_with(['|', '>']) || text.trim_matches(['-', '=', '*', '_']).is_empty() {
            continue;
        }
        let text = text.replace("**", "").replace("](", "] (").replace("]: ", "] ");
        // A list item is a sentence, with or without a full stop.
        if entry.is_some() && !words.is_empty() && !words.ends_with(['.', '!', '?', ':', '…']) {
            words.push('.');
        }
        words.push(' ');
        words.push_str(&text);
    }
    flat(&words)
}

fn truncate(text: &str, most: usize) -> String {
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

    const CONTEXT: &str = "## Understanding\n`charrette mcp` serves hosts. They start designs.\n\n## Approach\nA queue on disk. \
                           It is polled.\n\n## Assumptions\na\n\n## Trade-offs\nt\n\n## Out of scope\no\n\n## Unknowns\nk\n";
    const DESIGN: &str = "# Design: x\n\n## Overview\n`serve` answers in the process itself. Nothing is queued.\n\n## Decisions\n\n\
                          ### D1: `serve` holds no state\nBecause.\n\n### D2: Answers go through `answer`\nSo.\n";

    #[test]
    fn the_paragraph_tells_what_was_decided_and_not_what_was_thought_before() {
        let tasks = TaskList::default();
        assert_eq!(
            paragraph(CONTEXT, "", DESIGN, &tasks),
            "`charrette mcp` serves hosts. They start designs. `serve` answers in the process itself. Nothing is queued."
        );
        let bare = paragraph(CONTEXT, "", "", &tasks);
        assert!(!bare.contains("queue"), "{bare}");
        let requirements = "## Overview\n(Optional) hosts come first. \"Quick\" ones follow.\n";
        assert_eq!(
            paragraph("", requirements, "", &tasks),
            "(Optional) hosts come first. \"Quick\" ones follow."
        );
    }

    #[test]
    fn decisions_keep_their_code_and_resolutions_come_before_components() {
        let resolutions = "### DECISION_1: Where `state` lives\n**Resolution**: In the document\n**Disposition**: voted\n\
                           **Vote tally**: THESIS=3, ANTI_THESIS=0\n";
        assert_eq!(
            decisions(&format!("{DESIGN}\n### C1: Server\nx\n"), resolutions),
            ["`serve` holds no state", "Answers go through `answer`", "Where `state` lives: In the document",]
        );
    }

    #[test]
    fn marks_go_and_names_stay() {
        let text = "## Head\n- **Begin** in `pkg/__init__.py`\n- then [there](x.md)\n\n> quoted\n";
        assert_eq!(plain_text(text).trim(), "Begin in `pkg/__init__.py`. then [there] (x.md)");
    }
}
