//! Projects, features and the specifications in them: designed, found by name and by path, refused where that would
//! be wrong, killed and resumed.

use crate::BINARY;
use crate::design_tracker::enable_for_all;
use crate::workshop::{Workshop, document_path, tree, warnings};
use charrette_testkit::linear::LinearServer;
use charrette_testkit::panel::SeatFault;
use charrette_testkit::{Output, Pty};
use serde_json::{Value, json};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Flags of a run without questions.
const UNATTENDED: [&str; 4] = ["--auto", "--no-checkpoint", "--embedded", "--yes"];

const FEATURES: &str = r#"{"features": [
  {"name": "cart", "description": "Keeps what a customer wants.", "rough_specs": ["checkout", "totals", "items"]},
  {"name": "payment", "description": "Takes money.", "rough_specs": "checkout, and cards"}
]}"#;

fn project_files(features: &str) -> String {
    format!(
        "=== project.md ===\n# Shop\n\n## Vision\nSell parcels.\n\n## Scope\nOnline.\n\n## Feature List\n- cart\n- payment\n\n## Out of Scope\nStores.\n\n=== features.json ===\n```json\n{features}\n```\n"
    )
}

fn feature_files(specs: &[(&str, &[&str])]) -> String {
    let list: Vec<Value> = specs
        .iter()
        .map(|(name, waits)| json!({"name": name, "description": format!("About {name}."), "depends_on": waits}))
        .collect();
    format!(
        "=== feature.md ===\n# A feature\n\n## Overview\nIt does.\n\n## Spec List\nAs listed.\n\n## Build Order\n1. As listed.\n\n=== specs.json ===\n{}\n",
        json!({ "specs": list })
    )
}

/// Workshop whose agents answer about a shop.
struct Shop {
    workshop: Workshop,
    spec: [String; 2],
}

impl Shop {
    fn open() -> Shop {
        let workshop = Workshop::brief();
        let research = workshop.answer_text("research/requirements");
        for mode in ["vision", "scope", "rough-specs", "feature-domain", "spec-breakdown"] {
            workshop.set_answer(&format!("research/{mode}"), &research);
        }
        let spec = ["aggregator", "writer"].map(|step| workshop.answer_text(step));
        Shop { workshop, spec }
    }

    fn set_aggregate(&self, labels: [&str; 6]) {
        let page = labels.map(|label| format!("## {label}\nAbout it: {label}.\n"));
        self.workshop.set_answer("aggregator", &page.join("\n"));
    }

    fn set_project_answers(&self) {
        self.set_aggregate(["Vision", "Users", "Features", "Boundaries", "Priorities", "Risks"]);
        self.workshop.set_answer("writer", &project_files(FEATURES));
    }

    fn set_feature_answers(&self, specs: &[(&str, &[&str])]) {
        self.set_aggregate([
            "Understanding",
            "Rough specs",
            "Dependencies",
            "Boundaries",
            "Complexity",
            "Constraints",
        ]);
        self.workshop.set_answer("writer", &feature_files(specs));
    }

    fn set_spec_answers(&self) {
        let [aggregator, writer] = &self.spec;
        self.workshop.set_answer("aggregator", aggregator);
        self.workshop.set_answer("writer", writer);
    }

    fn design(&self, args: &[&str]) -> Output {
        let output = self.workshop.design(&[args, &UNATTENDED].concat());
        assert_eq!(output.code, Some(0), "{args:?} {output:?}");
        output
    }

    fn with_project(self) -> Shop {
        self.set_project_answers();
        self.design(&["sell parcels online", "--name", "shop", "--project"]);
        self
    }

    fn with_cart(self) -> Shop {
        let shop = self.with_project();
        shop.set_feature_answers(&[("checkout", &["totals"]), ("totals", &[]), ("items", &[])]);
        shop.design(&["shop/cart"]);
        shop
    }

    fn refused(&self, args: &[&str], code: i32, message: &str) {
        let output = self.workshop.design(&[args, &UNATTENDED].concat());
        assert_eq!(output.code, Some(code), "{args:?} {output:?}");
        assert!(output.stderr.starts_with(&format!("error: {message}")), "{args:?} {output:?}");
    }

    fn run(&self, args: &[&str]) -> Output {
        self.workshop.run(BINARY, args)
    }

    fn read(&self, path: &str) -> String {
        self.workshop.sandbox.read(path)
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.read(path)).unwrap()
    }
}

