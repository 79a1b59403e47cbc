//! Arguments and variables.

use crate::call::{By, Call};
use crate::scene::{Scene, switch_in};

#[test]
fn arguments() {
    let scene = Scene::with_two();
    for (folder, denied) in [("idle", 0), ("driven", 2)] {
        let call = || Call::new(&scene.path(folder), switch_in(&scene.text(folder)));
        let quick = if folder == "idle" { By::FirstLook } else { By::Hook };
        for event in [
            "PreToolUse",
            "BeforeTool",
            "preToolUse",
            "beforeShellExecution",
            "beforeReadFile",
            "tool.execute.before",
        ] {
            call().with_event(event).expect(denied, quick);
        }
        call().with_event("SessionStart").expect(0, quick);
        for event in ["pre-tool-use", "PRETOOLUSE", "PreToolUse ", "before_tool"] {
            call().with_event(event).expect(denied, By::Hook);
        }
        for event in [
            "",
            " ",
            "PostToolUse",
            "Stop",
            "PreToolUs",
            "PreToolUse2",
            "PreToolUse SessionStart",
            "ü",
            "--help",
        ] {
            call().with_event(event).expect(0, By::Hook);
        }
        call().with_arguments(&[]).expect(0, By::Hook);
        call().with_arguments(&["PreToolUse", "x"]).expect(denied, By::Hook);
        call().with_arguments(&["x", "PreToolUse"]).expect(0, By::Hook);
    }
}

#[test]
fn the_launcher_of_the_sandbox() {
    let scene = Scene::with_two();
    let call = || Call::new(&scene.path("idle"), "");
    call().with_arguments(&["box", "--version"]).expect(0, By::Hook);
    call().with_arguments(&["box"]).compare();
    call().with_arguments(&["box", "--no-such-rule"]).compare();
}

#[test]
fn lanes() {
    let scene = Scene::with_two();
    let state = scene.text("driven/.claude/state");
    for folder in ["idle", "driven"] {
        let call = || Call::new(&scene.path(folder), switch_in(&scene.text(folder)));
        call().with_variable("CHARRETTE_LANE", "driver/lane").expect(2, By::Hook);
        let lane =
            call().with_variable("CHARRETTE_LANE", "driver/lane").with_variable("CHARRETTE_STATE", &state);
        lane.expect(2, By::Hook);
        lane.with_variable("CHARRETTE_WRITES", scene.path("idle")).expect(2, By::Hook);
    }
    for name in ["CHARRETTE_LANE", "CHARRETTE_STATE", "CHARRETTE_WRITES", "CHARRETTE_ANYTHING"] {
        let call = Call::new(&scene.path("idle"), switch_in(&scene.text("idle"))).with_variable(name, "");
        call.expect(0, By::Hook);
    }
}

#[test]
fn variables_without_a_meaning() {
    let scene = Scene::with_two();
    let call = || Call::new(&scene.path("idle"), switch_in(&scene.text("idle")));
    for (name, value) in [
        ("CHARRETTE", "1"),
        ("XCHARRETTE_LANE", "1"),
        ("CLAUDE_PROJECT_DI", "/"),
        ("CLAUDE_PROJECT_DIRS", "/"),
        ("PWD", &scene.text("driven")),
        ("GIT_DIR", &scene.text("driven/.git")),
        ("EMPTY", ""),
        ("LONG", &"x".repeat(50_000)),
    ] {
        call().with_variable(name, value).expect(0, By::FirstLook);
    }
    let mut bare = call();
    bare.variables.clear();
    bare.expect(0, By::FirstLook);
}
