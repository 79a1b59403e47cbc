//! Parser of `git status --porcelain=v2 --branch -z`.

use charrette_model::tree::TreePath;

/// Parsed status of a work tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Status {
    /// Commit id of HEAD; none on a branch without commits.
    pub(super) head: Option<String>,
    /// None if HEAD is detached.
    pub(super) branch: Option<String>,
    pub(super) lines: Vec<StatusLine>,
    /// Files and folders that git ignores. Nothing in an ignored folder is listed.
    pub(super) ignored: Vec<TreePath>,
}

/// Path that differs from the last commit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StatusLine {
    pub(super) path: TreePath,
    /// Status code of the index and the work tree, such as `.M`; `??` if untracked.
    pub(super) code: [u8; 2],
    /// Fields before the path: kind, modes and object ids.
    pub(super) facts: String,
    pub(super) submodule: bool,
}

/// Arguments of the git call whose output [`parse`] reads, without how far it looks into submodules.
pub(super) const STATUS_ARGS: [&str; 8] = [
    "status",
    "--porcelain=v2",
    "--branch",
    "-z",
    "--untracked-files=all",
    "--ignored=matching",
    "--no-renames",
    "--no-ahead-behind",
];

/// Parses git's output. Records of an unknown kind are skipped.
pub(super) fn parse(answer: &[u8]) -> Status {
    let mut status = Status::default();
    let mut records = answer.split(|b| *b == 0);
    while let Some(record) = records.next() {
        match record.first() {
            Some(b'#') => header(&mut status, record),
            Some(b'?') => status.lines.push(StatusLine {
                path: TreePath::new(record.get(2..).unwrap_or_default()),
                code: *b"??",
                facts: String::new(),
                submodule: false,
            }),
            Some(b'!') => status.ignored.push(TreePath::new(record.get(2..).unwrap_or_default())),
            Some(b'1') => status.lines.extend(parse_tracked(record, 8)),
            Some(b'2') => {
                status.lines.extend(parse_tracked(record, 9));
                // The old path of a rename.
                records.next();
            }
            Some(b'u') => status.lines.extend(parse_tracked(record, 10)),
            _ => {}
        }
    }
    status
}

fn header(status: &mut Status, record: &[u8]) {
    let text = String::from_utf8_lossy(record);
    if let Some(oid) = text.strip_prefix("# branch.oid ") {
        status.head = (oid != "(initial)").then(|| oid.to_owned());
    } else if let Some(name) = text.strip_prefix("# branch.head ") {
        status.branch = (name != "(detached)").then(|| name.to_owned());
    }
}

/// Parses a record of a tracked path, which follows after `fields` fields.
fn parse_tracked(record: &[u8], fields: usize) -> Option<StatusLine> {
    let mut parts = record.splitn(fields + 1, |b| *b == b' ');
    let code = parts.nth(1)?;
    let submodule = parts.next()?;
    let path = parts.nth(fields - 3)?;
    let facts = &record[..record.len() - path.len()];
    Some(StatusLine {
        path: TreePath::new(path),
        code: [*code.first()?, *code.get(1)?],
        facts: String::from_utf8_lossy(facts).trim_end().to_owned(),
        submodule: submodule.first() == Some(&b'S'),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_record_is_read() {
        let answer = b"# branch.oid (initial)\0# branch.head main\0\
            1 .M N... 100644 100644 100644 aa bb a b\nc\0\
            2 R. N... 100644 100644 100644 aa bb R100 new name\0old name\0\
            1 .M SCMU 160000 160000 160000 aa aa sub\0\
            u UU N... 100644 100644 100644 100644 aa bb cc conflict\0\
            ? -dash \xff\0? nested/\0! target/\0";
        let status = parse(answer);
        assert_eq!((status.head, status.branch.as_deref()), (None, Some("main")));
        let lines: Vec<(&[u8], &[u8; 2], bool)> =
            status.lines.iter().map(|line| (line.path.as_bytes(), &line.code, line.submodule)).collect();
        assert_eq!(
            lines,
            [
                (&b"a b\nc"[..], b".M", false),
                (b"new name", b"R.", false),
                (b"sub", b".M", true),
                (b"conflict", b"UU", false),
                (b"-dash \xff", b"??", false),
                (b"nested/", b"??", false),
            ]
        );
        assert_eq!(status.ignored, [TreePath::new("target/")]);
        assert_eq!(status.lines[0].facts, "1 .M N... 100644 100644 100644 aa bb");
    }

    #[test]
    fn half_a_record_is_no_record() {
        for text in
            ["1", "1 .M", "1 .M N... 100644 1", "u UU N...", "2 R. N... 1 1 1 a b", "\0\0", "# branch.oid"]
        {
            assert_eq!(parse(text.as_bytes()).lines, [], "{text:?}");
        }
    }
}
