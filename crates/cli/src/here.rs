//! What every command is given: the flags of the command line, the process, and what this binary can do.

use crate::arguments::Global;
use crate::env_vars;
use crate::output;
use charrette_app::{App, AppError, Environment, Notices, Site};
use charrette_model::stamp::Now;
use std::ops::Deref;
use std::sync::Arc;

/// What every command is given.
#[derive(Debug, Clone)]
pub(crate) struct Here {
    global: Global,
    app: App,
    pub(crate) environment: Arc<Environment>,
}

impl Here {
    pub(crate) fn new(global: Global, app: App) -> Here {
        Here { global, app, environment: env_vars::environment() }
    }

    /// The same, saying less.
    pub(crate) fn quietly(&self) -> Here {
        let global = Global { json: false, quiet: true, no_color: true, ..self.global.clone() };
        Here { global, ..self.clone() }
    }

    /// The place we work in, saying what is odd about its configuration.
    pub(crate) fn site(&self) -> Result<Site, AppError> {
        Site::open(&self.app, self.environment.clone(), self.notices())
    }

    /// The same, saying nothing.
    pub(crate) fn silent_site(&self) -> Result<Site, AppError> {
        Site::find(&self.app, self.environment.clone(), Notices::silent())
    }

    /// What this binary can do.
    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    /// The time, or the one it was frozen at.
    pub(crate) fn now(&self) -> Result<Now, AppError> {
        charrette_app::now(&self.environment)
    }

    fn notices(&self) -> Notices {
        let global = self.global.clone();
        Notices::new(move |notice| output::notice(&global, notice))
    }
}

impl Deref for Here {
    type Target = Global;

    fn deref(&self) -> &Global {
        &self.global
    }
}
