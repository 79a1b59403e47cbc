//! Man pages: one for each visible command, generated from its clap definition.

use crate::TaskResult;
use clap::Command;
use clap_mangen::Man;
use std::path::Path;

/// Writes all pages into a folder.
pub(crate) fn write(folder: &Path) -> TaskResult {
    fs_err::create_dir_all(folder)?;
    for (name, page) in render_pages()? {
        fs_err::write(folder.join(name), page)?;
    }
    Ok(())
}

/// Renders all pages, with their file names.
fn render_pages() -> TaskResult<Vec<(String, String)>> {
    let mut program =
        charrette_cli::commands::definition(&charrette_app::App::product()).disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    render(&program, &mut pages)?;
    Ok(pages)
}

fn render(command: &Command, pages: &mut Vec<(String, String)>) -> TaskResult {
    let source = format!("charrette {}", super::VERSION);
    let man = Man::new(command.clone()).source(source).manual("charrette");
    let mut page = Vec::new();
    man.render(&mut page)?;
    pages.push((man.get_filename(), String::from_utf8(page)?));
    command.get_subcommands().filter(|inner| !inner.is_hide_set()).try_for_each(|inner| render(inner, pages))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Arg;

    /// Calls `visit` for each visible command with the name of its page.
    fn for_each_command(command: &Command, name: &str, visit: &mut impl FnMut(&Command, &str)) {
        visit(command, name);
        for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
            for_each_command(inner, &format!("{name}-{}", inner.get_name()), visit);
        }
    }

    #[test]
    fn every_visible_command_has_a_page_and_nothing_else_has() {
        let mut expected = Vec::new();
        for_each_command(
            &charrette_cli::commands::definition(&charrette_app::App::product()),
            "charrette",
            &mut |_, name| {
                expected.push(format!("{name}.1"));
            },
        );
        let names: Vec<String> = render_pages().unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, expected);
        for name in ["charrette.1", "charrette-design.1", "charrette-checkpoint-update-phase.1"] {
            assert!(names.iter().any(|page| page == name), "{name}");
        }
    }

    #[test]
    fn hidden_commands_are_on_no_page() {
        for (name, page) in render_pages().unwrap() {
            assert!(!strip_markup(&page).contains("design-heavy"), "{name}");
        }
    }

    #[test]
    fn each_page_names_the_options_of_its_command() {
        let pages = render_pages().unwrap();
        let mut checked = 0;
        for_each_command(
            &charrette_cli::commands::definition(&charrette_app::App::product()),
            "charrette",
            &mut |command, name| {
                let page = pages.iter().find(|(page, _)| *page == format!("{name}.1")).unwrap();
                let text = strip_markup(&page.1);
                let usage = command.get_overridden_usage().map(ToString::to_string).unwrap_or_default();
                let in_usage = usage.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
                let in_usage = in_usage.filter(|word| word.starts_with("--")).map(str::to_owned);
                let visible = command.get_arguments().filter(|arg| !arg.is_hide_set());
                let defined = visible.filter_map(Arg::get_long).map(|long| format!("--{long}"));
                for option in in_usage.chain(defined) {
                    assert!(text.contains(&option), "{name}.1 does not name {option}");
                    checked += 1;
                }
            },
        );
        assert!(checked > 80, "only {checked} options were checked");
    }

    /// A page without roff markup.
    fn strip_markup(page: &str) -> String {
        page.replace("\\-", "-").replace("\\fB", "").replace("\\fI", "").replace("\\fR", "")
    }
}
