//! A team's own definitions: they take the place of built-in ones, and a broken one is refused.

use crate::seats::seat;
use charrette_engine::flows::seats;
use charrette_engine::roles::{ROLE_FOLDER, Role, RoleError, Roles, TextOrigin, built_in, sample};
use charrette_testkit::Sandbox;
use std::path::{Path, PathBuf};

fn load(sandbox: &Sandbox) -> Roles {
    Roles::load(&sandbox.work(), Path::new(ROLE_FOLDER), &seats())
}

fn own(sandbox: &Sandbox, name: &str, text: &str) {
    sandbox.write(&format!("{ROLE_FOLDER}/{name}.md"), text);
}

fn prompt(role: &Role, id: &str) -> String {
    sample::render(role, seat(id).unwrap()).unwrap()
}

#[test]
fn without_a_folder_the_built_in_roles_are_used() {
    let sandbox = Sandbox::new();
    let roles = load(&sandbox);
    assert_eq!(roles.problems(), []);
    assert!(roles.all().all(|(_, role)| role.unwrap().origin == TextOrigin::BuiltIn));
    assert_eq!(roles.get("nobody").unwrap_err().to_string(), "unknown role nobody");
}

#[test]
fn a_file_takes_the_place_of_the_role_of_its_name() {
    let sandbox = Sandbox::new();
    own(
        &sandbox,
        "judge",
        "---\nname: judge\nmodel: big\nweb: true\nmax_words: 7\n---\n# Ours\n{% include \"parts/rules.md\" %}\n{{ role.max_words }}\n",
    );
    let roles = load(&sandbox);
    assert_eq!(roles.problems(), []);
    let judge = roles.get("judge").unwrap();
    assert_eq!(judge.origin, TextOrigin::File(PathBuf::from(".charrette/roles/judge.md")));
    assert_eq!((judge.model.as_deref(), judge.web, judge.max_words), (Some("big"), true, Some(7)));
    assert_eq!(judge.writes.len(), 3, "what is left out is as in the built-in one");
    let text = prompt(judge, "judge-codex");
    assert!(
        text.starts_with("# Ours\n## Ground rules\n") && text.contains("look things up on the web"),
        "{text}"
    );
    assert!(text.ends_with("\n7\n"), "{text}");
    assert_eq!(roles.get("voter").unwrap().origin, TextOrigin::BuiltIn);
}

#[test]
fn a_shared_part_can_be_replaced_for_everyone() {
    let sandbox = Sandbox::new();
    own(&sandbox, "parts/rules", "## House rules\n\n- Be brief.\n");
    let roles = load(&sandbox);
    assert_eq!(roles.problems(), []);
    for id in ["judge-codex", "planner", "cursor-arch"] {
        let text = prompt(roles.for_seat(seat(id).unwrap()).unwrap(), id);
        assert!(
            text.contains("## House rules\n\n- Be brief.\n") && !text.contains("## Ground rules"),
            "{id}"
        );
    }
}

#[test]
fn a_copy_of_a_built_in_role_is_the_same_role() {
    let sandbox = Sandbox::new();
    for (name, text) in built_in::ROLES.iter().chain(built_in::PARTS) {
        own(&sandbox, name, text);
    }
    let roles = load(&sandbox);
    assert_eq!(roles.problems(), []);
    for (name, role) in roles.all() {
        let (role, built_in) = (role.unwrap(), Roles::built_in(&seats()));
        assert_ne!(role.origin, TextOrigin::BuiltIn);
        for seat in &role.seats {
            assert_eq!(prompt(role, seat.id), prompt(built_in.get(name).unwrap(), seat.id), "{}", seat.id);
        }
    }
}

