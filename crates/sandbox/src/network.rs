//! A process without a network: in a namespace of its own that has nothing but loopback, or, where the system allows no
//! namespaces, without TCP.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Argument of the launcher that asks whether it can enter a network namespace.
pub(crate) const QUERY: &str = "--query-network";
/// Exit code of the launcher after such a query, if it can.
pub(crate) const CAN_ENTER: i32 = 10;

/// What keeps a process from the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NetworkIsolation {
    /// A network namespace of its own, in which only loopback exists.
    Namespace,
    /// Landlock, version 4 or newer: no TCP, on loopback neither. Other protocols stay open.
    Tcp,
    /// Nothing.
    #[default]
    None,
}

impl NetworkIsolation {
    /// What this system can do with that version of Landlock, found out by a process of the launcher.
    pub fn of_this_system(launcher: &Path, landlock: Option<u8>) -> NetworkIsolation {
        let mut query = Command::new(launcher);
        query.args([crate::launcher::MODE, QUERY]).stdin(Stdio::null()).stdout(Stdio::null());
        let code = query.stderr(Stdio::null()).status().ok().and_then(|status| status.code());
        match code {
            Some(CAN_ENTER) => NetworkIsolation::Namespace,
            _ if landlock >= Some(4) => NetworkIsolation::Tcp,
            _ => NetworkIsolation::None,
        }
    }

    /// Its name on the command line of the launcher.
    pub(crate) fn name(self) -> &'static str {
        match self {
            NetworkIsolation::Namespace => "namespace",
            NetworkIsolation::Tcp => "tcp",
            NetworkIsolation::None => "none",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<NetworkIsolation> {
        let all = [NetworkIsolation::Namespace, NetworkIsolation::Tcp, NetworkIsolation::None];
        all.into_iter().find(|one| one.name() == name)
    }
}

impl fmt::Display for NetworkIsolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NetworkIsolation::Namespace => "no network but loopback",
            NetworkIsolation::Tcp => "no TCP, on loopback neither; other protocols are not held",
            NetworkIsolation::None => "the network, because this system cannot take it away",
        })
    }
}

/// Moves this process, which must have one thread only, into a network namespace of its own. The namespace ends with the
/// processes in it. After an error the process is in an unknown state and must end.
#[cfg(not(target_os = "linux"))]
pub(crate) fn enter_namespace() -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Moves this process, which must have one thread only, into a network namespace of its own. The namespace ends with the
/// processes in it. After an error the process is in an unknown state and must end.
///
/// A superuser needs a network namespace only; others need a user namespace around it, in which they stay themselves.
#[cfg(target_os = "linux")]
#[expect(deprecated, reason = "unsafe only if the table of open files is unshared, which is not done here")]
pub(crate) fn enter_namespace() -> std::io::Result<()> {
    use rustix::thread::{UnshareFlags, unshare};
    if unshare(UnshareFlags::NEWNET).is_err() {
        let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNET)?;
        fs_err::write("/proc/self/setgroups", "deny")?;
        fs_err::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs_err::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    }
    raise_loopback()
}

/// Switches the loopback interface on, by a message to the kernel.
#[cfg(target_os = "linux")]
fn raise_loopback() -> std::io::Result<()> {
    use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketType, recv, send, socket};
    let socket = socket(AddressFamily::NETLINK, SocketType::RAW, None)?;
    send(&socket, &loopback_message(), SendFlags::empty())?;
    let mut answer = [0; 1024];
    let (read, _) = recv(&socket, &mut answer, RecvFlags::empty())?;
    // A header of 16 bytes, then the error number, 0 for success.
    match answer[..read].get(16..20) {
        Some([0, 0, 0, 0]) => Ok(()),
        _ => Err(std::io::Error::other("the loopback interface cannot be switched on")),
    }
}

/// `RTM_NEWLINK` for interface 1, which is loopback in every network namespace: set `IFF_UP`.
#[cfg(target_os = "linux")]
fn loopback_message() -> Vec<u8> {
    const RTM_NEWLINK: u16 = 16;
    const REQUEST_WITH_ANSWER: u16 = 0x1 | 0x4;
    const IFF_UP: u32 = 1;
    let length: u32 = 32;
    let mut message = Vec::new();
    message.extend(length.to_ne_bytes());
    message.extend(RTM_NEWLINK.to_ne_bytes());
    message.extend(REQUEST_WITH_ANSWER.to_ne_bytes());
    // Number and sender of the message.
    message.extend([1_u32.to_ne_bytes(), [0; 4]].concat());
    // Family and type of the interface: any.
    message.extend([0; 4]);
    message.extend(1_i32.to_ne_bytes());
    message.extend(IFF_UP.to_ne_bytes());
    message.extend(IFF_UP.to_ne_bytes());
    message
}
