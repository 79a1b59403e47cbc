//! The survey and the drawing, as the engine asks for them.

use super::place::{repository, studio, wait};
use charrette_engine::flows::design::Studio as _;

#[test]
fn a_survey_is_json_about_the_request() {
    let sandbox = repository("main");
    sandbox.write("src/login.rs", "pub fn login(user: &str) {}\n");
    sandbox.git(["add", "src"]);
    sandbox.commit("login");
    let mut studio = studio(&sandbox);
    studio.cache = Some(sandbox.outside("cache"));
    let text = wait(studio.survey("login with a password".to_owned())).unwrap();
    let survey: charrette_survey::Survey = serde_json::from_str(&text).unwrap();
    assert_eq!(
        (survey.request.as_str(), survey.files[0].path.as_str()),
        ("login with a password", "src/login.rs")
    );
    assert_eq!(text, wait(studio.survey("login with a password".to_owned())).unwrap());
    std::fs::remove_dir_all(sandbox.work()).unwrap();
    assert!(wait(studio.survey("login".to_owned())).unwrap_err().ends_with("is not a folder"));
}

#[test]
fn a_diagram_is_drawn_or_said_to_be_wrong() {
    let studio = studio(&repository("main"));
    let drawn = wait(studio.draw("flowchart TD\n  A[Start] --> B[Done]\n".to_owned()));
    assert!(drawn.unwrap().contains("<svg"));
    let refused = wait(studio.draw("flowchart TD\n  A[SECRET --> B\n".to_owned()));
    assert_eq!(refused, Err("line 2 of the diagram cannot be parsed".to_owned()));
}
