//! `[seats]` of the configuration: chains by seat or by group, and warnings for entries without effect.

use super::chain::{ANY_OTHER, Candidate, ConfiguredChains, EMBEDDED, check_rules};
use super::seat::{Seat, SeatGroup};
use super::tables::SeatTables;
use crate::config::Settings;
use crate::escape::printable;
use crate::nearest::did_you_mean;

/// The configured chains, by seat id or group name.
pub fn chains(settings: &Settings) -> ConfiguredChains {
    let set = settings.all().iter().filter_map(|(key, setting)| {
        let names = setting.value.as_array()?.iter().filter_map(|name| name.as_str().map(str::to_owned));
        Some((key.strip_prefix("seats.")?.to_owned(), names.collect()))
    });
    set.collect()
}

/// Problems of the chains, one line each: unknown seats, unknown agents, and agents excluded from the seat.
pub fn problems(configured: &ConfiguredChains, tables: &SeatTables, candidates: &[Candidate]) -> Vec<String> {
    let mut problems = Vec::new();
    for (key, names) in configured {
        let seats = seats_of(key, tables);
        if seats.is_empty() {
            let known = tables.all().map(|seat| seat.id).chain(SeatGroup::ALL.map(SeatGroup::name));
            let hint = did_you_mean(key, known);
            problems.push(format!("seats.{}: no such seat or group{hint}", printable(key)));
            continue;
        }
        for name in names.iter().filter(|name| *name != ANY_OTHER) {
            let Some(candidate) = candidates.iter().find(|candidate| candidate.name == *name) else {
                let known = candidates.iter().map(|candidate| candidate.name.as_str());
                let hint = did_you_mean(name, known);
                problems.push(format!("seats.{key}: no such agent: {}{hint}", printable(name)));
                continue;
            };
            let mut refusals = seats.iter().map(|seat| check_rules(seat, candidate, candidates).err());
            let why = refusals.next().flatten().filter(|_| refusals.all(|why| why.is_some()));
            match why {
                Some(_) if name == EMBEDDED => {
                    problems.push(format!("seats.{key}: the {EMBEDDED} agent may not take this seat"));
                }
                Some(why) => problems.push(format!("seats.{key}: {name} {why}")),
                None => {}
            }
        }
    }
    problems
}

fn seats_of(key: &str, tables: &SeatTables) -> Vec<&'static Seat> {
    match SeatGroup::from_name(key) {
        Some(group) => tables.group(group).collect(),
        None => tables.seat(key).into_iter().collect(),
    }
}
