//! Messages about external reviewers that are missing or unhealthy, with their replacements.

use super::state::AgentPool;
use crate::profile::Agent;
use charrette_model::gate::texts;
use charrette_model::seats::chain::declared_chain;
use charrette_model::seats::{CLAUDE, EMBEDDED, Seat, SeatGroup};
use futures_util::future::join_all;

/// External reviewers: agent name and display name.
const REVIEWERS: [(&str, &str); 2] = [("codex", "Codex"), ("cursor", "Cursor")];

/// Messages about the external reviewers, one line each; none about a reviewer without a seat. With `probing`,
/// and unless the configuration disables it, installed reviewers are probed; the pool caches the results.
pub async fn availability(pool: &AgentPool, probing: bool) -> Vec<String> {
    let probing = probing && pool.policy().probes;
    let wanted = REVIEWERS.iter().filter_map(|(agent, name)| Some((agent, name, own_seat(pool, agent)?)));
    let lines = wanted.map(|(agent, name, seat)| async move {
        let installed = pool.roster().get(agent).filter(|agent| agent.is_installed(pool.host()));
        let Some(agent) = installed else { return Some(texts::tool_missing(name)) };
        if !probing && !is_unhealthy(pool, &agent.name) {
            return None;
        }
        let reason = failure(pool, agent).await?;
        let replacement = replacement(pool, seat.id, probing).await;
        Some(texts::tool_unhealthy(name, Some(&reason), replacement.as_deref()))
    });
    join_all(lines).await.into_iter().flatten().collect()
}

/// A seat of the agent, preferably as first choice and as reviewer; `None` if it has no seat.
fn own_seat(pool: &AgentPool, agent: &str) -> Option<&'static Seat> {
    let has_agent =
        |seat: &&Seat| declared_chain(seat, &pool.policy().seats).iter().any(|name| name == agent);
    let own: Vec<&'static Seat> = pool.seats().all().filter(has_agent).collect();
    let is_first = |seat: &&&'static Seat| seat.preferred.first() == Some(&agent);
    let reviewer = own.iter().filter(|seat| seat.group == Some(SeatGroup::Reviewers)).find(is_first);
    reviewer.or_else(|| own.iter().find(is_first)).or_else(|| own.first()).copied()
}

/// The reason an agent is unhealthy. An agent that was interrupted by a cancellation has not failed.
async fn failure(pool: &AgentPool, agent: &Agent) -> Option<String> {
    let health = pool.probe(agent).await.health;
    health.err().filter(|_| is_unhealthy(pool, &agent.name))
}

fn is_unhealthy(pool: &AgentPool, agent: &str) -> bool {
    pool.candidates().iter().any(|it| it.name == agent && it.healthy == Some(false))
}

/// The agent that takes the seat: the first healthy one of its chain.
async fn replacement(pool: &AgentPool, seat: &str, probing: bool) -> Option<String> {
    for name in pool.seat_chain(seat) {
        if name == EMBEDDED {
            return Some("embedded agent".to_owned());
        }
        let Some(agent) = pool.roster().get(&name) else { continue };
        let fails = if probing { failure(pool, agent).await.is_some() } else { is_unhealthy(pool, &name) };
        if !fails {
            return Some(display_name(&name));
        }
    }
    None
}

fn display_name(agent: &str) -> String {
    match agent {
        CLAUDE => "Claude".to_owned(),
        "codex" => "Codex".to_owned(),
        "cursor" => "Cursor".to_owned(),
        "gemini" => "Gemini".to_owned(),
        other => other.to_owned(),
    }
}