#[test]
fn a_project_with_two_features_and_five_specs() {
    let shop = Shop::open().with_cart();
    assert_eq!(shop.json("specs/shop/features.json")["project"], "shop");
    assert_eq!(shop.read("specs/shop/.project-marker"), "shop\n");
    let features = shop.read("specs/shop/features.json");
    shop.set_feature_answers(&[("checkout", &[]), ("cards", &["shop/cart/totals"])]);
    let output = shop.design(&["take money", "--feature", "--parent", "shop", "--name", "payment"]);
    assert!(
        output.stdout.ends_with("Next:\n  charrette design shop.payment.checkout\n"),
        "{}",
        output.stdout
    );
    assert_eq!(shop.json("specs/shop/payment/specs.json")["feature"], "payment");
    assert_eq!(shop.read("specs/shop/payment/.feature-marker"), "payment\n");
    assert_eq!(shop.read("specs/shop/features.json"), features, "nobody touches the parent");

    shop.set_spec_answers();
    let quick = |args: &[&str]| shop.design(&[args, &["--quick"]].concat());
    // By path, by the only name, and by a parent.
    quick(&["shop/cart/checkout"]);
    let output = shop.run(&["check", "checkout"]);
    assert_eq!(output.stdout, "specs/shop/cart/checkout: no issues\n", "the other one is only listed");
    quick(&["totals"]);
    quick(&["items"]);
    quick(&["checkout", "--parent", "shop/payment"]);
    quick(&["cards", "--parent", "payment", "--spec"]);
    for (feature, spec) in [
        ("cart", "checkout"),
        ("cart", "totals"),
        ("cart", "items"),
        ("payment", "checkout"),
        ("payment", "cards"),
    ] {
        let record = shop.json(&format!("specs/shop/{feature}/{spec}/spec.json"));
        let parents = (&record["name"], &record["parent_project"], &record["parent_feature"]);
        assert_eq!(parents, (&json!(spec), &json!("shop"), &json!(feature)));
        let meta = shop.read(&format!("specs/shop/{feature}/{spec}/meta.yaml"));
        assert!(meta.contains(&format!("parent_project: shop\nparent_feature: {feature}\n")), "{meta}");
        let document = shop.json(&document_path(&format!("shop.{feature}.{spec}")));
        assert_eq!(document["feature"], format!("shop.{feature}.{spec}"));
        let path = format!("shop/{feature}/{spec}");
        let output = shop.run(&["check", &path, "--json"]);
        assert_eq!(
            (output.json()["level"].as_str(), output.json()["feature"].as_str()),
            (Some("spec"), Some(path.as_str()))
        );
    }
    // What its manifest says is what was asked for.
    let workspace =
        shop.json(&document_path("shop.cart.checkout"))["run"]["workspace"].as_str().unwrap().to_owned();
    assert_eq!(
        shop.read(&format!("{workspace}/request.md")),
        "checkout: About checkout.\n\nDepends on: totals\n"
    );
    named_or_refused(&shop);
}

