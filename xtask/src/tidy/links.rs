//! Checks that relative links in Markdown lead to existing files.

use super::source::project_files;
use crate::TaskResult;
use std::path::Path;

pub(super) fn problems(root: &Path) -> TaskResult<Vec<String>> {
    let mut problems = Vec::new();
    for path in
        project_files(root)?.iter().filter(|path| path.extension().is_some_and(|extension| extension == "md"))
    {
        let text = fs_err::read_to_string(root.join(path))?;
        let folder = root.join(path.parent().unwrap_or(Path::new("")));
        for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next()) {
            let file = target.split('#').next().unwrap_or_default();
            if !file.is_empty() && !file.contains("://") && !folder.join(file).exists() {
                problems.push(format!("{}: links to {target}, which does not exist", path.display()));
            }
        }
    }
    Ok(problems)
}
