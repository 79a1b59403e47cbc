//! Reproducible archives and their checksums.

use crate::TaskResult;
use charrette_store::workspace::sha256;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const SUMS: &str = "SHA256SUMS";

/// Removes earlier archives and checksums, so that the folder holds only those that the checksums name.
pub(super) fn clear(folder: &Path) -> TaskResult {
    fs_err::create_dir_all(folder)?;
    for entry in fs_err::read_dir(folder)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if name == SUMS || (name.starts_with("charrette-") && name.ends_with(".tar.gz")) {
            fs_err::remove_file(folder.join(&*name))?;
        }
    }
    Ok(())
}

/// Copies README.md, the documents it links to and the licences.
pub(super) fn copy_documents(root: &Path, into: &Path) -> TaskResult {
    for entry in fs_err::read_dir(root)? {
        let name = entry?.file_name();
        let shown = name.to_string_lossy();
        if shown.ends_with(".md") || shown.starts_with("LICENSE") {
            fs_err::copy(root.join(&name), into.join(&name))?;
        }
    }
    copy_folder(&root.join("docs"), &into.join("docs"))
}

/// Name of the hook's program.
const HOOK: &str = "charrette-hook";

/// Packs the binary, the hook and the extras into one folder called `name`, and checks the listing of the archive.
pub(super) fn pack(
    name: &str,
    [binary, hook]: [&PathBuf; 2],
    extras: &Path,
    into: &Path,
) -> TaskResult<PathBuf> {
    let staging = tempfile::tempdir_in(into)?;
    let tree = staging.path().join(name);
    copy_folder(extras, &tree)?;
    fs_err::copy(binary, tree.join("charrette"))?;
    fs_err::copy(hook, tree.join(HOOK))?;
    let (tar, archive) = (into.join(format!("{name}.tar")), into.join(format!("{name}.tar.gz")));
    let mut pack = Command::new("tar");
    pack.args(["--create", "--format=ustar", "--sort=name", "--mode=u=rwX,go=rX"])
        .args(["--owner=0", "--group=0", "--numeric-owner"])
        .arg(format!("--mtime=@{}", commit_time()))
        .arg("--file")
        .arg(&tar)
        .arg("--directory")
        .arg(staging.path())
        .arg(name)
        .env("LC_ALL", "C");
    run_checked(&mut pack)?;
    run_checked(Command::new("gzip").args(["--best", "--no-name", "--force"]).arg(&tar))?;
    check_listing(&archive, name, &tree)?;
    Ok(archive)
}

/// Time of the packed commit, used for all entries so that archives are reproducible.
fn commit_time() -> u64 {
    let root = crate::programs::root();
    let committed = Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root).output();
    committed.ok().and_then(|output| String::from_utf8_lossy(&output.stdout).trim().parse().ok()).unwrap_or(0)
}

fn check_listing(archive: &Path, name: &str, tree: &Path) -> TaskResult {
    let listing = run_checked(Command::new("tar").arg("--list").arg("--file").arg(archive))?;
    let mut listed: Vec<&str> = listing.lines().filter(|line| !line.ends_with('/')).collect();
    let files = files_below(tree)?;
    let mut expected: Vec<String> = files.iter().map(|file| format!("{name}/{}", file.display())).collect();
    listed.sort_unstable();
    expected.sort_unstable();
    if listed == expected {
        Ok(())
    } else {
        Err(format!("unexpected content of {}: {listing}", archive.display()).into())
    }
}

/// Writes the checksums and verifies them with `sha256sum`.
pub(super) fn write_sums(folder: &Path, archives: &[PathBuf]) -> TaskResult<PathBuf> {
    let mut sums = String::new();
    for archive in archives {
        let name = archive.file_name().unwrap_or_default().to_string_lossy();
        let _ = writeln!(sums, "{}  {name}", sha256(&fs_err::read(archive)?));
    }
    let path = folder.join(SUMS);
    fs_err::write(&path, sums)?;
    run_checked(Command::new("sha256sum").args(["--check", "--strict", SUMS]).current_dir(folder))?;
    Ok(path)
}

fn copy_folder(from: &Path, to: &Path) -> TaskResult {
    for file in files_below(from)? {
        let copy = to.join(&file);
        fs_err::create_dir_all(copy.parent().unwrap_or(to))?;
        fs_err::copy(from.join(&file), copy)?;
    }
    Ok(())
}

/// All files below a folder, as relative paths.
fn files_below(folder: &Path) -> TaskResult<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        let name = PathBuf::from(entry.file_name());
        if entry.file_type()?.is_dir() {
            files.extend(files_below(&entry.path())?.into_iter().map(|below| name.join(below)));
        } else {
            files.push(name);
        }
    }
    Ok(files)
}

fn run_checked(command: &mut Command) -> TaskResult<String> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// Packs a small tree whose files were created in this order.
    fn pack_in_order(order: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let extras = folder.path().join("extras");
        for file in order {
            let path = extras.join(file);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, file).unwrap();
        }
        let binary = folder.path().join("built");
        fs_err::copy("/bin/true", &binary).unwrap();
        fs_err::copy("/bin/true", folder.path().join(HOOK)).unwrap();
        let into = folder.path().join("out");
        clear(&into).unwrap();
        let archive =
            pack("charrette-1.2.3-here", [&binary, &folder.path().join(HOOK)], &extras, &into).unwrap();
        (folder, archive)
    }

    #[test]
    fn the_same_files_give_the_same_bytes_below_one_folder() {
        let (_one, first) = pack_in_order(&["README.md", "man/man1/charrette.1"]);
        let (_other, second) = pack_in_order(&["man/man1/charrette.1", "README.md"]);
        assert_eq!(fs_err::read(&first).unwrap(), fs_err::read(second).unwrap());
        let listing =
            run_checked(Command::new("tar").args(["--list", "--verbose", "--file"]).arg(&first)).unwrap();
        let binary = listing.lines().find(|line| line.ends_with("charrette-1.2.3-here/charrette")).unwrap();
        assert!(binary.starts_with("-rwxr-xr-x 0/0"), "{binary}");
        let page = listing.lines().find(|line| line.ends_with("charrette.1")).unwrap();
        assert!(page.starts_with("-rw-r--r-- 0/0"), "{page}");
    }

    #[test]
    fn archives_do_not_contain_the_time_of_packing() {
        let (_folder, archive) = pack_in_order(&["README.md"]);
        assert_eq!(fs_err::read(&archive).unwrap()[4..8], [0; 4], "the time in gzip's header");
        let mut names = Command::new("tar");
        names.args(["--list", "--verbose", "--full-time", "--utc", "--file"]).arg(&archive);
        let committed = run_checked(
            Command::new("date").args(["--utc", "+%F %T", "--date"]).arg(format!("@{}", commit_time())),
        );
        for line in run_checked(&mut names).unwrap().lines() {
            assert!(line.contains(committed.as_ref().unwrap().trim()), "{line}");
        }
    }

    #[test]
    fn checksums_detect_changes_and_clear_removes_archives() {
        let (_folder, archive) = pack_in_order(&["README.md"]);
        let into = archive.parent().unwrap();
        fs_err::write(into.join("notes"), "another file").unwrap();
        write_sums(into, std::slice::from_ref(&archive)).unwrap();
        fs_err::write(&archive, "tampered with").unwrap();
        let check = run_checked(Command::new("sha256sum").args(["--check", SUMS]).current_dir(into));
        assert!(check.is_err());
        clear(into).unwrap();
        assert_eq!(files_below(into).unwrap(), [Path::new("notes")]);
    }
}