fn named_or_refused(shop: &Shop) {
    let found = |args: &[&str]| {
        let output = shop.run(args);
        output.json()["feature"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(found(&["check", "totals", "--json"]), "shop/cart/totals");
    assert_eq!(found(&["check", "cart", "--json"]), "shop/cart");
    assert_eq!(found(&["check", "shop", "--json"]), "shop");
    assert_eq!(found(&["answer", "cards", "--json"]), "shop.payment.cards");
    assert_eq!(found(&["answer", "shop/cart/checkout", "--json"]), "shop.cart.checkout");
    for level in ["shop", "shop/cart", "payment"] {
        let output = shop.run(&["check", level]);
        assert_eq!(output.code, Some(0), "{output:?}");
    }
    let both = "Ambiguous spec name 'checkout'. Multiple matches found:";
    for args in [
        &["design", "checkout", "--resume"][..],
        &["design", "checkout"],
        &["check", "checkout"],
        &["answer", "checkout"],
        &["status", "--why", "checkout"],
        &["abandon", "checkout"],
        &["resume", "checkout"],
    ] {
        let output = shop.run(args);
        assert_eq!(output.code, Some(2), "{args:?} {output:?}");
        assert!(output.stderr.starts_with(&format!("error: {both}\n")), "{args:?} {output:?}");
        for path in ["shop/cart/checkout", "shop/payment/checkout"] {
            assert!(output.stderr.contains(path), "{args:?} {output:?}");
        }
    }
    assert_eq!(shop.run(&["status", "--why", "cards"]).code, Some(0));
    let output = shop.run(&["design", "shop/cart/checkout", "--resume"]);
    let complete = "error: Design for \"shop.cart.checkout\" is already complete.";
    assert!(output.stderr.starts_with(complete), "{output:?}");
    assert_eq!(shop.run(&["abandon", "cards"]).code, Some(0));
    assert!(!shop.workshop.sandbox.path(&document_path("shop.payment.cards")).exists());
}

#[test]
fn invalid_levels_and_parents_are_refused_with_a_message() {
    let shop = Shop::open().with_cart();
    let before = tree(&shop.workshop.sandbox.path("specs"));
    let only = "Only one of --project, --feature, --spec allowed";
    for (args, code, message) in [
        (&["x y", "--project", "--spec"][..], 2, only),
        (&["x y", "--level", "project", "--feature"], 2, only),
        (&["x y", "--level", "epic"], 2, "Invalid level \"epic\". Valid values: project, feature, spec"),
        (&["x y", "--project", "--parent", "shop"], 2, "a project has no parent"),
        (&["x y", "--feature", "--parent", "mall"], 1, "Parent project 'mall' not found. Create it first."),
        (&["x y", "--spec", "--parent", "shop"], 1, "Parent feature 'shop' not found. Create it first."),
        // Listed, and not there yet.
        (
            &["x y", "--spec", "--parent", "payment"],
            1,
            "Parent feature 'payment' not found. Create it first.",
        ),
        (&["x y", "--name", "mall/gate/door"], 1, "Parent feature 'mall/gate' not found. Create it first."),
        (&["x y", "--spec", "--name", "shop"], 1, "Name collision: 'shop' exists as a project."),
        (&["shop", "--feature"], 1, "Name collision: 'shop' exists as a project."),
        (&["x y", "--project", "--name", "cart"], 1, "Name collision: 'cart' exists as a feature."),
        (&["x y", "--feature", "--name", "totals"], 1, "Name collision: 'totals' exists as a spec."),
        (&["shop/cart", "--project", "--resume"], 1, "Name collision: 'shop/cart' exists as a feature."),
    ] {
        shop.refused(args, code, message);
    }
    assert!(tree(&shop.workshop.sandbox.path("specs")) == before, "nothing was written");
}

#[test]
fn standalone_levels_are_noted_and_plain_designs_are_not() {
    let shop = Shop::open();
    shop.set_feature_answers(&[("one", &[])]);
    let output = shop.design(&["some things", "--level", "feature", "--name", "things"]);
    assert!(output.stderr.contains("Creating standalone feature. Link to parent later."), "{output:?}");
    assert!(output.stdout.contains("Level: feature"), "{output:?}");
    shop.set_spec_answers();
    let output = shop.design(&["one thing", "--spec", "--name", "thing", "--dry-run"]);
    assert!(output.stderr.contains("Creating standalone spec. Link to parent later."), "{output:?}");
    // In a feature that stands alone itself, and on the branch of that.
    let output = shop.design(&["things/one", "--dry-run"]);
    assert!(output.stdout.contains("Parent: things"), "{output:?}");
    for args in [&["things/one", "--dry-run"][..], &["one other", "--dry-run"]] {
        assert!(!shop.design(args).stderr.contains("standalone"));
    }
    shop.design(&["things/one", "--quick"]);
    let record = shop.json("specs/things/one/spec.json");
    assert_eq!((&record["parent_project"], &record["parent_feature"]), (&Value::Null, &json!("things")));
}

#[test]
fn a_feature_that_is_designed_again_says_what_it_no_longer_lists() {
    let shop = Shop::open().with_cart();
    let project = tree(&shop.workshop.sandbox.path("specs/shop"))["features.json"].clone();
    shop.workshop.sandbox.write("specs/shop/cart/items/requirements.md", "# Kept\n");
    shop.set_feature_answers(&[("totals", &[])]);
    let output = shop.design(&["shop/cart", "--json"]);
    let said = "Warning: Specs removed: checkout, items. Existing directories NOT deleted.";
    assert!(warnings(&output).contains(&said.to_owned()), "{:?}", warnings(&output));
    assert_eq!(shop.read("specs/shop/cart/items/requirements.md"), "# Kept\n");
    assert_eq!(tree(&shop.workshop.sandbox.path("specs/shop"))["features.json"], project);
}

#[test]
fn both_gates_ask_what_the_level_is_about() {
    let shop = Shop::open();
    shop.set_project_answers();
    let waits = |args: &[&str], gate: &str, keys: &str| {
        let output = shop.workshop.design(args);
        assert_eq!(output.code, Some(3), "{output:?}");
        let open = shop.run(&["answer", "shop", "--json"]).json();
        assert_eq!(open["gates"][0]["gate"], gate);
        let asked: Vec<&str> = open["gates"][0]["questions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|q| q["key"].as_str().unwrap())
            .collect();
        assert_eq!(asked.join(" "), keys);
    };
    let answered = |yaml: &str| {
        let command = shop.workshop.command(BINARY, ["answer", "shop", "--file", "-"]);
        assert_eq!(Output::capture(command, yaml.as_bytes()).code, Some(0));
    };
    waits(
        &["sell parcels", "--name", "shop", "--project", "--yes"],
        "pre-design",
        "vision users features boundaries priorities risks",
    );
    answered(
        "pre-design: {vision: 'yes', users: 'yes', features: 'add: refunds', boundaries: 'yes', priorities: 'yes', risks: 'none'}",
    );
    let resume = ["shop", "--resume"];
    let keys = "features_produced rough_specs coverage granularity naming approval";
    waits(&resume, "post-design", keys);
    let workspace = shop.json(&document_path("shop"))["run"]["workspace"].as_str().unwrap().to_owned();
    assert!(shop.read(&format!("{workspace}/answers/pre-design")).contains("**Resolution**: add: refunds"));
    let yes =
        "features_produced: 'yes', rough_specs: 'yes', coverage: 'yes', granularity: 'yes', naming: 'yes'";
    answered(&format!("post-design: {{{yes}, approval: revise, feedback: 'call it basket'}}"));
    shop.workshop.set_answer("writer", &project_files(&FEATURES.replace("\"cart\"", "\"basket\"")));
    waits(&resume, "post-design", keys);
    answered(&format!("post-design: {{{yes}, approval: 'yes'}}"));
    let output = shop.workshop.design(&resume);
    assert_eq!(output.code, Some(0), "{output:?}");
    assert!(output.stdout.contains("shop is designed, approved and validated."), "{output:?}");
    assert_eq!(shop.json("specs/shop/features.json")["features"][0]["name"], "basket");
    assert_eq!(shop.workshop.calls().iter().filter(|call| call.starts_with("writer")).count(), 2);
}

#[test]
fn a_page_that_changes_while_its_approval_is_asked_is_shown_before_it_is_approved() {
    let shop = Shop::open().with_project();
    let mut pty = Pty::start(shop.workshop.command(BINARY, ["design", "shop", "--approve", "--yes"]), 120);
    for round in 1..=2 {
        for asked in
            ["Is this what you expected?", "Do they fit?", "cover the vision?", "to be designed by itself?"]
        {
            pty.answer(asked, "\r");
        }
        pty.wait_for("Are these the right names?");
        if round == 1 {
            let page = shop.read("specs/shop/project.md");
            shop.workshop.sandbox.write("specs/shop/project.md", page + "\nA sentence by hand.\n");
        } else {
            assert!(pty.raw_output().contains("+A sentence by hand."), "{}", pty.screen());
        }
        pty.send("\r");
        pty.answer("(yes / no / revise)", "yes\r");
    }
    assert_eq!(pty.wait_for_exit(), Some(0), "{}", pty.screen());
    assert_eq!(shop.json(&document_path("shop"))["gates"]["post-design"]["state"], "approved");
}

#[test]
fn only_specifications_get_an_issue() {
    let (shop, server) = (Shop::open(), LinearServer::start());
    enable_for_all(&shop.workshop, &server);
    let approved = |args: &[&str], before: &str, after: &str| {
        let yes =
            |keys: &str| keys.split(' ').map(|key| format!("{key}: 'yes'")).collect::<Vec<_>>().join(", ");
        shop.workshop.write_gate_answers(&format!(
            "pre-design: {{{}}}\npost-design: {{{}}}\n",
            yes(before),
            yes(after)
        ));
        let answers = shop.workshop.answers();
        let args = [&["design", "--auto", "--yes", "--answers", answers.to_str().unwrap()], args].concat();
        let mut command = shop.workshop.command(BINARY, args);
        command.env("LINEAR_API_KEY", LinearServer::KEY);
        let output = Output::capture(command, b"");
        assert_eq!(output.code, Some(0), "{output:?}");
        assert!(output.stdout.contains(" is designed, approved and validated."), "{output:?}");
    };
    shop.set_project_answers();
    approved(
        &["sell parcels", "--name", "shop", "--project"],
        "vision users features boundaries priorities risks",
        "features_produced rough_specs coverage granularity naming approval",
    );
    shop.set_feature_answers(&[("checkout", &[])]);
    approved(
        &["shop/cart"],
        "understanding rough_specs_input dependencies boundaries complexity constraints",
        "specs_produced dependencies build_order cross_feature gaps approval",
    );
    assert_eq!(server.requests(), [""; 0]);
    shop.set_spec_answers();
    approved(
        &["shop/cart/checkout", "--quick"],
        "understanding approach assumptions trade_offs scope unknowns",
        "what_built decisions risks omissions confidence approval",
    );
    let [issue] = &server.issues()[..] else { panic!("one issue: {:?}", server.issues()) };
    assert_eq!(issue["title"], "[Design] Shop Cart Checkout");
    let description = issue["description"].as_str().unwrap();
    assert!(description.contains("\n\n**Spec:** specs/shop/cart/checkout/\n\n"), "{description}");
    let linear = &shop.json("specs/shop/cart/checkout/spec.json")["linear"];
    assert_eq!(linear["identifier"], issue["identifier"]);
}

#[test]
fn a_cycle_is_found_and_repaired_once() {
    let shop = Shop::open();
    shop.set_feature_answers(&[("a", &["b"]), ("b", &["a"])]);
    shop.workshop.set_answer("writer/repair", &feature_files(&[("a", &[]), ("b", &["a"])]));
    let output = shop.design(&["some things", "--feature", "--name", "things"]);
    assert!(output.stdout.contains("failed; one repair"), "{output:?}");
    assert_eq!(shop.json("specs/things/specs.json")["specs"][0]["depends_on"], json!([]));
    let shop = Shop::open();
    shop.set_feature_answers(&[("a", &["b"]), ("b", &["a"])]);
    shop.workshop.set_answer("writer/repair", &feature_files(&[("a", &["b"]), ("b", &["a"])]));
    let failed =
        shop.workshop.design(&[&["some things", "--feature", "--name", "things"][..], &UNATTENDED].concat());
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.stderr.contains("Dependency cycle detected: a -> b -> a"), "{failed:?}");
    let check = shop.run(&["check", "things"]);
    assert_eq!(check.code, Some(1));
    assert!(check.stdout.contains("Dependency cycle detected: a -> b -> a [cycle]"), "{check:?}");
}

#[test]
fn every_level_resumes_after_a_kill_while_writing_files() {
    let shop = Shop::open();
    shop.set_project_answers();
    killed_and_resumed(&shop, &["sell parcels", "--name", "shop", "--project"], "shop");
    shop.set_feature_answers(&[("checkout", &[]), ("totals", &[])]);
    killed_and_resumed(&shop, &["shop/cart"], "cart");
    shop.set_spec_answers();
    killed_and_resumed(&shop, &["checkout", "--quick"], "shop/cart/checkout");
    for path in ["shop/project.md", "shop/cart/feature.md", "shop/cart/checkout/spec.json"] {
        assert!(shop.workshop.sandbox.path(&format!("specs/{path}")).exists(), "{path}");
    }
    let branches = shop.workshop.sandbox.git(["branch", "--format=%(refname:short)"]);
    assert_eq!(branches, "ada-l/shop\nmain", "what is related stays on its branch");
}

/// Kills the driver while the writer works, and goes on: only who had not answered is called again.
fn killed_and_resumed(shop: &Shop, args: &[&str], name: &str) {
    let written = shop.workshop.answer_text("writer");
    shop.workshop.set_fault("writer", SeatFault::Hangs);
    let mut command = shop.workshop.command(BINARY, [&["design"], args, &UNATTENDED].concat());
    let log = || std::fs::read_to_string(shop.workshop.log()).unwrap_or_default();
    let earlier = log().len();
    let mut driver = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let patience = Instant::now() + Duration::from_mins(2);
    while !log()[earlier..].contains("writer ") {
        assert!(
            Instant::now() < patience && driver.try_wait().unwrap().is_none(),
            "the writer is not called"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    driver.kill().unwrap();
    driver.wait().unwrap();
    shop.workshop.calls();
    shop.workshop.set_answer("writer", &written);
    shop.design(&[name, "--resume"]);
    assert_eq!(shop.workshop.calls(), ["validator codex", "writer claude"]);
}

#[test]
fn nested_specs_get_the_branch_of_project_and_feature() {
    let shop = Shop::open().with_cart();
    shop.workshop.sandbox.git(["switch", "-q", "main"]);
    let output = shop.design(&["shop/cart/totals", "--dry-run"]);
    assert!(output.stdout.contains("main → ada-l/design-shop-cart"), "{output:?}");
    shop.design(&["shop/cart/totals", "--phase=research"]);
    assert_eq!(shop.workshop.sandbox.git(["branch", "--show-current"]), "ada-l/design-shop-cart");
}
