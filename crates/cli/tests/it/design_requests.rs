//! Requests as people type them: short, huge, in any script, with everything a shell would jump at.

use crate::workshop::{Workshop, document_path};
use charrette_testkit::panel::{FEATURE, REQUEST};
use serde_json::Value;

/// As far as the research, which is where a request is read.
const BRIEFLY: [&str; 3] = ["--phase=research", "--auto", "--no-checkpoint"];

/// Designs it, and returns what the feature is called.
fn named(workshop: &Workshop, request: &str) -> String {
    let mut args = BRIEFLY.to_vec();
    args.extend(["--", request]);
    let output = workshop.design(&args);
    assert_eq!(output.code, Some(0), "{request:.80}: {}", output.stderr);
    let newest = workshop.run(crate::BINARY, ["status", "--json"]).json();
    let features: Vec<String> = features(&newest);
    assert!(!features.is_empty(), "{newest}");
    let is_this = |feature: &&String| {
        let document: Value = serde_json::from_str(&workshop.sandbox.read(&document_path(feature))).unwrap();
        let workspace = document["run"]["workspace"].as_str().unwrap();
        workshop.sandbox.read(&format!("{workspace}/request.md"))
            == format!("{}\n", request.trim_end_matches('\n'))
    };
    features.iter().find(is_this).unwrap_or_else(|| panic!("{request:.80} is kept nowhere")).clone()
}

/// Every feature that is named anywhere in a status.
fn features(status: &Value) -> Vec<String> {
    match status {
        Value::Array(all) => all.iter().flat_map(features).collect(),
        Value::Object(members) => {
            let own = members.get("feature").and_then(Value::as_str).map(str::to_owned);
            own.into_iter().chain(members.values().flat_map(features)).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn a_request_is_kept_word_for_word_whatever_it_says() {
    let workshop = Workshop::regular();
    let huge = format!("limit requests {}", "and log each of them ".repeat(2400));
    assert!(huge.len() > 50_000);
    for (request, name) in [
        ("caching", "caching"),
        (huge.as_str(), "limit-requests-log-them-log-them-log-them-log-them"),
        ("say \"hello\" and 'bye' to `everybody`", "say-hello-and-bye-to-everybody"),
        ("first line\nsecond line\n", "first-line-second-line"),
        (
            "count $(touch pwned) ${HOME} ; touch pwned | touch pwned",
            "count-touch-pwned-home-touch-pwned-touch-pwned",
        ),
        ("../../etc/passwd", "etc-passwd"),
        ("--dry-run is what it should support", "dry-run-is-what-it-should-support"),
        ("公開APIにレート制限を追加する", "api"),
        ("🚦🚦🚦", "feature"),
        ("🐌", "feature-2"),
    ] {
        workshop.sandbox.git(["switch", "-q", "main"]);
        assert_eq!(named(&workshop, request), name, "{request:.80}");
    }
    assert!(!workshop.sandbox.path("pwned").exists());
    assert!(!workshop.sandbox.outside("etc").exists());
    assert_eq!(workshop.sandbox.git(["status", "--porcelain"]), "");
}

#[test]
fn two_requests_never_share_a_name() {
    let workshop = Workshop::regular();
    assert_eq!(named(&workshop, REQUEST), FEATURE);
    workshop.sandbox.git(["switch", "-q", "main"]);
    assert_eq!(named(&workshop, "Add rate limiting to the public API!"), format!("{FEATURE}-2"));
    let branches = workshop.sandbox.git(["branch", "--format=%(refname:short)"]);
    assert_eq!(branches, format!("ada-l/{FEATURE}\nada-l/{FEATURE}-2\nmain"));
}
