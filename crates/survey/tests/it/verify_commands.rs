//! Verify commands of real repositories.

use charrette_survey::{RepositoryFiles, propose_commands};
use charrette_testkit::Sandbox;

#[test]
fn files_are_read_from_the_work_tree_without_those_that_git_ignores() {
    let sandbox = Sandbox::repository();
    sandbox.write(".gitignore", "package.json\n");
    sandbox.write("package.json", "{\"scripts\": {\"test\": \"jest\"}}");
    sandbox.write("Makefile", "test:\n\t./run\n");
    sandbox.write("main.c", "int main(void) { return 0; }\n");
    let commands = propose_commands(&RepositoryFiles::read(&sandbox.work()));
    let all: Vec<_> =
        commands.all().into_iter().map(|(name, command)| (name, command.run.as_str())).collect();
    assert_eq!(all, [("test", "make test")]);
}

#[test]
fn a_file_that_is_no_text_and_a_link_say_nothing() {
    let sandbox = Sandbox::repository();
    let outside = sandbox.outside("Makefile");
    fs_err::write(&outside, "test:\n\tx\n").unwrap();
    std::os::unix::fs::symlink(&outside, sandbox.path("Makefile")).unwrap();
    sandbox.write("package.json", b"{\"scripts\": \xff\x00}");
    let commands = propose_commands(&RepositoryFiles::read(&sandbox.work()));
    assert_eq!(commands.test, None);
}
