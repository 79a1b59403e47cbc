//! The repository that a server works in: the folder of `-C`, else the host's first root with a repository, else the
//! current folder.

use charrette_app::{App, AppError, Environment, Notices, Site};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Time that a host has to name its roots.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(2);

/// The repository that a server works in.
#[derive(Debug)]
pub struct Place {
    app: App,
    environment: Arc<Environment>,
    /// True if the folder was given by the user.
    is_fixed: bool,
    root: Mutex<HostRoot>,
}

/// Folder that the host names.
#[derive(Debug, Clone, Default)]
enum HostRoot {
    /// The host was not asked yet.
    #[default]
    Unknown,
    /// The host names no repository.
    Nowhere,
    Folder(PathBuf),
}

impl Place {
    pub fn new(app: App, environment: Arc<Environment>, is_fixed: bool) -> Place {
        Place { app, environment, is_fixed, root: Mutex::default() }
    }

    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    /// Opens the site anew: configuration and repository may have changed since the last call.
    pub(crate) fn site(&self) -> Result<Site, AppError> {
        let root = self.root.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match root {
            HostRoot::Folder(folder) => {
                let environment = Environment { folder, ..(*self.environment).clone() };
                Site::find(&self.app, Arc::new(environment), Notices::silent())
            }
            HostRoot::Unknown | HostRoot::Nowhere => {
                Site::find(&self.app, self.environment.clone(), Notices::silent())
            }
        }
    }

    /// Asks the host for its roots, once, if it has them and the protocol lets a server ask.
    pub(crate) async fn learn_root(&self, context: &RequestContext<RoleServer>) {
        let root = self.root.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if self.is_fixed || !matches!(root, HostRoot::Unknown) {
            return;
        }
        let found = self.first_root(context).await.map_or(HostRoot::Nowhere, HostRoot::Folder);
        *self.root.lock().unwrap_or_else(PoisonError::into_inner) = found;
    }

    /// Forgets the roots, because they have changed.
    pub(crate) fn forget_root(&self) {
        *self.root.lock().unwrap_or_else(PoisonError::into_inner) = HostRoot::Unknown;
    }

    #[expect(deprecated, reason = "roots are part of the older revisions, which hosts still speak")]
    async fn first_root(&self, context: &RequestContext<RoleServer>) -> Option<PathBuf> {
        let may_ask = !crate::server::is_modern(context);
        if !may_ask || context.client_capabilities()?.roots.is_none() {
            return None;
        }
        let listed = tokio::time::timeout(ROOTS_TIMEOUT, context.peer.list_roots()).await.ok()?.ok()?;
        let folders = listed.roots.iter().filter_map(|root| folder_of(&root.uri));
        folders.into_iter().find(|folder| self.is_repository(folder))
    }

    fn is_repository(&self, folder: &Path) -> bool {
        let environment = Environment { folder: folder.to_owned(), ..(*self.environment).clone() };
        Site::find(&self.app, Arc::new(environment), Notices::silent())
            .is_ok_and(|site| site.repository.is_some())
    }
}

/// Path of a `file:` address of this machine.
fn folder_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    let path = PathBuf::from(String::from_utf8(bytes).ok()?);
    path.is_absolute().then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_folders_are_decoded() {
        for (uri, expected) in [
            ("file:///work/a%20b", Some("/work/a b")),
            ("file://localhost/x", Some("/x")),
            ("file://host/x", None),
            ("file:///x%2", None),
            ("file:///x%zz", None),
            ("https://example.com/", None),
            ("file://relative", None),
        ] {
            assert_eq!(folder_of(uri), expected.map(PathBuf::from), "{uri}");
        }
    }
}
