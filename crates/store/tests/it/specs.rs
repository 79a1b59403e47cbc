//! Finding specifications in a real folder.

use charrette_model::spec::resolver::{SpecTree, resolve};
use charrette_store::specs::read_spec_tree;
use charrette_testkit::Sandbox;

#[test]
fn specifications_are_found_up_to_three_levels_down() {
    let sandbox = Sandbox::new();
    let specs = sandbox.work().join("specs");
    assert_eq!(read_spec_tree(&specs).unwrap(), SpecTree::default());
    sandbox.write("specs/add-login/design.md", "x");
    sandbox.write("specs/shop/specs.json", r#"{"specs": [{"name": "cart"}]}"#);
    sandbox.write("specs/shop/cart/design.md", "x");
    sandbox.write("specs/a/b/c/d/design.md", "too deep");
    std::os::unix::fs::symlink(&specs, specs.join("loop")).unwrap();
    let tree = read_spec_tree(&specs).unwrap();
    for (name, found) in [("add-login", true), ("cart", true), ("shop/cart", true), ("d", false)] {
        assert_eq!(resolve(&tree, "/specs", name, None).found.is_ok(), found, "{name}");
    }
    assert!(resolve(&tree, "/specs", "loop/add-login", None).found.is_err(), "links are not followed");
}