#[test]
fn pinned_roles_give_the_same_prompts_later() {
    let sandbox = Sandbox::new();
    own(&sandbox, "parts/mindset", "Think.\n");
    own(&sandbox, "planner", "---\nname: planner\n---\n# Ours\n{% include \"parts/mindset.md\" %}\n");
    let roles = load(&sandbox);
    let pinned: Vec<(String, &str)> = roles.own_files().collect();
    let names: Vec<&str> = pinned.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["planner.md", "parts/mindset.md"]);
    for (name, text) in pinned {
        sandbox.write(&format!("run/roles/{name}"), text);
    }
    let kept = Roles::load(&sandbox.path("run"), Path::new("roles"), &seats());
    assert_eq!(kept.problems(), []);
    for (name, role) in roles.all() {
        for seat in &role.unwrap().seats {
            assert_eq!(
                prompt(role.unwrap(), seat.id),
                prompt(kept.get(name).unwrap(), seat.id),
                "{}",
                seat.id
            );
        }
    }
}

#[test]
fn a_broken_file_is_refused_with_its_line_and_the_built_in_role_named() {
    let planner = built_in::text("planner").unwrap();
    let without = |from: &str, to: &str| {
        assert!(planner.contains(from), "{from}");
        planner.replace(from, to)
    };
    for (text, start) in [
        (
            "# Planner\n".to_owned(),
            ".charrette/roles/planner.md:1: expected front matter between two --- lines",
        ),
        ("---\nname: planner\nmodell: x\n---\n".to_owned(), ".charrette/roles/planner.md:3: unknown field"),
        (
            "---\nname: reviewer\n---\n".to_owned(),
            ".charrette/roles/planner.md:2: name is 'reviewer', expected planner",
        ),
        (
            without("grammar: plan", "grammar: poem"),
            ".charrette/roles/planner.md:5: grammar cannot be changed; it must be plan",
        ),
        (
            without("plan.txt]\n", "plan.md]\n"),
            ".charrette/roles/planner.md:4: writes cannot be changed; it must be design-notes.md, plan-draft.txt, plan-reviewed.txt, plan-walked.txt, plan.txt",
        ),
        (
            "---\nname: planner\n---\nA\n{{ plan }}\n".to_owned(),
            ".charrette/roles/planner.md:5: undefined value, in '{{ plan }}'",
        ),
        (
            "---\nname: planner\n---\n{% if seat.id == \"finisher\" %}{{ oops }}{% endif %}\n".to_owned(),
            ".charrette/roles/planner.md:4: undefined value",
        ),
        ("---\nname: planner\n---\n{% endif %}\n".to_owned(), ".charrette/roles/planner.md:4: syntax error"),
        (
            "---\nname: planner\n---\n{% include \"parts/rule.md\" %}\n".to_owned(),
            ".charrette/roles/planner.md:4: template not found",
        ),
        ("x".repeat(300_000), ".charrette/roles/planner.md:1: larger than 256 KB"),
    ] {
        let sandbox = Sandbox::new();
        own(&sandbox, "planner", &text);
        let roles = load(&sandbox);
        let error = roles.get("planner").unwrap_err();
        assert!(matches!(error, RoleError::InvalidOverride { .. }), "{error:?}");
        let said = error.to_string();
        assert!(said.starts_with(start), "{start}\n{said}");
        assert!(said.ends_with(" (it overrides the built-in planner; delete it to use that)"), "{said}");
        assert_eq!(roles.problems(), [error]);
        assert!(roles.get("judge").is_ok(), "the others can be used");
    }
}

#[test]
fn an_expression_without_end_is_refused_before_it_is_parsed() {
    let many = |start: &str, again: &str, end: &str| format!("{start}{}{end}", again.repeat(20_000));
    for (body, reason) in [
        (many("{{ title", ".a", " }}"), "too deeply nested"),
        (many("{{ title", "|trim", " }}"), "too deeply nested"),
        (many("{{ title", "[0]", " }}"), "too deeply nested"),
        (many("{{ title", "()", " }}"), "too deeply nested"),
        (many("{{ ", "not ", "title }}"), "too deeply nested"),
        (many("{{ ", "-", "1 }}"), "too deeply nested"),
        (many("{{ title", " and title", " }}"), "too deeply nested"),
        (many("{{ title", " is true", " }}"), "too deeply nested"),
        (many("{% if 1 %}", "{% elif 1 %}", "{% endif %}"), "too deeply nested"),
        (many("{% set x = '", "x", "' %}"), "a text in a tag exceeds 4 KB (limit)"),
    ] {
        let sandbox = Sandbox::new();
        own(&sandbox, "planner", &format!("---\nname: planner\n---\nA\n{body}\n"));
        let error = load(&sandbox).get("planner").unwrap_err().to_string();
        let shown: String = body.chars().take(30).collect();
        assert!(error.starts_with(&format!(".charrette/roles/planner.md:5: {reason}")), "{shown}: {error}");
    }
}

