//! Prompts for hosts that show them: one for each command of the registry.

use charrette_app::App;
use rmcp::model::{GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};

/// A prompt for each command.
pub(crate) fn list(app: &App) -> Vec<Prompt> {
    let prompt = |flow: &charrette_app::launch::Flow| {
        let request = PromptArgument::new("request").with_description(flow.argument).with_required(true);
        Prompt::new(flow.command.as_str(), Some(flow.about), Some(vec![request]))
    };
    app.registry.all().map(prompt).collect()
}

/// The text of a prompt; none if no command has this name.
pub(crate) fn get(app: &App, name: &str, request: Option<&str>) -> Option<GetPromptResult> {
    let flow = app.registry.get(name)?;
    let command = flow.command.as_str();
    let request = request.map_or_else(
        || "Ask the user for the request first.".to_owned(),
        |text| format!("The request: {text}"),
    );
    let text = format!(
        "Use the charrette tools. Call start with command {command} and the request in the user's own words; then call wait until \
         the look asks something or is complete. At a gate, show its page to the user, ask them, and hand in their words with \
         answer. Approvals are theirs alone. At the end, say which files were written.\n\n{request}"
    );
    let mut result = GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]);
    result.description = Some(flow.about.to_owned());
    Some(result)
}
