//! Seats of any number of flows. Seats of one panel are in one table.

use super::seat::{Seat, SeatGroup};
use std::sync::Arc;

/// Tables of seats; cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct SeatTables(Arc<[&'static [Seat]]>);

impl SeatTables {
    /// Every id must be in one table only.
    pub fn new(tables: Vec<&'static [Seat]>) -> SeatTables {
        SeatTables(tables.into())
    }

    pub fn seat(&self, id: &str) -> Option<&'static Seat> {
        self.all().find(|seat| seat.id == id)
    }

    pub fn contains(&self, id: &str) -> bool {
        self.seat(id).is_some()
    }

    /// All seats of all tables, in order.
    pub fn all(&self) -> impl Iterator<Item = &'static Seat> + use<> {
        let tables = self.0.clone();
        (0..tables.len()).flat_map(move |n| tables[n])
    }

    /// The seats of a group in all tables, in order.
    pub fn group(&self, group: SeatGroup) -> impl Iterator<Item = &'static Seat> + use<> {
        self.all().filter(move |seat| seat.group == Some(group))
    }

    /// The seats in the same table and group as `seat`, itself included.
    pub fn peers(&self, seat: &Seat) -> impl Iterator<Item = &'static Seat> + use<> {
        let group = seat.group;
        self.table_of(seat).iter().filter(move |one| one.group == group)
    }

    /// The seats that are planned together with `seat`, itself included: its peers if it is a voice of a panel, and
    /// for a judge the debaters, whose vendors decide who replaces it.
    pub fn panel(&self, seat: &'static Seat) -> Vec<&'static Seat> {
        match seat.group {
            Some(SeatGroup::Judges) => {
                let together = [Some(SeatGroup::Debaters), seat.group];
                self.table_of(seat).iter().filter(|one| together.contains(&one.group)).collect()
            }
            _ if seat.is_panel() => self.peers(seat).collect(),
            _ => vec![seat],
        }
    }

    fn table_of(&self, seat: &Seat) -> &'static [Seat] {
        let is_there = |table: &&&'static [Seat]| table.iter().any(|one| one.id == seat.id);
        self.0.iter().find(is_there).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seats::{AnswerForm, ClockFamily};

    const fn seat(id: &'static str, group: Option<SeatGroup>) -> Seat {
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
            preferred: &[],
            clock: ClockFamily::Sketch,
            embedded: true,
            flips_health: false,
        }
    }

    const LARGE: &[Seat] = &[
        seat("a", Some(SeatGroup::Voters)),
        seat("lead", Some(SeatGroup::Lead)),
        seat("b", Some(SeatGroup::Voters)),
    ];
    const SMALL: &[Seat] = &[seat("c", Some(SeatGroup::Voters)), seat("alone", None)];

    fn ids(seats: impl Iterator<Item = &'static Seat>) -> String {
        seats.map(|seat| seat.id).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn seats_of_several_flows_are_found_together() {
        let tables = SeatTables::new(vec![LARGE, SMALL]);
        assert_eq!(ids(tables.all()), "a lead b c alone");
        assert_eq!(ids(tables.group(SeatGroup::Voters)), "a b c");
        assert_eq!(tables.seat("c"), Some(&SMALL[0]));
        assert!(tables.contains("alone") && !tables.contains("d"));
        assert_eq!(SeatTables::default().all().count(), 0);
    }

    #[test]
    fn peers_share_a_table_and_a_group() {
        let tables = SeatTables::new(vec![LARGE, SMALL]);
        for (id, peers) in [("a", "a b"), ("b", "a b"), ("c", "c"), ("lead", "lead"), ("alone", "alone")] {
            assert_eq!(ids(tables.peers(tables.seat(id).unwrap())), peers, "{id}");
        }
        assert_eq!(ids(tables.peers(&seat("elsewhere", Some(SeatGroup::Voters)))), "");
    }

    #[test]
    fn a_panel_is_planned_together_and_judges_with_the_debaters() {
        const TABLE: &[Seat] = &[
            seat("thesis", Some(SeatGroup::Debaters)),
            seat("lead", Some(SeatGroup::Lead)),
            seat("chief", Some(SeatGroup::Lead)),
            seat("judge-1", Some(SeatGroup::Judges)),
            seat("judge-2", Some(SeatGroup::Judges)),
        ];
        let tables = SeatTables::new(vec![SMALL, TABLE]);
        for (id, panel) in
            [("judge-2", "thesis judge-1 judge-2"), ("thesis", "thesis"), ("lead", "lead"), ("c", "c")]
        {
            assert_eq!(ids(tables.panel(tables.seat(id).unwrap()).into_iter()), panel, "{id}");
        }
    }

    #[test]
    fn fallback_agents_may_have_their_own_answer_file() {
        let named = Seat { writes: &["a.txt"], fallback_names: &[("b", "b-for-a.txt")], ..seat("a", None) };
        assert_eq!(["a", "b", "c"].map(|agent| named.answer_file(agent)), ["a.txt", "b-for-a.txt", "a.txt"]);
        assert_eq!(seat("a", None).answer_file("b"), "a");
    }
}