#[test]
fn what_the_template_engine_panics_on_is_refused_with_its_file() {
    for (body, said) in [
        ("{% for i in [1] %}{{ loop.cycle() }}{% endfor %}", "5: cycle() needs arguments"),
        (
            "{% for i in [1] %}{{ loop.cycle(*[]) }}{% endfor %}",
            "1: the template engine failed on an argument or index in the template",
        ),
        (
            "{{ range(9223372036854775807, -9223372036854775807, -1) }}",
            "5: invalid operation: the number of items of a range exceeds 100000 (limit)",
        ),
    ] {
        let sandbox = Sandbox::new();
        own(&sandbox, "planner", &format!("---\nname: planner\n---\nA\n{body}\n"));
        let roles = load(&sandbox);
        let error = roles.get("planner").unwrap_err().to_string();
        assert!(error.starts_with(&format!(".charrette/roles/planner.md:{said}")), "{body}: {error}");
        assert!(roles.get("judge").is_ok(), "the others can be used");

        let sandbox = Sandbox::new();
        own(&sandbox, "parts/mindset", body);
        let roles = load(&sandbox);
        let problems: Vec<String> = roles.problems().iter().map(ToString::to_string).collect();
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with(".charrette/roles/parts/mindset.md:1: "), "{problems:?}");
    }
}

#[test]
fn a_broken_part_is_named_once_and_stops_whoever_includes_it() {
    let sandbox = Sandbox::new();
    own(&sandbox, "parts/mindset", "One\nTwo {{ three }}\n");
    let roles = load(&sandbox);
    let problems: Vec<String> = roles.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            ".charrette/roles/parts/mindset.md:2: undefined value, in 'Two {{ three }}' (it overrides the built-in parts/mindset; delete it to use that)"
        ]
    );
    assert!(roles.get("planner").is_err() && roles.get("judge").is_ok());
}

#[test]
fn a_file_without_a_role_is_reported() {
    let sandbox = Sandbox::new();
    own(&sandbox, "plannner", "---\nname: planner\n---\n");
    own(&sandbox, "parts/rule", "x");
    sandbox.write(&format!("{ROLE_FOLDER}/notes.txt"), "x");
    let problems: Vec<String> = load(&sandbox).problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        problems,
        [
            ".charrette/roles/parts/rule.md: unknown role or part; the file has no effect",
            ".charrette/roles/plannner.md: unknown role or part; the file has no effect",
        ]
    );
}

#[cfg(unix)]
#[test]
fn a_file_that_leads_out_of_the_repository_is_never_read() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::new();
    let secret = sandbox.outside("secret.md");
    std::fs::write(&secret, "hunter2\n").unwrap();
    std::fs::create_dir_all(sandbox.path(".charrette/roles/parts")).unwrap();
    symlink(&secret, sandbox.path(".charrette/roles/parts/rules.md")).unwrap();
    let error = load(&sandbox).get("judge").unwrap_err().to_string();
    assert!(
        error.starts_with(".charrette/roles/parts/rules.md:1: not a plain file inside the repository"),
        "{error}"
    );

    let linked = Sandbox::new();
    let folder = linked.outside("elsewhere");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("judge.md"), "---\nname: judge\n---\nhunter2\n").unwrap();
    std::fs::create_dir_all(linked.path(".charrette")).unwrap();
    symlink(&folder, linked.path(".charrette/roles")).unwrap();
    let error = load(&linked).get("judge").unwrap_err().to_string();
    assert!(
        error.starts_with(".charrette/roles/judge.md:1: not a plain file inside the repository"),
        "{error}"
    );
}
