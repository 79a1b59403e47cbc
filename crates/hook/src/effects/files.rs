//! Programs that change files.

use super::effect::{Danger, Effect, WriteAct};
use super::options::Options;
use super::walk::Walker;
use crate::shell::Argument;

/// Notes what a program changes. False if it is none of those known here.
pub(super) fn run(walker: &mut Walker<'_>, name: &str, rest: &[Argument]) -> bool {
    match name {
        "rm" | "grm" | "srm" | "trash" | "trash-put" | "unlink" | "rmdir" | "shred" => {
            remove(walker, name, rest);
        }
        "mv" | "gmv" | "cp" | "gcp" | "install" | "ginstall" | "rsync" | "scp" | "ditto" => {
            copy(walker, name, rest);
        }
        "ln" | "gln" | "link" => link(walker, rest),
        "tee" | "gtee" | "touch" | "mkdir" | "mkfifo" | "mknod" | "truncate" | "sponge" => {
            const VALUES: [&str; 12] =
                ["-s", "-r", "-d", "-t", "-m", "--size", "--reference", "--date", "--mode", "-o", "-Z", "-A"];
            changed_operands(walker, &Options::read(rest, &VALUES).operands);
        }
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" | "chflags" => permissions(walker, rest),
        "dd" => dd(walker, rest),
        "sed" | "gsed" if edits_in_place(rest) => sed_in_place(walker, rest),
        "sort" | "gsort" | "shuf" => return output_option(walker, rest, &["-o", "--output"]),
        "uniq" => return second_operand(walker, rest),
        "curl" => download(walker, name, rest, &["-o", "--output", "--output-dir", "-D", "-c"]),
        "wget" => {
            download(walker, name, rest, &["-O", "--output-document", "-P", "--directory-prefix", "-o"]);
        }
        "gzip" | "gunzip" | "bzip2" | "bunzip2" | "xz" | "unxz" | "zstd" | "unzstd" => {
            return compress(walker, rest);
        }
        "split" | "csplit" | "patch" | "unzip" | "ed" | "ex" => walker.note(Effect::Runs(name.to_owned())),
        "mktemp" => walker.writes(super::effect::Target::Fresh, WriteAct::Change),
        _ if is_disk_program(name) => {
            if rest.iter().any(|argument| argument.prefix().starts_with("/dev/")) {
                walker.note(Effect::Danger(Danger::Disk));
            }
            walker.note(Effect::Runs(name.to_owned()));
        }
        _ => return false,
    }
    true
}

fn is_disk_program(name: &str) -> bool {
    let names =
        ["fdisk", "parted", "wipefs", "sgdisk", "sfdisk", "mkswap", "blkdiscard", "diskutil", "hdparm"];
    name.starts_with("mkfs") || name.starts_with("newfs") || names.contains(&name)
}

fn changed_operands(walker: &mut Walker<'_>, operands: &[Argument]) {
    for operand in operands {
        let target = walker.scope.target(operand);
        walker.writes(target, WriteAct::Change);
    }
}

fn remove(walker: &mut Walker<'_>, name: &str, rest: &[Argument]) {
    let options = Options::read(rest, &["-n", "-s"]);
    let is_tree = options.has(&["-r", "-R", "--recursive"]) || name.starts_with("trash");
    for operand in &options.operands {
        let target = walker.scope.target(operand);
        walker.writes(target, if is_tree { WriteAct::RemoveTree } else { WriteAct::Remove });
    }
    if options.operands.is_empty() && !options.has(&["--version", "--help"]) {
        walker.note(Effect::Runs(name.to_owned()));
    }
}

fn copy(walker: &mut Walker<'_>, name: &str, rest: &[Argument]) {
    const VALUES: [&str; 11] =
        ["-t", "--target-directory", "-S", "--suffix", "-m", "-o", "-g", "-e", "--exclude", "-P", "-i"];
    // Options of cp and rsync that take no value there.
    let values = match name {
        "cp" | "gcp" | "mv" | "gmv" => &VALUES[..4],
        "install" | "ginstall" => &VALUES[..7],
        _ => &VALUES[7..],
    };
    let options = Options::read(rest, values);
    let mut operands = options.operands.clone();
    let into = options.value(&["-t", "--target-directory"]).cloned();
    if matches!(name, "install" | "ginstall") && options.has(&["-d", "--directory"]) {
        return changed_operands(walker, &operands);
    }
    let Some(target) = into.or_else(|| operands.pop()) else { return };
    for source in &operands {
        let source = walker.scope.target(source);
        if name.ends_with("mv") {
            walker.writes(source, WriteAct::RemoveTree);
        } else {
            walker.note(Effect::Reads(source));
        }
    }
    let is_remote = matches!(name, "rsync" | "scp")
        && target.prefix().split('/').next().is_some_and(|first| first.contains(':'));
    if is_remote {
        walker.note(Effect::Runs(name.to_owned()));
        return;
    }
    if name == "rsync" && options.flags.iter().any(|flag| flag.name.starts_with("--del")) {
        let removed = walker.scope.target(&target);
        walker.writes(removed, WriteAct::RemoveTree);
    }
    // Into a folder, the name of the source counts.
    if let ([source], Some(folder)) = (operands.as_slice(), target.known())
        && let Some(file) = source.known().and_then(|path| path.trim_end_matches('/').rsplit('/').next())
    {
        let inside = Argument::text(&format!("{}/{file}", folder.trim_end_matches('/')));
        let is_folder = walker.surroundings.facts.exists(&path_of(walker, &target).join("."));
        if is_folder && !folder.is_empty() {
            let inside = walker.scope.target(&inside);
            walker.writes(inside, WriteAct::Change);
            return;
        }
    }
    let target = walker.scope.target(&target);
    walker.writes(target, WriteAct::Change);
}

