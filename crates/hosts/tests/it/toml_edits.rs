//! Edits of TOML by the places of its sections.

use charrette_hosts::toml_text::{Member, add_section, remove_section, set_members};

fn member(name: &str, value: &str) -> Member {
    Member { name: name.to_owned(), value: value.to_owned(), comment: None }
}

#[test]
fn members_are_set_where_they_stand_and_new_ones_follow_the_last() {
    for (before, after) in [
        ("[v]\na = 1\n", "[v]\na = 2\nb = 3\n"),
        ("[v]\na = 1", "[v]\na = 2\nb = 3\n"),
        ("[v]", "[v]\na = 2\nb = 3\n"),
        ("[v]\r\na = 1 # x\r\n\r\n[w]\r\n", "[v]\r\na = 2 # x\r\nb = 3\r\n\r\n[w]\r\n"),
        ("[v] # head\n# a = 0\n\n[w]\na = 1\n", "[v] # head\na = 2\nb = 3\n# a = 0\n\n[w]\na = 1\n"),
        (
            "[v]\na = [\n  1, # one\n]\nz.y = 1\n\n[v.sub]\na = 9\n",
            "[v]\na = 2\nz.y = 1\nb = 3\n\n[v.sub]\na = 9\n",
        ),
        ("[v]\nb = { c = 1 }\na = \"\"\"\n[v]\n\"\"\"\n[x.y]\n", "[v]\nb = 3\na = 2\n[x.y]\n"),
        ("[v.sub]\nx = 1\n[v]\na = 1\n", "[v.sub]\nx = 1\n[v]\na = 2\nb = 3\n"),
    ] {
        let set = set_members(before, &["v"], &[member("a", "2"), member("b", "3")]).unwrap();
        assert_eq!(set.as_deref(), Some(after), "{before}");
    }
}

#[test]
fn members_of_other_forms_are_not_set() {
    for text in
        ["", "v = { a = 1 }\n", "v.a = 1\n", "[v.a]\nx = 1\n", "[v]\n[v.a]\nx = 1\n", "[[v]]\na = 1\n"]
    {
        assert_eq!(set_members(text, &["v"], &[member("a", "2")]).unwrap(), None, "{text}");
    }
    assert!(set_members("[v]\na = = 1\n", &["v"], &[member("a", "2")]).is_err());
}

#[test]
fn a_section_is_removed_with_everything_below_it_and_nothing_else() {
    for (before, after) in [
        ("[a]\nx = 1\n\n[s.c]\ny = 2\n", "[a]\nx = 1\n"),
        ("[s.c]\ny = 2 # two\n# stays\n[a]\nx = 1\n", "# stays\n[a]\nx = 1\n"),
        ("[s.c]\ny = 2\n[[s.c.l]]\nz = 1\n[[s.c.l]]\nz = [\n  1,\n]\n[a]\n", "[a]\n"),
        ("[s]\nq = 1\n[s.c.d.e]\nz = 1\n[s.c]\ny = { a = [1] }\n", "[s]\nq = 1\n"),
        ("\r\n[s.c]\r\ny = 2\r\n", ""),
    ] {
        assert_eq!(remove_section(before, &["s", "c"]).unwrap().as_deref(), Some(after), "{before}");
    }
    assert_eq!(remove_section("s.c.y = 1\n", &["s", "c"]).unwrap(), None);
}

#[test]
fn an_added_section_is_separated_and_may_not_exist() {
    let add = |text: &str| add_section(text, &["s", "c"], &[member("y", "2")]);
    assert_eq!(add("").unwrap(), "[s.c]\ny = 2\n");
    assert_eq!(add("a = 1").unwrap(), "a = 1\n\n[s.c]\ny = 2\n");
    assert!(add("[s.c]\n").is_err() && add("s = 1\n").is_err() && add("s = {}\n").is_err());
}
