//! Sample requests: to show a prompt, and to validate a definition when it is loaded.

use super::prompt::Prompt;
use super::request::HandoffRequest;
use super::role::{Role, RoleError};
use charrette_model::panel::decisions::{Decision, Impact};
use charrette_model::seats::{Seat, SeatGroup};

/// Renders the prompt of a seat for a sample feature.
pub fn render(role: &Role, seat: &Seat) -> Result<String, RoleError> {
    let request = request(role, seat);
    let decision = decision();
    let prompt = Prompt::new(role, seat, &request);
    match seat.group {
        Some(SeatGroup::Debaters) => prompt.decision(&decision).render(),
        Some(SeatGroup::Investigators) => prompt.inquiry(INQUIRY).render(),
        _ => prompt.render(),
    }
}

/// Question of a sample investigation.
const INQUIRY: &str = "### QUESTION_1: Who closes idle connections?\n\
    - **Question**: Does the server close a connection that sends nothing?\n\
    - **Must be true**: A silent client cannot hold a connection for ever.\n\
    - **Breaks if not**: A few clients could hold all connections.\n";

fn request(role: &Role, seat: &Seat) -> HandoffRequest {
    let mut request =
        HandoffRequest::new(seat, role, "add-rate-limiting", "(What the flow asks of this seat.)");
    request.context.relevant_files = vec!["src/http/mod.rs".to_owned()];
    request.context.constraints = vec!["No new dependency.".to_owned()];
    request.context.previous_summary = Some("(What earlier seats found.)".to_owned());
    request
}

fn decision() -> Decision {
    Decision {
        n: 1,
        title: "Where counts live".to_owned(),
        chosen: "In memory.".to_owned(),
        alternative: "In the database.".to_owned(),
        tension: "Speed against memory across restarts.".to_owned(),
        impact: Impact::High,
        affected_files: vec!["src/http/limit.rs".to_owned()],
    }
}
