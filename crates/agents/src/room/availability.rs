//! Which of the external reviewers are not there or do not answer, and who sits in their place.

use super::shared::{Room, chain_of};
use crate::profile::Agent;
use charrette_model::gate::texts;
use charrette_model::seats::chain::stated;
use charrette_model::seats::{CLAUDE, EMBEDDED, Group, Seat};
use futures_util::future::join_all;

/// The external reviewers: agent, and what people call it.
const REVIEWERS: [(&str, &str); 2] = [("codex", "Codex"), ("cursor", "Cursor")];

/// What people should know about the external reviewers, one line each; nothing about one that no seat is meant
/// for. With `probing`, and unless the configuration says not to, those that are installed are asked whether they
/// work; the room remembers what they say, so nobody is asked twice.
pub async fn availability(room: &Room, probing: bool) -> Vec<String> {
    let probing = probing && room.rules().probes;
    let wanted = REVIEWERS.iter().filter_map(|(agent, name)| Some((agent, name, own_seat(room, agent)?)));
    let lines = wanted.map(|(agent, name, seat)| async move {
        let installed = room.roster().get(agent).filter(|agent| agent.is_installed(room.surroundings()));
        let Some(agent) = installed else { return Some(texts::tool_missing(name)) };
        if !probing && !is_known_to_fail(room, &agent.name) {
            return None;
        }
        let reason = failure(room, agent).await?;
        let replacement = replacement(room, seat.id, probing).await;
        Some(texts::tool_unhealthy(name, Some(&reason), replacement.as_deref()))
    });
    join_all(lines).await.into_iter().flatten().collect()
}

/// A seat that is first of all that agent's, a reviewer's if there is one; none if no seat is meant for it.
fn own_seat(room: &Room, agent: &str) -> Option<&'static Seat> {
    let is_meant = |seat: &&Seat| stated(seat, &room.rules().seats).iter().any(|name| name == agent);
    let meant: Vec<&'static Seat> = room.seats().every().filter(is_meant).collect();
    let is_first = |seat: &&&'static Seat| seat.first.first() == Some(&agent);
    let reviewer = meant.iter().filter(|seat| seat.group == Some(Group::Reviewers)).find(is_first);
    reviewer.or_else(|| meant.iter().find(is_first)).or_else(|| meant.first()).copied()
}

/// Why an agent does not work, if it does not. An agent that could not finish its answer because the run was asked
/// to end has not failed.
async fn failure(room: &Room, agent: &Agent) -> Option<String> {
    let works = room.probe(agent).await.works;
    works.err().filter(|_| is_known_to_fail(room, &agent.name))
}

fn is_known_to_fail(room: &Room, agent: &str) -> bool {
    room.candidates().iter().any(|it| it.name == agent && it.healthy == Some(false))
}

/// Who really takes the seat: the first of its chain that answers, or would be asked.
async fn replacement(room: &Room, seat: &str, probing: bool) -> Option<String> {
    for name in chain_of(seat, room.seats(), room.rules(), &room.candidates()) {
        if name == EMBEDDED {
            return Some("embedded agent".to_owned());
        }
        let Some(agent) = room.roster().get(&name) else { continue };
        let fails =
            if probing { failure(room, agent).await.is_some() } else { is_known_to_fail(room, &name) };
        if !fails {
            return Some(shown_name(&name));
        }
    }
    None
}

/// As people write it.
fn shown_name(agent: &str) -> String {
    match agent {
        CLAUDE => "Claude".to_owned(),
        "codex" => "Codex".to_owned(),
        "cursor" => "Cursor".to_owned(),
        "gemini" => "Gemini".to_owned(),
        other => other.to_owned(),
    }
}
