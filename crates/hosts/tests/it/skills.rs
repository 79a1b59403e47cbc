//! Skills in the folders that clients read, and the rule of Cursor.

use crate::bench::{Bench, snapshot};
use charrette_hosts::{Client, Part};

const SHARED: &str = ".agents/skills/charrette-design/SKILL.md";

#[test]
fn clients_share_one_folder_but_for_claude_code() {
    let bench = Bench::new();
    let before = snapshot(&bench.root());
    let scope = bench.repository();
    // Two skills in two folders, and the rule.
    assert_eq!(bench.install_parts(&Client::ALL, &scope, &[Part::Skills]), 5);
    assert!(bench.root().join(".claude/skills/charrette-status/SKILL.md").exists());
    assert!(bench.sandbox.read(SHARED).starts_with("---\nname: charrette-design\n"));
    let rule = bench.sandbox.read(".cursor/rules/charrette.mdc");
    assert!(rule.starts_with("---\ndescription: ") && rule.contains("\nalwaysApply: false\n---\n"), "{rule}");
    assert_eq!(bench.install_parts(&Client::ALL, &scope, &[Part::Skills]), 0);
    assert_eq!(bench.remove_parts(&Client::ALL, &scope, &[Part::Skills]), 5);
    assert_eq!(snapshot(&bench.root()), before);
}

#[test]
fn shared_skills_stay_while_another_client_has_charrette() {
    let bench = Bench::new();
    let before = snapshot(&bench.root());
    let scope = bench.repository();
    bench.install_parts(&[Client::Codex, Client::Gemini], &scope, &Part::ALL);
    bench.remove(Client::Codex, &scope);
    assert!(bench.root().join(SHARED).exists() && !bench.root().join(".codex").exists());
    bench.remove(Client::Gemini, &scope);
    assert_eq!(snapshot(&bench.root()), before);
}

#[test]
fn folders_go_away_with_the_last_part() {
    let bench = Bench::new();
    let before = snapshot(&bench.root());
    let scope = bench.repository();
    for part in Part::ALL {
        bench.install_parts(&[Client::Claude], &scope, &[part]);
    }
    for part in Part::ALL {
        bench.remove_parts(&[Client::Claude], &scope, &[part]);
    }
    assert_eq!(snapshot(&bench.root()), before);
}

#[test]
fn skills_of_an_earlier_version_are_updated_or_removed() {
    let bench = Bench::new();
    let scope = bench.repository();
    bench.install_parts(&[Client::Codex], &scope, &[Part::Skills]);
    let old = bench.sandbox.read(SHARED);
    bench.sandbox.write(SHARED, old.replace("About design", "About something else"));
    bench.sandbox.write(".agents/skills/charrette-gone/SKILL.md", &old);
    bench.sandbox.write(".agents/skills/charrette-mine/SKILL.md", "---\nname: charrette-mine\n---\nmine\n");
    let plan = bench.plan_parts(&[Client::Codex], &scope, &[Part::Skills]);
    let reasons: Vec<&str> =
        plan.changes.iter().flat_map(|change| &change.reasons).map(String::as_str).collect();
    assert_eq!(reasons, ["it is not as init writes it", "it is not needed any more"]);
    bench.carry_out(&plan);
    assert_eq!(bench.sandbox.read(SHARED), old);
    assert!(!bench.root().join(".agents/skills/charrette-gone/SKILL.md").exists());
    bench.remove(Client::Codex, &scope);
    assert!(!bench.root().join(SHARED).exists());
    assert!(bench.root().join(".agents/skills/charrette-mine/SKILL.md").exists());
}
