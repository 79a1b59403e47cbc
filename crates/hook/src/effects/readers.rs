//! Programs that are known to only read, with the arguments that make an exception.

use super::effect::Effect;
use super::options::Options;
use super::walk::Walker;
use crate::shell::Argument;

const READERS: [&str; 113] = [
    "ls",
    "ll",
    "dir",
    "cat",
    "bat",
    "batcat",
    "head",
    "tail",
    "less",
    "more",
    "most",
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ag",
    "ack",
    "wc",
    "sort",
    "uniq",
    "cut",
    "tr",
    "paste",
    "join",
    "comm",
    "diff",
    "cmp",
    "colordiff",
    "nl",
    "tac",
    "rev",
    "fold",
    "fmt",
    "column",
    "expand",
    "unexpand",
    "od",
    "hexdump",
    "hd",
    "strings",
    "file",
    "stat",
    "du",
    "df",
    "tree",
    "exa",
    "eza",
    "lsd",
    "pwd",
    "echo",
    "printf",
    "test",
    "[",
    "seq",
    "date",
    "cal",
    "basename",
    "dirname",
    "realpath",
    "readlink",
    "which",
    "whereis",
    "type",
    "whatis",
    "man",
    "apropos",
    "info",
    "whoami",
    "id",
    "groups",
    "users",
    "who",
    "w",
    "uname",
    "hostname",
    "arch",
    "nproc",
    "uptime",
    "free",
    "ps",
    "pgrep",
    "pstree",
    "lsof",
    "locale",
    "getconf",
    "tput",
    "tty",
    "md5sum",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "b2sum",
    "cksum",
    "md5",
    "shasum",
    "sum",
    "base64",
    "base32",
    "zcat",
    "bzcat",
    "xzcat",
    "zless",
    "jq",
    "gron",
    "expr",
    "bc",
    "sleep",
    "printenv",
    "tokei",
    "cloc",
];

/// Readers with options that write or run something: a reader only without them.
const EXCEPTIONS: [(&str, &[&str]); 9] = [
    ("rg", &["--pre", "--hostname-bin"]),
    ("date", &["-s", "--set"]),
    ("hostname", &["-F", "-b", "--file"]),
    ("bat", &["--pager"]),
    ("ack", &["--pager"]),
    ("ag", &["--pager"]),
    ("less", &["-o", "-O", "--log-file"]),
    ("file", &["-C", "--compile"]),
    ("tree", &["-o"]),
];

/// Notes what a program reads. False if it is not known to only read.
pub(super) fn run(walker: &mut Walker<'_>, name: &str, rest: &[Argument]) -> bool {
    let only_prints = rest.len() == 1 && (rest[0].is("--version") || rest[0].is("--help"));
    let reads = only_prints
        || match name {
            "sed" | "gsed" => sed_reads(rest),
            "awk" | "gawk" | "mawk" | "nawk" => awk_reads(rest),
            "yq" => !Options::read(rest, &[]).has(&["-i", "--inplace", "--in-place"]),
            "xxd" => !Options::read(rest, &["-l", "-s", "-c", "-g"]).has(&["-r", "-i"]),
            "tar" | "bsdtar" | "gtar" => tar_lists(rest),
            "unzip" | "zipinfo" => rest.first().is_some_and(|first| first.is("-l") || first.is("-v")),
            "gzip" | "gunzip" | "bzip2" | "xz" | "zstd" | "unxz" | "bunzip2" | "unzstd" => true,
            "cargo" | "npm" | "pnpm" | "yarn" | "go" | "rustc" | "make" | "gcc" | "cc" | "clang" => {
                rest.first().is_some_and(|first| first.is("--version") || first.is("version"))
            }
            _ => {
                let exceptions = EXCEPTIONS.iter().find(|(program, _)| *program == name);
                READERS.contains(&name) && exceptions.is_none_or(|(_, names)| !has_any(rest, names))
            }
        };
    if reads {
        for operand in rest.iter().filter(|argument| !argument.is_option()) {
            if !matches!(name, "echo" | "printf") {
                let target = walker.scope.target(operand);
                walker.note(Effect::Reads(target));
            }
        }
    }
    reads
}

fn has_any(rest: &[Argument], names: &[&str]) -> bool {
    let fits = |argument: &Argument, name: &&str| {
        let text = argument.prefix();
        text == *name || (name.starts_with("--") && text.starts_with(&format!("{name}="))) || {
            // In a cluster of short options.
            name.len() == 2 && argument.is_option() && !text.starts_with("--") && text.contains(&name[1..])
        }
    };
    rest.iter().any(|argument| names.iter().any(|name| fits(argument, name)))
}

