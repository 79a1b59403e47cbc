//! Options and operands of a command line.

use crate::shell::Argument;

#[derive(Debug, Default)]
pub(super) struct Options {
    pub(super) flags: Vec<Flag>,
    pub(super) operands: Vec<Argument>,
    /// Number of operands before `--`, if it was given.
    pub(super) dashes: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Flag {
    /// `-x` or `--name`.
    pub(super) name: String,
    pub(super) value: Option<Argument>,
}

impl Options {
    /// Reads options; those in `with_value` take the next argument as their value.
    pub(super) fn read(arguments: &[Argument], with_value: &[&str]) -> Options {
        let mut options = Options::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if options.dashes.is_some() || !argument.is_option() {
                options.operands.push(argument.clone());
            } else if argument.is("--") {
                options.dashes = Some(options.operands.len());
            } else if argument.prefix().starts_with("--") {
                let (name, value) = match argument.prefix().split_once('=') {
                    Some((name, _)) => {
                        let name = name.to_owned();
                        let value = argument.strip_prefix(&format!("{name}="));
                        (name, value)
                    }
                    None if with_value.contains(&argument.prefix()) => {
                        (argument.prefix().to_owned(), rest.next().cloned())
                    }
                    None => (argument.prefix().to_owned(), None),
                };
                options.flags.push(Flag { name, value });
            } else {
                options.read_short(argument, with_value, &mut rest);
            }
        }
        options
    }

    /// [`Options::read`] for programs whose options end at the first operand.
    pub(super) fn read_until_operand(arguments: &[Argument], with_value: &[&str]) -> Options {
        let mut at = 0;
        while let Some(argument) = arguments.get(at).filter(|argument| argument.is_option()) {
            at += 1 + usize::from(argument.known().is_some_and(|text| with_value.contains(&text)));
            if argument.is("--") {
                break;
            }
        }
        let at = at.min(arguments.len());
        let mut options = Options::read(&arguments[..at], with_value);
        options.operands = arguments[at..].to_vec();
        options
    }

    /// A cluster of short options such as `-rf`.
    fn read_short<'a>(
        &mut self,
        argument: &Argument,
        with_value: &[&str],
        rest: &mut impl Iterator<Item = &'a Argument>,
    ) {
        let letters = argument.prefix().strip_prefix('-').unwrap_or_default();
        for (at, letter) in letters.char_indices() {
            let name = format!("-{letter}");
            if !with_value.contains(&name.as_str()) {
                self.flags.push(Flag { name, value: None });
                continue;
            }
            let before = format!("-{}", &letters[..at + letter.len_utf8()]);
            let attached = argument.strip_prefix(&before).filter(|value| !value.is(""));
            let value = attached.or_else(|| rest.next().cloned());
            self.flags.push(Flag { name, value });
            return;
        }
    }

    /// True if one of the options is given. Long ones may be abbreviated.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.find(names).is_some()
    }

    /// Value of the last of these options.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Argument> {
        self.find(names)?.value.as_ref()
    }

    fn find(&self, names: &[&str]) -> Option<&Flag> {
        let fits = |given: &str, name: &&str| {
            given == *name || (given.len() > 4 && given.starts_with("--") && name.starts_with(given))
        };
        self.flags.iter().rev().find(|flag| names.iter().any(|name| fits(&flag.name, name)))
    }
}
