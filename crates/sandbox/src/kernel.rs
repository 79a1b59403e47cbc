//! Enforcement by the kernel of this system.

use std::fmt;
use std::sync::OnceLock;

/// First version of Landlock that controls everything that makes a file writable.
const FULL: u8 = 3;
/// First version that keeps signals and abstract sockets inside.
const SCOPED: u8 = 6;

/// Enforcement of sandbox rules on this system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Protection {
    /// Landlock of this version.
    Landlock(u8),
    /// None, for this reason.
    None(&'static str),
}

impl Protection {
    /// Protection on this system, with at most that version of Landlock.
    pub fn of_this_system(abi_limit: Option<u8>) -> Protection {
        static FOUND: OnceLock<Protection> = OnceLock::new();
        match FOUND.get_or_init(system_protection).clone() {
            Protection::Landlock(_) if abi_limit == Some(0) => {
                Protection::None("Landlock is switched off here")
            }
            Protection::Landlock(abi) => Protection::Landlock(abi.min(abi_limit.unwrap_or(abi))),
            none @ Protection::None(_) => none,
        }
    }

    /// True if every write outside the rules is refused.
    pub fn is_full(&self) -> bool {
        matches!(self, Protection::Landlock(abi) if *abi >= FULL)
    }

    /// Gaps in the enforcement of an old version, in words.
    pub fn gaps(&self) -> Vec<&'static str> {
        let Protection::Landlock(abi) = self else { return Vec::new() };
        let gaps = [
            (2, "files cannot be moved between folders"),
            (FULL, "files anywhere can be cut to length zero"),
            (SCOPED, "signals reach processes outside, abstract sockets too"),
        ];
        gaps.into_iter().filter(|(since, _)| abi < since).map(|(_, gap)| gap).collect()
    }
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Protection::Landlock(abi) => write!(f, "Landlock {abi}"),
            Protection::None(reason) => f.write_str(reason),
        }
    }
}

/// Asks the kernel. The question is a sandbox without limits, in a thread that ends.
#[cfg(target_os = "linux")]
fn system_protection() -> Protection {
    use landlock::{
        AccessFs, LandlockStatus, PathBeneath, PathFd, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    };
    let status = std::thread::spawn(|| {
        let created = Ruleset::default().handle_access(AccessFs::Execute).ok()?.create().ok()?;
        let everywhere = PathBeneath::new(PathFd::new("/").ok()?, AccessFs::Execute);
        Some(created.add_rule(everywhere).ok()?.restrict_self().ok()?.landlock)
    });
    match status.join().ok().flatten() {
        Some(LandlockStatus::Available { effective_abi, .. }) => Protection::Landlock(effective_abi as u8),
        Some(LandlockStatus::NotEnabled) => Protection::None("Landlock is not enabled in this kernel"),
        Some(LandlockStatus::NotImplemented) => {
            Protection::None("this kernel has no Landlock, or a container forbids it")
        }
        None => Protection::None("the kernel refuses to restrict a process"),
    }
}

#[cfg(not(target_os = "linux"))]
fn system_protection() -> Protection {
    Protection::None("this system has no Landlock, which is part of Linux")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_lowers_the_version_and_names_its_gaps() {
        let Protection::Landlock(6..) = Protection::of_this_system(None) else { return };
        let with = |limit| Protection::of_this_system(Some(limit));
        assert_eq!(with(0), Protection::None("Landlock is switched off here"));
        assert!(!with(1).is_full() && !with(2).is_full() && with(3).is_full());
        assert_eq!([1, 2, 3, 6].map(|limit| with(limit).gaps().len()), [3, 2, 1, 0]);
        assert_eq!(Protection::of_this_system(Some(200)), Protection::of_this_system(None));
    }

    #[test]
    fn asking_restricts_nothing() {
        assert_ne!(
            Protection::of_this_system(None),
            Protection::None("the kernel refuses to restrict a process")
        );
        let file = tempfile::NamedTempFile::new().unwrap();
        fs_err::write(file.path(), "x").unwrap();
    }
}