/// True for a sed script of printing, deleting and substituting only.
fn sed_reads(rest: &[Argument]) -> bool {
    let options = Options::read(rest, &["-e", "--expression", "-f", "--file", "-l"]);
    if options.has(&["-f", "--file", "-i", "-I", "--in-place"]) {
        return false;
    }
    let scripts: Vec<&Argument> = options
        .flags
        .iter()
        .filter(|flag| flag.name == "-e" || flag.name == "--expression")
        .filter_map(|flag| flag.value.as_ref())
        .collect();
    let scripts = if scripts.is_empty() { options.operands.first().into_iter().collect() } else { scripts };
    scripts.iter().all(|script| script.known().is_some_and(sed_script_reads))
}

fn sed_script_reads(script: &str) -> bool {
    let mut rest = script.trim();
    while !rest.is_empty() {
        rest = rest
            .trim_start_matches(|letter: char| letter.is_whitespace() || matches!(letter, ';' | '{' | '}'));
        // An address: numbers, `$`, `,`, `+`, `!` and `/…/`.
        loop {
            rest = rest.trim_start_matches(|letter: char| {
                letter.is_ascii_digit()
                    || letter.is_whitespace()
                    || matches!(letter, '$' | ',' | '+' | '!' | '~')
            });
            let Some(inside) = rest.strip_prefix('/') else { break };
            let Some(end) = unescaped(inside, '/') else { return false };
            rest = &inside[end + 1..];
        }
        let Some(command) = rest.chars().next() else { return true };
        rest = &rest[command.len_utf8()..];
        match command {
            'p' | 'd' | 'q' | 'Q' | '=' | 'n' | 'N' | 'P' | 'D' | 'h' | 'H' | 'g' | 'G' | 'x' | 'l' | ';'
            | '}' | '{' => {}
            's' | 'y' => {
                let Some(delimiter) = rest.chars().next() else { return false };
                rest = &rest[delimiter.len_utf8()..];
                for _ in 0..2 {
                    let Some(end) = unescaped(rest, delimiter) else { return false };
                    rest = &rest[end + delimiter.len_utf8()..];
                }
                rest = rest.trim_start_matches(|flag: char| {
                    flag.is_ascii_digit() || matches!(flag, 'g' | 'p' | 'i' | 'I' | 'm' | 'M')
                });
                // Anything else, such as `w` or `e`, writes or runs.
                if rest.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}

/// Position of a character that no backslash precedes.
fn unescaped(text: &str, wanted: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            letter if letter == wanted => return Some(at),
            _ => {}
        }
    }
    None
}

/// True for an awk program without output to files or commands.
fn awk_reads(rest: &[Argument]) -> bool {
    let options =
        Options::read(rest, &["-F", "-v", "-f", "-i", "-e", "--file", "--include", "--source", "-l"]);
    let is_plain = !options.has(&["-f", "-i", "-e", "--file", "--include", "--source", "-l", "-E", "--exec"]);
    let writes = ["system", "|", "getline", "@load", "@include", "close", "/inet"];
    let program = options.operands.first().and_then(Argument::known);
    is_plain && program.is_some_and(|text| !writes.iter().any(|word| text.contains(word)) && !redirects(text))
}

/// True if an awk program may write to a file: `>` after `print`. A comparison comes before a block.
fn redirects(program: &str) -> bool {
    let after_print = program.split("print").skip(1);
    let statement = |text: &str| text.split(['}', ';', '\n']).next().unwrap_or_default().contains('>');
    program.contains(">>") || after_print.into_iter().any(statement)
}

fn tar_lists(rest: &[Argument]) -> bool {
    let first = rest.first().map(Argument::prefix).unwrap_or_default();
    let is_list = first == "--list" || (!first.starts_with("--") && first.contains('t'));
    let others = ["--to-command", "-I", "--use-compress-program", "--checkpoint-action", "-F"];
    is_list && !first.contains(['x', 'c', 'r', 'u', 'A']) && !has_any(&rest[1..], &others)
}

/// True for a variable that changes which programs run, or what they run.
pub(super) fn changes_programs(name: &str) -> bool {
    const NAMES: [&str; 22] = [
        "PATH",
        "IFS",
        "ENV",
        "BASH_ENV",
        "SHELLOPTS",
        "BASHOPTS",
        "PS4",
        "PROMPT_COMMAND",
        "SHELL",
        "PAGER",
        "MANPAGER",
        "LESSOPEN",
        "LESSCLOSE",
        "EDITOR",
        "VISUAL",
        "BROWSER",
        "NODE_OPTIONS",
        "RUBYOPT",
        "RUBYLIB",
        "PERL5OPT",
        "RIPGREP_CONFIG_PATH",
        "CDPATH",
    ];
    const PREFIXES: [&str; 6] = ["LD_", "DYLD_", "GIT_", "PYTHON", "PERL5", "CHARRETTE_"];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
