//! The seats of any number of flows, as a value. Seats that sit together are in one table.

use super::seat::{Group, Seat};
use std::sync::Arc;

/// Tables of seats. A copy is cheap.
#[derive(Debug, Clone, Default)]
pub struct SeatTables(Arc<[&'static [Seat]]>);

impl SeatTables {
    /// These tables. Every id must be in one of them only.
    pub fn new(tables: Vec<&'static [Seat]>) -> SeatTables {
        SeatTables(tables.into())
    }

    /// The seat of that id.
    pub fn seat(&self, id: &str) -> Option<&'static Seat> {
        self.every().find(|seat| seat.id == id)
    }

    /// Whether there is a seat of that id.
    pub fn contains(&self, id: &str) -> bool {
        self.seat(id).is_some()
    }

    /// Every seat of every table, in order.
    pub fn every(&self) -> impl Iterator<Item = &'static Seat> + use<> {
        let tables = self.0.clone();
        (0..tables.len()).flat_map(move |n| tables[n])
    }

    /// The seats of a group, at whatever table, in order.
    pub fn group(&self, group: Group) -> impl Iterator<Item = &'static Seat> + use<> {
        self.every().filter(move |seat| seat.group == Some(group))
    }

    /// The seats of one group that sit at the same table as this one, itself included.
    pub fn peers(&self, seat: &Seat) -> impl Iterator<Item = &'static Seat> + use<> {
        let is_there = |table: &&&'static [Seat]| table.iter().any(|one| one.id == seat.id);
        let table = self.0.iter().find(is_there).copied().unwrap_or_default();
        let group = seat.group;
        table.iter().filter(move |one| one.group == group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seats::{AnswerForm, ClockFamily};

    const fn seat(id: &'static str, group: Option<Group>) -> Seat {
        Seat {
            id,
            group,
            step: "1",
            phase: "all",
            role: "role",
            variant: None,
            reads: &[],
            writes: &[],
            fallback_names: &[],
            form: AnswerForm::Plan,
            first: &[],
            clock: ClockFamily::Sketch,
            embedded: true,
            flips_health: false,
        }
    }

    const LARGE: &[Seat] =
        &[seat("a", Some(Group::Voters)), seat("lead", Some(Group::Lead)), seat("b", Some(Group::Voters))];
    const SMALL: &[Seat] = &[seat("c", Some(Group::Voters)), seat("alone", None)];

    fn ids(seats: impl Iterator<Item = &'static Seat>) -> String {
        seats.map(|seat| seat.id).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn seats_of_several_flows_are_found_together() {
        let tables = SeatTables::new(vec![LARGE, SMALL]);
        assert_eq!(ids(tables.every()), "a lead b c alone");
        assert_eq!(ids(tables.group(Group::Voters)), "a b c");
        assert_eq!(tables.seat("c"), Some(&SMALL[0]));
        assert!(tables.contains("alone") && !tables.contains("d"));
        assert_eq!(SeatTables::default().every().count(), 0);
    }

    #[test]
    fn peers_share_a_table_and_a_group() {
        let tables = SeatTables::new(vec![LARGE, SMALL]);
        for (id, peers) in [("a", "a b"), ("b", "a b"), ("c", "c"), ("lead", "lead"), ("alone", "alone")] {
            assert_eq!(ids(tables.peers(tables.seat(id).unwrap())), peers, "{id}");
        }
        assert_eq!(ids(tables.peers(&seat("elsewhere", Some(Group::Voters)))), "");
    }

    #[test]
    fn an_answer_is_called_after_its_seat_unless_a_stand_in_has_a_name_for_it() {
        let named = Seat { writes: &["a.txt"], fallback_names: &[("b", "b-for-a.txt")], ..seat("a", None) };
        assert_eq!(["a", "b", "c"].map(|agent| named.answer_file(agent)), ["a.txt", "b-for-a.txt", "a.txt"]);
        assert_eq!(seat("a", None).answer_file("b"), "a");
    }
}