fn path_of(walker: &Walker<'_>, argument: &Argument) -> std::path::PathBuf {
    walker.scope.folder(walker.surroundings).join(argument.known().unwrap_or_default())
}

fn link(walker: &mut Walker<'_>, rest: &[Argument]) {
    let options = Options::read(rest, &["-t", "--target-directory", "-S"]);
    let target = match (options.value(&["-t", "--target-directory"]), options.operands.as_slice()) {
        (Some(folder), _) => folder.clone(),
        (None, [.., _, last]) => last.clone(),
        // A link in the current folder.
        (None, _) => Argument::text("."),
    };
    let target = walker.scope.target(&target);
    walker.writes(target, WriteAct::Change);
}

fn permissions(walker: &mut Walker<'_>, rest: &[Argument]) {
    // A mode such as `-x` looks like an option.
    let options = Options::read(rest, &[]);
    let act =
        if options.has(&["-R", "--recursive"]) { WriteAct::PermissionsTree } else { WriteAct::Permissions };
    let has_reference = rest.iter().any(|argument| argument.prefix().starts_with("--reference"));
    let mode_is_option = rest.iter().any(|argument| {
        argument.is_option() && !argument.is("-R") && argument.prefix().len() > 1 && is_mode(argument)
    });
    let skipped = usize::from(!has_reference && !mode_is_option);
    for operand in options.operands.iter().skip(skipped) {
        let target = walker.scope.target(operand);
        walker.writes(target, act);
    }
}

/// True for a mode with a leading dash: `-x`, `-rw`.
fn is_mode(argument: &Argument) -> bool {
    let letters = argument.prefix().trim_start_matches('-');
    !argument.prefix().starts_with("--")
        && !letters.is_empty()
        && letters.bytes().all(|byte| b"rwxst".contains(&byte))
}

fn dd(walker: &mut Walker<'_>, rest: &[Argument]) {
    for argument in rest {
        if let Some(file) = argument.strip_prefix("of=") {
            let target = walker.scope.target(&file);
            walker.writes(target, WriteAct::Change);
        } else if let Some(file) = argument.strip_prefix("if=") {
            let target = walker.scope.target(&file);
            walker.note(Effect::Reads(target));
        }
    }
}

fn edits_in_place(rest: &[Argument]) -> bool {
    let options = Options::read(rest, &["-e", "-f", "--expression", "--file", "-l", "--line-length"]);
    options
        .flags
        .iter()
        .any(|flag| flag.name == "-i" || flag.name == "-I" || flag.name.starts_with("--in-pl"))
}

fn sed_in_place(walker: &mut Walker<'_>, rest: &[Argument]) {
    // Letters after `-i` are a suffix.
    let cleaned = rest.iter().filter(|argument| !argument.prefix().starts_with("-i"));
    let cleaned: Vec<Argument> = cleaned.cloned().collect();
    let options = Options::read(&cleaned, &["-e", "-f", "--expression", "--file"]);
    let has_script = options.has(&["-e", "-f", "--expression", "--file"]);
    let skipped = usize::from(!has_script);
    changed_operands(walker, options.operands.get(skipped..).unwrap_or_default());
    if options.operands.len() <= skipped {
        walker.note(Effect::Runs("sed -i".to_owned()));
    }
}

/// A reader with an option that names an output file. False if it is not given.
fn output_option(walker: &mut Walker<'_>, rest: &[Argument], names: &[&str]) -> bool {
    let options = Options::read(rest, &["-o", "--output", "-k", "-t", "-S", "-T", "-n", "--key"]);
    match options.value(names) {
        Some(file) => {
            let target = walker.scope.target(file);
            walker.writes(target, WriteAct::Change);
            true
        }
        None => false,
    }
}

fn second_operand(walker: &mut Walker<'_>, rest: &[Argument]) -> bool {
    let options = Options::read(rest, &["-f", "-s", "-w"]);
    if let [_, output, ..] = options.operands.as_slice() {
        let target = walker.scope.target(output);
        walker.writes(target, WriteAct::Change);
        return true;
    }
    false
}

fn download(walker: &mut Walker<'_>, name: &str, rest: &[Argument], files: &[&str]) {
    walker.note(Effect::Runs(name.to_owned()));
    let mut values = files.to_vec();
    values.extend(["-H", "-X", "-d", "-u", "-A", "-e", "-b", "-F", "-m", "-x", "-T", "--data", "--header"]);
    let options = Options::read(rest, &values);
    for flag in options.flags.iter().filter(|flag| files.contains(&flag.name.as_str())) {
        if let Some(file) = flag.value.as_ref().filter(|file| !file.is("-")) {
            let target = walker.scope.target(file);
            walker.writes(target, WriteAct::Change);
        }
    }
}

/// Compression replaces its operands, unless it writes to standard output, lists or tests.
fn compress(walker: &mut Walker<'_>, rest: &[Argument]) -> bool {
    let options = Options::read(rest, &[]);
    if options.has(&["-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test"])
        || options.operands.is_empty()
    {
        return false;
    }
    changed_operands(walker, &options.operands);
    true
}
