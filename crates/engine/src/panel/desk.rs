//! From a seat to a call: its step, its prompt, what it reads, how its answer must look.
//!
//! What a seat reads stands in the table of seats. Names there with a `*` are for the flow to fill in, because
//! only the flow knows which files there are.

use super::grammar;
use crate::agent::{AgentCall, Asked, seat as call_for};
use crate::artifact::Input;
use crate::roles::{PinnedRoles, Prompt, Request, RoleError};
use crate::stop::{Flow, Stop};
use charrette_model::panel::decisions::Decision;
use charrette_model::panel::names::{FEEDBACK, MAY_BE_ABSENT};
use charrette_model::seats::{AnswerForm, Group, Seat, SeatTables};
use std::sync::Arc;

/// What the flow asks of each role, as data.
const INSTRUCTIONS: &str = include_str!("../../../../assets/roles/instructions.txt");

/// Where calls are prepared. A copy is cheap.
#[derive(Debug, Clone)]
pub struct Desk(Arc<Outfit>);

/// What every call has in common.
#[derive(Debug)]
pub struct Outfit {
    /// The name of the feature.
    pub feature: String,
    /// The folder of its specification: absolute, with `/` at the end.
    pub spec_path: String,
    /// The date the specification carries.
    pub date: String,
    /// How many words a summary may have.
    pub summary_words: usize,
    /// What each role is told.
    pub roles: PinnedRoles,
    /// Where to look first, best first.
    pub relevant_files: Vec<String>,
    /// Who takes part.
    pub seats: SeatTables,
}

/// A seat and everything it is told.
#[derive(Debug, Clone)]
pub struct Assignment {
    outfit: Arc<Outfit>,
    seat: &'static Seat,
    notes: String,
    decision: Option<Decision>,
}

impl Desk {
    /// A desk with all of that on it.
    pub fn new(outfit: Outfit) -> Desk {
        Desk(Arc::new(outfit))
    }

    /// How many words a summary may have.
    pub(super) fn summary_words(&self) -> usize {
        self.0.summary_words
    }

    /// The seats of a group, in order.
    pub fn group(&self, group: Group) -> Vec<&'static Seat> {
        self.0.seats.group(group).collect()
    }

    /// The seat of that id. The tables have all of them, so a flow that names another is wrong.
    pub fn seat(&self, id: &str) -> Flow<Assignment> {
        let seat = self.0.seats.seat(id);
        let seat = seat.ok_or_else(|| Stop::Failed(format!("there is no seat called {id}")))?;
        Ok(self.assign(seat))
    }

    /// That seat.
    pub fn assign(&self, seat: &'static Seat) -> Assignment {
        Assignment { outfit: self.0.clone(), seat, notes: String::new(), decision: None }
    }

    /// A call of the seat with that id, as the table has it.
    pub fn call(&self, id: &str) -> Flow<AgentCall> {
        self.seat(id)?.call()
    }
}

impl Assignment {
    /// Something else the seat should know.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Assignment {
        self.notes = note.into();
        self
    }

    /// The decision it is about.
    #[must_use]
    pub fn decision(mut self, decision: &Decision) -> Assignment {
        self.decision = Some(decision.clone());
        self
    }

    /// The seat.
    pub fn seat(&self) -> &'static Seat {
        self.seat
    }

    /// The call.
    pub fn call(self) -> Flow<AgentCall> {
        let (seat, words) = (self.seat, self.outfit.summary_words);
        let mut call = call_for(seat.id)
            .step_id(step_id(seat))
            .reads(&inputs(seat))
            .grammar(move |answer| grammar::files(seat, answer, words));
        for name in seat.writes {
            call = call.writes(name);
        }
        let call = call.asks(move || self.asked().map_err(|error| error.to_string()));
        Ok(match seat.form {
            AnswerForm::ContextSummary => {
                call.salvage(move |answer| grammar::cut_summary(seat, answer, words))
            }
            // What does not hold is for the quorum and the tally to say.
            AnswerForm::Defense | AnswerForm::DecisionVotes | AnswerForm::FindingVotes => {
                call.salvage(move |answer| Ok(grammar::as_it_is(seat, answer)))
            }
            AnswerForm::Findings => call.named_by(|agent, _| seat.answer_file(agent).to_owned()),
            _ => call,
        })
    }

    fn asked(&self) -> Result<Asked, RoleError> {
        let Assignment { outfit: desk, seat, notes, decision } = self;
        let role = desk.roles.of_seat(seat)?;
        let mut request = Request::new(seat, role, &desk.feature, &instructions(seat, &desk.date, notes));
        request.context.spec_path = Some(desk.spec_path.clone()).filter(|path| !path.is_empty());
        request.context.relevant_files.clone_from(&desk.relevant_files);
        let prompt = Prompt::new(role, seat, &request).summary_words(desk.summary_words);
        let prompt = match decision {
            Some(decision) => prompt.decision(decision).render()?,
            None => prompt.render()?,
        };
        Ok(Asked { prompt, model: role.model.clone() })
    }
}

