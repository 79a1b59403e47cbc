//! Rules of a sandbox, and their form on a command line.

use crate::lane::Mark;
use crate::network::NetworkIsolation;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// What a process may use. A rule for a folder counts for everything in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    /// Paths that it may change. Those that do not exist are skipped.
    pub writes: Vec<PathBuf>,
    /// Paths that it may not read.
    pub hides: Vec<PathBuf>,
    /// Paths inside hidden ones that it may read all the same.
    pub shows: Vec<PathBuf>,
    /// Highest version of Landlock to use; none for no limit.
    pub abi_limit: Option<u8>,
    /// What keeps it from the network.
    pub network: NetworkIsolation,
    /// The mark of a process of a lane, which leads a session of its own, without a terminal.
    pub lane: Option<Mark>,
}

/// Command line of the launcher that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadArguments(pub String);

const WRITE: &str = "--write";
const HIDE: &str = "--hide";
const SHOW: &str = "--show";
const ABI: &str = "--abi";
const NETWORK: &str = "--network";
const LANE: &str = "--lane";
const END: &str = "--";

impl Rules {
    /// Arguments of the launcher for these rules; the program and its arguments follow.
    pub fn to_arguments(&self) -> Vec<OsString> {
        let paths = |name: &'static str, paths: &[PathBuf]| -> Vec<OsString> {
            paths.iter().flat_map(|path| [name.into(), path.clone().into_os_string()]).collect()
        };
        let limit = self.abi_limit.map(|limit| [ABI.into(), limit.to_string().into()]);
        let is_open = self.network == NetworkIsolation::None;
        let network = (!is_open).then(|| [NETWORK.into(), self.network.name().into()]);
        let lane = self.lane.map(|mark| [LANE.into(), mark.to_string().into()]);
        [
            paths(WRITE, &self.writes),
            paths(HIDE, &self.hides),
            paths(SHOW, &self.shows),
            limit.into_iter().flatten().collect(),
            network.into_iter().flatten().collect(),
            lane.into_iter().flatten().collect(),
            vec![END.into()],
        ]
        .concat()
    }

    /// Reads the arguments of the launcher: the rules, and the program with its arguments.
    pub fn from_arguments(
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<(Rules, Vec<OsString>), BadArguments> {
        let mut arguments = arguments.into_iter();
        let mut rules = Rules::default();
        while let Some(name) = arguments.next() {
            if name == END {
                return Ok((rules, arguments.collect()));
            }
            let name = name.to_string_lossy().into_owned();
            let value = arguments.next().ok_or_else(|| BadArguments(format!("{name} has no value")))?;
            match name.as_str() {
                WRITE => rules.writes.push(value.into()),
                HIDE => rules.hides.push(value.into()),
                SHOW => rules.shows.push(value.into()),
                ABI => rules.abi_limit = Some(limit(&value)?),
                NETWORK => rules.network = isolation(&value)?,
                LANE => rules.lane = Some(mark(&value)?),
                _ => return Err(BadArguments(format!("{name} is not known"))),
            }
        }
        Err(BadArguments(format!("there is no {END} before the program")))
    }
}

fn limit(value: &OsStr) -> Result<u8, BadArguments> {
    let number = value.to_str().and_then(|value| value.parse().ok());
    number.ok_or_else(|| BadArguments(format!("{ABI} is not a number: {}", value.to_string_lossy())))
}

fn isolation(value: &OsStr) -> Result<NetworkIsolation, BadArguments> {
    let found = value.to_str().and_then(NetworkIsolation::from_name);
    found.ok_or_else(|| BadArguments(format!("{NETWORK} is not known: {}", value.to_string_lossy())))
}

fn mark(value: &OsStr) -> Result<Mark, BadArguments> {
    let found = value.to_str().and_then(Mark::parse);
    found.ok_or_else(|| BadArguments(format!("{LANE} is no mark: {}", value.to_string_lossy())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt as _;

    #[test]
    fn rules_pass_through_a_command_line_whatever_the_names() {
        let odd = PathBuf::from(OsString::from_vec(b"/a \xff--\n".to_vec()));
        let rules = Rules {
            writes: vec![odd.clone(), "--".into()],
            hides: vec!["/h".into()],
            shows: vec![odd],
            abi_limit: Some(2),
            network: NetworkIsolation::Tcp,
            lane: Some(Mark::of_driver(u64::MAX)),
        };
        let mut arguments = rules.to_arguments();
        let command: Vec<OsString> = vec!["sh".into(), "--".into(), "--write".into()];
        arguments.extend(command.clone());
        assert_eq!(Rules::from_arguments(arguments), Ok((rules, command)));
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for (arguments, problem) in [
            (vec!["--write"], "--write has no value"),
            (vec!["--rights", "all"], "--rights is not known"),
            (vec!["--abi", "x"], "--abi is not a number: x"),
            (vec!["--network", "some"], "--network is not known: some"),
            (vec!["--lane", "7"], "--lane is no mark: 7"),
            (vec!["--write", "/a"], "there is no -- before the program"),
        ] {
            let read = Rules::from_arguments(arguments.into_iter().map(OsString::from));
            assert_eq!(read, Err(BadArguments(problem.to_owned())));
        }
    }
}
