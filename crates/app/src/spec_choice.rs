//! The specification that a command works on: the one its argument names, or the only one there is.

use crate::error::AppError;
use crate::run_lookup;
use crate::site::Site;
use crate::spec_location::{SpecLocator, features_with_runs};
use crate::start_plan::StartRequest;
use crate::workspaces::{run_workspace, spec_folder};
use charrette_model::checkpoint::{Command, DocumentName};
use charrette_model::escape::printable;
use charrette_model::feature::name::FeaturePath;
use charrette_model::markdown::heading;
use charrette_model::panel::file_names::REQUEST;
use charrette_model::spec::resolver::SpecLevel;

/// Chooses the specification of a request.
pub(crate) fn choose_spec(
    site: &Site,
    request: &StartRequest,
    locator: &SpecLocator,
) -> Result<FeaturePath, AppError> {
    let command = request.flow.command.as_str();
    let typed = request.typed.as_deref().map(str::trim).filter(|typed| !typed.is_empty());
    let Some(typed) = typed else { return only_spec(command, locator) };
    let name = FeaturePath::parse(typed).map_err(AppError::usage)?;
    let runs = features_with_runs(site, request)?;
    if runs.contains(&name) {
        return Ok(name);
    }
    if let Some(path) = run_lookup::find_nested(&runs, &name)? {
        return Ok(path);
    }
    named_spec(command, typed, locator)
}

/// Finds the specification with this name, or the only one there is; of several, the only one with open tasks.
pub(crate) fn named_or_only(
    site: &Site,
    command: &str,
    typed: Option<&str>,
    has_open_tasks: impl Fn(&FeaturePath) -> bool,
) -> Result<FeaturePath, AppError> {
    let locator = SpecLocator::open(site, command)?;
    let Some(typed) = typed.map(str::trim).filter(|typed| !typed.is_empty()) else {
        let mut open = locator.specs_with_tasks();
        open.retain(has_open_tasks);
        return match open.as_slice() {
            [only] => Ok(only.clone()),
            _ => only_spec(command, &locator),
        };
    };
    FeaturePath::parse(typed).map_err(AppError::usage)?;
    named_spec(command, typed, &locator)
}

/// The specification with this name.
fn named_spec(command: &str, typed: &str, locator: &SpecLocator) -> Result<FeaturePath, AppError> {
    match locator.find(typed)? {
        Some(place) if place.level.unwrap_or_default() == SpecLevel::Spec => Ok(place.path),
        Some(place) => {
            let level = place.level.unwrap_or_default().as_str();
            Err(AppError::usage(format!("{} is a {level}, not a spec", place.path.folder())).hint(format!(
                "Name one of its specs: charrette {}",
                example(command, &format!("{}/NAME", place.path.folder()))
            )))
        }
        None => Err(AppError::usage(format!("Spec '{}' not found.", printable(typed)))
            .hint("List runs and specs: charrette status")
            .hint("Design it first: charrette design \"what you want\"")),
    }
}

/// The only specification of the repository.
fn only_spec(command: &str, locator: &SpecLocator) -> Result<FeaturePath, AppError> {
    let all = locator.specs_with_tasks();
    match all.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(AppError::usage(format!("charrette {command} needs a specification, and there is none"))
            .hint("Design one first: charrette design \"what you want\"")),
        several => {
            let names: Vec<String> = several.iter().map(FeaturePath::folder).collect();
            Err(AppError::usage(format!(
                "say which specification charrette {command} is for: {}",
                names.join(", ")
            ))
            .hint(format!("For example: charrette {}", example(command, &names[0]))))
        }
    }
}

/// A command on a specification, as it is typed.
fn example(command: &str, feature: &str) -> String {
    // The task comes first.
    if command == "done" { format!("{command} T001 {feature}") } else { format!("{command} {feature}") }
}

/// Request of a specification, in the person's words: the request of the design, else the summary of the specification, else its name.
pub(crate) fn request_of_spec(site: &Site, name: &DocumentName) -> String {
    let designed = || {
        let design = DocumentName::new(Command::Design, name.feature().cloned());
        let document = site.documents().load(&design).ok()??.document;
        let request = run_workspace(site, &document).ok()?.read(REQUEST, None).ok()??;
        Some(String::from_utf8_lossy(&request).into_owned())
    };
    let summarised = || {
        let folder = site.root.join(spec_folder(site, name));
        let summary = fs_err::read_to_string(folder.join("summary.md")).ok()?;
        Some(summary_section(&summary)).filter(|text| !text.trim().is_empty())
    };
    let named = || name.feature().map(FeaturePath::folder).unwrap_or_default();
    let text = designed().or_else(summarised).unwrap_or_else(named);
    format!("{}\n", text.trim())
}

/// Text below `## Summary`, up to the next heading or rule.
fn summary_section(text: &str) -> String {
    let lines = text.lines().skip_while(|line| {
        heading(line).is_none_or(|(_, title)| !title.trim().eq_ignore_ascii_case("summary"))
    });
    let section = lines.skip(1).take_while(|line| heading(line).is_none() && line.trim() != "---");
    section.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_ends_at_the_next_heading_or_rule() {
        for (text, summary) in [
            ("# F\n\n## Summary\n\nOne.\nTwo.\n\n---\nx\n", "\nOne.\nTwo.\n"),
            ("# F\n## Summary\nOne.\n## Key Decisions\n- x\n", "One."),
            ("# F\nnothing\n", ""),
        ] {
            assert_eq!(summary_section(text), summary, "{text}");
        }
    }
}
