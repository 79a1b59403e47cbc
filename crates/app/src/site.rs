//! Site of a command: folder, repository, configuration, time.

use crate::App;
use crate::environment::{CHARRETTE_NOW, Environment};
use crate::error::AppError;
use crate::notices::Notices;
use charrette_engine::Registry;
use charrette_model::config::{ConfigProblem, Layer, Settings, read_layers};
use charrette_model::stamp::{Now, Stamp};
use charrette_store::layout::StateFolder;
use charrette_store::{Documents, Holder, Location, Repository, locate, repository};
use jiff::Timestamp;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Place a command works in, with its configuration.
#[derive(Debug, Clone)]
pub struct Site {
    /// Commands that can be driven here.
    pub registry: Registry,
    pub environment: Arc<Environment>,
    pub notices: Notices,
    /// Root of the work tree; outside a repository, the current folder.
    pub root: PathBuf,
    pub repository: Option<Repository>,
    /// Configuration files that were looked for.
    pub layers: Vec<ConfigFile>,
    pub settings: Settings,
    /// Problems in the configuration.
    pub problems: Vec<ConfigProblem>,
    pub now: Now,
}

/// Possible configuration file.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// Layer: repository, user or environment.
    pub layer: &'static str,
    pub path: PathBuf,
    pub present: bool,
}

impl Site {
    /// Finds the repository and reads the configuration. Problems in it are stored, not reported.
    pub fn find(app: &App, environment: Arc<Environment>, notices: Notices) -> Result<Site, AppError> {
        let now = now(&environment)?;
        let folder = environment
            .folder
            .canonicalize()
            .map_err(|error| AppError::failed(format!("cannot resolve the current folder: {error}")))?;
        let location = if environment.git_is_redirected() {
            repository::locate_with_git(&folder)
        } else {
            locate(&folder)
        };
        let (root, repository) = match location {
            Ok(Location::WorkTree(repository)) => (repository.work_tree.clone(), Some(repository)),
            Ok(Location::Outside) => (folder, None),
            Ok(Location::Bare(path)) => {
                let message = format!("{} has no work tree to keep state in", path.display());
                return Err(
                    AppError::failed(message).hint("Run charrette in a work tree: git worktree add ../work")
                );
            }
            Err(error) => return Err(AppError::failed(format!("cannot find the repository: {error}"))),
        };
        let (mut layers, files, mut problems) = config_files(&root, &environment);
        layers.extend(app.settings.clone());
        let (settings, found) = read_layers(&layers);
        problems.extend(found);
        let registry = app.registry.clone();
        Ok(Site { registry, environment, notices, root, repository, layers: files, settings, problems, now })
    }

    /// Like [`Site::find`], with a warning for each problem in the configuration.
    pub fn open(app: &App, environment: Arc<Environment>, notices: Notices) -> Result<Site, AppError> {
        let site = Site::find(app, environment, notices)?;
        for problem in &site.problems {
            site.notices.note(format!("Warning: {}", problem.message()));
        }
        Ok(site)
    }

    /// State documents of this site.
    pub fn documents(&self) -> Documents {
        let folder = StateFolder::new(&self.root, self.settings.state_folder());
        let holder = Holder {
            pid: std::process::id(),
            since: self.now.stamp().to_string(),
            command: self.environment.command_line.clone(),
        };
        Documents::new(folder, self.repository.clone(), holder, self.settings.summary_words())
    }

    /// Path relative to the root, if it is below it.
    pub fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }
}

/// Real time, or the frozen time of `CHARRETTE_NOW`.
pub fn now(environment: &Environment) -> Result<Now, AppError> {
    match environment.now() {
        None => Ok(Now::real(Timestamp::now())),
        Some(text) => {
            let stamp = Stamp::parse(&text.to_string_lossy())
                .map_err(|error| AppError::usage(format!("{CHARRETTE_NOW}: {error}")))?;
            Ok(Now::frozen(stamp.at()))
        }
    }
}

/// Reads the configuration files, lowest layer first: repository, user, environment.
fn config_files(root: &Path, environment: &Environment) -> (Vec<Layer>, Vec<ConfigFile>, Vec<ConfigProblem>) {
    let places = [
        ("repository", Some(root.join("charrette.toml")), false),
        ("user", environment.user_config_file(), false),
        ("environment", environment.config_file(), true),
    ];
    let (mut layers, mut files, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for (layer, path, required) in places {
        let Some(path) = path else { continue };
        let mut present = false;
        match fs_err::read_to_string(&path) {
            Ok(text) => {
                present = true;
                let origin = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                layers.push(Layer { origin, text });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && !required => {}
            Err(error) => problems.push(ConfigProblem::Error { message: error.to_string() }),
        }
        files.push(ConfigFile { layer, path, present });
    }
    (layers, files, problems)
}
