//! Inputs: JSON in all forms, and what is none.

use crate::call::{By, Call, Input};
use crate::scene::{Scene, switch_in};
use proptest::prelude::*;

/// A tool that is denied in a driven checkout, as members of the input.
const TOOL: &str = r#""tool_name": "Bash", "tool_input": {"command": "git switch main"}"#;

/// Inputs that name folders, by `IDLE` and `DRIVEN`; the current folder is idle.
const INPUTS: [(&str, i32, By); 53] = [
    (r#"{"cwd": "IDLE", TOOL}"#, 0, By::FirstLook),
    (r#"{TOOL, "cwd": "IDLE"}"#, 0, By::FirstLook),
    (r#"{"cwd":"IDLE",TOOL}"#, 0, By::FirstLook),
    ("{\"cwd\"\t:\r\n \"IDLE\", TOOL}", 0, By::FirstLook),
    (r#"{"cwd": "DRIVEN", TOOL}"#, 2, By::Hook),
    (r#"{TOOL, "cwd": "DRIVEN"}"#, 2, By::Hook),
    ("{\"cwd\"\t:\r\n \"DRIVEN\", TOOL}", 2, By::Hook),
    // Twice: the last one counts.
    (r#"{"cwd": "IDLE", "cwd": "IDLE", TOOL}"#, 0, By::FirstLook),
    (r#"{"cwd": "IDLE", "cwd": "DRIVEN", TOOL}"#, 2, By::Hook),
    (r#"{"cwd": "DRIVEN", "cwd": "IDLE", TOOL}"#, 0, By::Hook),
    // Escapes.
    (r#"{"c\u0077d": "DRIVEN", TOOL}"#, 2, By::Hook),
    (r#"{"\u0063\u0077\u0064": "DRIVEN", "cwd": "IDLE", TOOL}"#, 0, By::Hook),
    (r#"{"cwd": "IDLE", "\u0063\u0077\u0064": "DRIVEN", TOOL}"#, 2, By::Hook),
    (r#"{"cwd": "\u002fDRIVEN", TOOL}"#, 2, By::Hook),
    (r#"{"cwd": "\/DRIVEN", TOOL}"#, 2, By::Hook),
    (r#"{"a": "\\", "cwd": "DRIVEN", "b": "\\\"", TOOL}"#, 2, By::Hook),
    (r#"{"a": "\\", "cwd": "IDLE", "b": "\\\"", TOOL}"#, 0, By::FirstLook),
    (r#"{"a\"": 1, "cwd": "IDLE", TOOL}"#, 0, By::Hook),
    (r#"{"a": "\"cwd\": \"DRIVEN\"", "cwd": "IDLE", TOOL}"#, 0, By::FirstLook),
    (r#"{"a": "\"cwd\":", "b": "DRIVEN", TOOL}"#, 0, By::FirstLook),
    // Names that are values.
    (r#"{"a": "cwd", "b": "DRIVEN", TOOL}"#, 0, By::FirstLook),
    (r#"{"a": ["cwd", "DRIVEN"], TOOL}"#, 0, By::FirstLook),
    (r#"{"CWD": "DRIVEN", "cwd ": "DRIVEN", " cwd": "DRIVEN", "": "DRIVEN", TOOL}"#, 0, By::FirstLook),
    // Other values.
    (r#"{"cwd": null, TOOL}"#, 0, By::Hook),
    (r#"{"cwd": 1, TOOL}"#, 0, By::Hook),
    (r#"{"cwd": ["DRIVEN"], TOOL}"#, 0, By::Hook),
    (r#"{"cwd": {"cwd": "DRIVEN"}, TOOL}"#, 0, By::Hook),
    (r#"{"cwd": "", "workdir": "DRIVEN", TOOL}"#, 0, By::Hook),
    (r#"{"cwd": "driven", TOOL}"#, 0, By::Hook),
    (r#"{"cwd": "../driven", TOOL}"#, 0, By::Hook),
    (r#"{"cwd": "~", TOOL}"#, 0, By::Hook),
    // Other members with folders.
    (r#"{"workdir": "IDLE", "directory": "IDLE", TOOL}"#, 0, By::FirstLook),
    (r#"{"workdir": "DRIVEN", TOOL}"#, 2, By::Hook),
    (r#"{"directory": "DRIVEN", TOOL}"#, 2, By::Hook),
    (r#"{"workspace_roots": ["DRIVEN"], TOOL}"#, 2, By::Hook),
    (r#"{"workspaceRoots": ["DRIVEN"], TOOL}"#, 2, By::Hook),
    (r#"{"workspace_roots": ["IDLE"], TOOL}"#, 0, By::Hook),
    (r#"{"tool": "shell", "args": {"command": "git switch main", "cwd": "DRIVEN"}}"#, 2, By::Hook),
    (r#"{"tool": "shell", "args": {"command": "git switch main", "workdir": "DRIVEN"}}"#, 2, By::Hook),
    (r#"{"tool": "shell", "args": {"cmd": "git switch main", "working_directory": "DRIVEN"}}"#, 2, By::Hook),
    (r#"{"tool": "shell", "args": {"cmd": "git switch main", "dir_path": "DRIVEN"}}"#, 2, By::Hook),
    (
        r#"{"cwd": "IDLE", "tool": "shell", "args": {"cmd": "git switch main", "directory": "DRIVEN"}}"#,
        2,
        By::Hook,
    ),
    (
        r#"{"cwd": "DRIVEN", "tool": "shell", "args": {"cmd": "git switch main", "workdir": "IDLE"}}"#,
        0,
        By::Hook,
    ),
    (
        r#"{"cwd": "DRIVEN", "tool": "shell", "args": {"cmd": "git switch main", "workdir": "."}}"#,
        2,
        By::Hook,
    ),
    (
        r#"{"cwd": "IDLE", "tool": "shell", "args": {"cmd": "git switch main", "workdir": "../driven"}}"#,
        2,
        By::Hook,
    ),
    (
        r#"{"cwd": "IDLE", "tool": "shell", "args": {"cmd": "git switch main", "workdir": "IDLE"}}"#,
        0,
        By::FirstLook,
    ),
    (r#"{"cwd": "IDLE", "a": {"b": [{"cwd": "DRIVEN"}]}, TOOL}"#, 0, By::Hook),
    // Not JSON: the folder of the process counts.
    ("", 0, By::FirstLook),
    ("null", 0, By::FirstLook),
    (r#"{"cwd": "IDLE", TOOL} {"cwd": "DRIVEN", TOOL}"#, 0, By::Hook),
    (r#"{"cwd": "DRIVEN", TOOL"#, 0, By::Hook),
    (r#"{"cwd": "DRIV"#, 0, By::Hook),
    ("\u{feff}{\"cwd\": \"DRIVEN\", TOOL}", 0, By::Hook),
];

fn fill(scene: &Scene, input: &str) -> String {
    let driven = scene.text("driven");
    let input = input.replace("TOOL", TOOL).replace("/DRIVEN", driven.as_str());
    input.replace("IDLE", &scene.text("idle")).replace("DRIVEN", &driven)
}

#[test]
fn json_in_all_forms() {
    let scene = Scene::with_two();
    for (input, code, by) in INPUTS {
        let input = fill(&scene, input);
        Call::new(&scene.path("idle"), input.as_str()).expect(code, by);
        // In a driven folder the hook always decides.
        assert_eq!(Call::new(&scene.path("driven"), input).compare().1, By::Hook);
    }
}

#[test]
fn escapes_in_folders() {
    let scene = Scene::with_two();
    // The folder that the text would name without its escapes.
    scene.folder(r"idle/\u002e\u002e/driven");
    let input = fill(&scene, r#"{"cwd": "IDLE/\u002e\u002e/driven", TOOL}"#);
    Call::new(&scene.path("idle"), input).expect(2, By::Hook);
}

#[test]
fn every_beginning_of_an_input() {
    let scene = Scene::with_two();
    for input in [r#"{"cwd": "DRIVEN", TOOL}"#, r#"{"a": "\\", "cwd": "IDLE", TOOL}"#] {
        let input = fill(&scene, input);
        for length in 0..input.len() {
            let (code, _) = Call::new(&scene.path("idle"), &input.as_bytes()[..length]).compare();
            assert_eq!(code, 0, "nothing is driven in the folder of the process");
        }
    }
}

#[test]
fn bytes_that_are_no_text() {
    let scene = Scene::with_two();
    let driven = scene.text("driven");
    let start = br#"{"cwd": ""#.as_slice();
    for byte in [0, 1, b'\n', 0x1f, 0x7f, 0x80, 0xc3, 0xff] {
        for input in [
            [start, driven.as_bytes(), &[byte], b"\"}"].concat(),
            [start, &[byte], driven.as_bytes(), b"\"}"].concat(),
            [br#"{"a": ""#, &[byte][..], br#"", "cwd": ""#, driven.as_bytes(), b"\"}"].concat(),
            [&[byte], start, driven.as_bytes(), b"\"}"].concat(),
        ] {
            for folder in ["idle", "driven"] {
                Call::new(&scene.path(folder), input.as_slice()).compare();
            }
        }
    }
}

/// An input of some length that ends with a command that is denied in a driven checkout.
fn long_input(folder: &str, length: usize) -> Vec<u8> {
    let end = format!("\", {TOOL}, \"cwd\": \"{folder}\"}}");
    let mut input = b"{\"a\": \"".to_vec();
    input.resize(length - end.len(), b'x');
    input.extend(end.bytes());
    input
}

#[test]
fn long_inputs_are_read_to_their_end() {
    let scene = Scene::with_two();
    let limit = 64 << 10;
    for (length, by) in [
        (4095, By::FirstLook),
        (4096, By::FirstLook),
        (limit - 1, By::FirstLook),
        (limit, By::Hook),
        (limit + 1, By::Hook),
        (3 * limit, By::Hook),
        (1 << 20, By::Hook),
    ] {
        Call::new(&scene.path("idle"), long_input(&scene.text("idle"), length)).expect(0, by);
        Call::new(&scene.path("idle"), long_input(&scene.text("driven"), length)).expect(2, By::Hook);
    }
    let huge = long_input(&scene.text("driven"), 9 << 20);
    Call::new(&scene.path("idle"), huge.clone()).expect(0, By::Hook);
    Call::new(&scene.path("driven"), huge).expect(2, By::Hook);
}

#[test]
fn deep_inputs() {
    let scene = Scene::with_two();
    for (depth, code) in [(100, 2), (200, 0)] {
        let nested = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let input = format!("{{\"a\": {nested}, {TOOL}, \"cwd\": \"{}\"}}", scene.text("driven"));
        Call::new(&scene.path("idle"), input).expect(code, By::Hook);
        let input = format!("{{\"a\": {nested}, {TOOL}, \"cwd\": \"{}\"}}", scene.text("idle"));
        Call::new(&scene.path("idle"), input).expect(0, By::FirstLook);
    }
}

#[test]
fn inputs_in_parts() {
    let scene = Scene::with_two();
    for (folder, code, by) in [("idle", 0, By::FirstLook), ("driven", 2, By::Hook)] {
        let input = switch_in(&scene.text(folder)).into_bytes();
        let (first, second) = input.split_at(12);
        let parts = Input::Parts(first.to_vec(), second.to_vec());
        Call::new(&scene.path("idle"), "").with_input(parts).expect(code, by);
        let input = long_input(&scene.text(folder), 100_000);
        let (first, second) = input.split_at(65_536);
        let parts = Input::Parts(first.to_vec(), second.to_vec());
        Call::new(&scene.path("idle"), "").with_input(parts).expect(code, By::Hook);
    }
}

#[test]
fn inputs_that_cannot_be_read() {
    let scene = Scene::with_two();
    scene.file("input.json", &switch_in(&scene.text("idle")));
    for (folder, code) in [("idle", 0), ("driven", 2)] {
        let call = |input: Input| Call::new(&scene.path(folder), "").with_input(input);
        call(Input::Closed).expect(code, By::Hook);
        call(Input::File(scene.path("idle"))).expect(code, By::Hook);
        call(Input::WithoutWaiting(Vec::new())).expect(code, By::Hook);
        call(Input::WithoutWaiting(switch_in(&scene.text("idle")).into_bytes())).expect(code, By::Hook);
        let by = if folder == "idle" { By::FirstLook } else { By::Hook };
        call(Input::File("/dev/null".into())).expect(code, by);
        call(Input::File(scene.path("input.json"))).expect(0, by);
    }
}

#[test]
fn the_end_of_an_input_is_typed_once() {
    let scene = Scene::with_two();
    for (folder, code) in [("idle", 0), ("driven", 2)] {
        // The first look reads the input to its end, and the hook must not wait for a second one.
        let input = switch_in(&scene.text(folder));
        Call::new(&scene.path("idle"), input).type_input(code);
    }
}

/// Pieces of inputs.
const PIECES: [&str; 22] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\\\"",
    " ",
    "\n",
    "null",
    "\"cwd\":",
    "\"workdir\"",
    "\"tool_input\":",
    "\"tool_name\":\"Bash\",",
    "\"command\":\"git switch main\"",
    "\"IDLE\"",
    "\"DRIVEN\"",
    "cwd",
    "{\"cwd\":\"DRIVEN\",",
    "\"x\":1",
];

#[test]
fn any_pieces() {
    let scene = Scene::with_two();
    let pieces = prop::collection::vec(prop::sample::select(&PIECES[..]), 0..16);
    proptest!(ProptestConfig::with_cases(150), |(pieces in pieces, is_idle in any::<bool>())| {
        let input = fill(&scene, &pieces.concat());
        let folder = scene.path(if is_idle { "idle" } else { "driven" });
        Call::new(&folder, input).compare();
    });
}