fn instructions(seat: &Seat, date: &str, notes: &str) -> String {
    let line =
        INSTRUCTIONS.lines().filter_map(|line| line.split_once(": ")).find(|(role, _)| *role == seat.role);
    let text = line.map_or("Take your seat. {notes}", |(_, text)| text);
    text.replace("{date}", date).replace("{notes}", notes).trim_end().to_owned()
}

/// The step a seat works in. Panels have a name in front, so that they stand together.
pub(crate) fn step_id(seat: &Seat) -> String {
    let id = seat.id;
    match seat.group {
        Some(Group::Researchers) => format!("research/{}", seat.variant.unwrap_or(id)),
        Some(Group::Sketches) => format!("sketch/{id}"),
        Some(Group::Debaters) => id.replacen("debate-", "debate/", 1),
        Some(Group::Judges) => format!("judge/{id}"),
        Some(Group::Reviewers) => format!("review/{id}"),
        Some(Group::Voters) => format!("vote/{id}"),
        Some(Group::Lead) | None => id.to_owned(),
    }
}

fn inputs(seat: &Seat) -> Vec<Input> {
    let names = seat.reads.iter().filter(|name| !name.contains('*') || **name == FEEDBACK);
    names
        .flat_map(|name| match *name {
            FEEDBACK => feedback().to_vec(),
            name if MAY_BE_ABSENT.contains(&name) => vec![Input::optional(name)],
            name => vec![Input::Artifact(name.to_owned())],
        })
        .collect()
}

/// What a person wanted changed, in each round of revision.
pub(crate) fn feedback() -> [Input; 3] {
    [1, 2, 3].map(|round| Input::optional(format!("feedback-round{round}.md")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::design::level_seats;
    use crate::flows::seats;
    use charrette_model::spec::resolver::Level;
    use std::collections::HashSet;

    fn desk() -> Desk {
        Desk::new(Outfit {
            feature: "add-login".to_owned(),
            spec_path: "/repo/specs/add-login/".to_owned(),
            date: "2026-01-31".to_owned(),
            summary_words: 500,
            roles: PinnedRoles::built_in(seats()),
            relevant_files: vec!["src/auth.rs".to_owned()],
            seats: seats(),
        })
    }

    #[test]
    fn every_seat_has_a_step_of_its_own_and_instructions() {
        for level in Level::ALL {
            let seats = level_seats(level);
            let steps: HashSet<String> = seats.every().map(step_id).collect();
            assert_eq!(steps.len(), seats.every().count());
        }
        for seat in seats().every() {
            let told = instructions(seat, "2026-01-31", "");
            assert_ne!(told, "Take your seat.", "{}", seat.id);
            assert!(!told.contains(['{', '}']), "{told}");
        }
    }

    #[test]
    fn every_seat_can_be_called() {
        let decision = Decision {
            n: 1,
            title: "Store".to_owned(),
            chosen: "Memory.".to_owned(),
            alternative: "Disk.".to_owned(),
            tension: "Speed.".to_owned(),
            impact: charrette_model::panel::decisions::Impact::High,
            affected_files: Vec::new(),
        };
        for seat in seats().every() {
            let assignment = desk().assign(seat).decision(&decision);
            assert!(assignment.asked().is_ok() && assignment.call().is_ok(), "{}", seat.id);
        }
    }
}
