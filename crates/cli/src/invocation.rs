//! Invocation of the program: global flags, process environment and the application with its flows.

use crate::arguments::GlobalArgs;
use crate::env_vars;
use crate::output;
use charrette_app::trust::TrustGrant;
use charrette_app::{App, AppError, Environment, Notices, Site};
use charrette_model::stamp::Now;
use std::ops::Deref;
use std::sync::Arc;

/// One invocation of the program; every command gets a reference to it.
#[derive(Debug, Clone)]
pub(crate) struct Invocation {
    global: GlobalArgs,
    app: App,
    pub(crate) environment: Arc<Environment>,
}

impl Invocation {
    pub(crate) fn new(global: GlobalArgs, app: App) -> Invocation {
        let trust = match global.trust.as_deref() {
            None => TrustGrant::None,
            Some("") => TrustGrant::Any,
            Some(digest) => TrustGrant::Digest(digest.to_owned()),
        };
        Invocation { global, app, environment: env_vars::read_environment(trust) }
    }

    /// A copy that prints no progress, notes or colour.
    pub(crate) fn without_notices(&self) -> Invocation {
        let global = GlobalArgs { json: false, quiet: true, no_color: true, ..self.global.clone() };
        Invocation { global, ..self.clone() }
    }

    /// Opens the site of the current folder; problems of its configuration are printed as warnings.
    pub(crate) fn site(&self) -> Result<Site, AppError> {
        Site::open(&self.app, self.environment.clone(), self.notices())
    }

    /// Like [`Invocation::site`] for plumbing, which uses nothing that needs trust and does not mention it.
    pub(crate) fn plumbing_site(&self) -> Result<Site, AppError> {
        let site = Site::find(&self.app, self.environment.clone(), self.notices())?;
        site.report_problems();
        Ok(site)
    }

    /// Finds the site of the current folder without printing warnings.
    pub(crate) fn silent_site(&self) -> Result<Site, AppError> {
        Site::find(&self.app, self.environment.clone(), Notices::silent())
    }

    /// Finds the site of the current folder with these grants of trust; notices are printed, warnings not yet.
    pub(crate) fn site_with_trust(&self, trust: TrustGrant) -> Result<Site, AppError> {
        let environment = Environment { trust, ..Environment::clone(&self.environment) };
        Site::find(&self.app, Arc::new(environment), self.notices())
    }

    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    /// Current time, or the one fixed by `CHARRETTE_NOW`.
    pub(crate) fn now(&self) -> Result<Now, AppError> {
        charrette_app::now(&self.environment)
    }

    fn notices(&self) -> Notices {
        let global = self.global.clone();
        Notices::new(move |notice| output::print_notice(&global, notice))
    }
}

impl Deref for Invocation {
    type Target = GlobalArgs;

    fn deref(&self) -> &GlobalArgs {
        &self.global
    }
}
