//! Site of a command: folder, repository, configuration, time.

use crate::App;
use crate::environment::{CHARRETTE_NOW, Environment};
use crate::error::AppError;
use crate::notices::Notices;
use crate::trust::{Manifest, RepositoryTexts, Trust, TrustInputs};
use charrette_engine::Registry;
use charrette_model::config::{ConfigProblem, IgnoredSetting, Layer, ParsedLayer, Settings, SiteLayers};
use charrette_model::stamp::{Now, Stamp};
use charrette_store::layout::StateFolder;
use charrette_store::{DocumentCustody, Documents, Holder, Location, Repository, locate, repository};
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
    /// Settings of the repository that do not count.
    pub ignored: Vec<IgnoredSetting>,
    /// Trust in the programs, addresses and texts that the repository names.
    pub trust: Trust,
    /// Texts of the repository that are in use; overrides only if they are trusted.
    pub texts: RepositoryTexts,
    pub now: Now,
    /// Documents of the runs that this process drives, shared by all handles.
    custody: DocumentCustody,
}

/// Possible configuration file.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// Layer: user, repository or environment.
    pub layer: &'static str,
    pub path: PathBuf,
    pub present: bool,
}

impl Site {
    /// Finds the repository and reads the configuration. Problems in it are stored, not reported.
    pub fn find(app: &App, environment: Arc<Environment>, notices: Notices) -> Result<Site, AppError> {
        let now = now(&environment)?;
        let (root, repository) = locate_root(&environment)?;
        let config = ConfigFiles::read(&root, &environment);
        let (user, repository_file) = (config.user.as_slice(), &config.repository);
        let above: Vec<Layer> = config.environment.into_iter().chain(app.settings.clone()).collect();
        let merge =
            |is_trusted| SiteLayers { user, repository: repository_file, is_trusted, above: &above }.merge();
        let mut merged = merge(false);
        let texts = RepositoryTexts::read(&root, merged.settings.specs_folder());
        let manifest = Manifest::new(REPOSITORY_FILE, repository_file, &texts);
        let trust = Trust::decide(
            manifest,
            TrustInputs {
                root: &root,
                repository: repository.as_ref(),
                state_folder: environment.user_state_folder(),
                grant: environment.trust_grant(),
                holder: holder(&environment, now),
            },
        );
        let texts = if trust.is_trusted() {
            merged = merge(true);
            texts
        } else {
            texts.without_overrides()
        };
        let problems = config.problems.into_iter().chain(merged.problems).collect();
        let registry = app.registry.clone();
        Ok(Site {
            registry,
            environment,
            notices,
            root,
            repository,
            layers: config.files,
            settings: merged.settings,
            problems,
            ignored: merged.ignored,
            trust,
            texts,
            now,
            custody: DocumentCustody::default(),
        })
    }

    /// Like [`Site::find`], with a warning for each problem in the configuration, and a line about the trust in it.
    pub fn open(app: &App, environment: Arc<Environment>, notices: Notices) -> Result<Site, AppError> {
        let site = Site::find(app, environment, notices)?;
        site.report_problems();
        site.report_trust();
        Ok(site)
    }

    /// Reports the problems of the configuration, as warnings.
    pub fn report_problems(&self) {
        for problem in &self.problems {
            self.notices.note(format!("Warning: {}", problem.message()));
        }
    }

    /// Reports what of the repository is not trusted, or is used unseen.
    pub fn report_trust(&self) {
        if let Some(notice) = self.trust.notice() {
            self.notices.note(notice);
        }
        if let Some(warning) = self.trust.warning() {
            self.notices.note(warning);
        }
        if let Some(problem) = &self.trust.problem {
            self.notices.note(format!("Warning: {}", problem.message));
        }
    }

    /// State documents of this site.
    pub fn documents(&self) -> Documents {
        let folder = StateFolder::new(&self.root, self.settings.state_folder());
        Documents::new(folder, self.repository.clone(), self.holder(), self.settings.summary_words())
            .with_custody(self.custody.clone())
    }

    /// This process, as the holder of locks.
    pub(crate) fn holder(&self) -> Holder {
        holder(&self.environment, self.now)
    }

    /// Path relative to the root, if it is below it.
    pub fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }
}

/// Root of the work tree and the repository; outside one, the current folder.
fn locate_root(environment: &Environment) -> Result<(PathBuf, Option<Repository>), AppError> {
    let folder = environment
        .folder
        .canonicalize()
        .map_err(|error| AppError::failed(format!("cannot resolve the current folder: {error}")))?;
    let location =
        if environment.git_is_redirected() { repository::locate_with_git(&folder) } else { locate(&folder) };
    match location {
        Ok(Location::WorkTree(repository)) => Ok((repository.work_tree.clone(), Some(repository))),
        Ok(Location::Outside) => Ok((folder, None)),
        Ok(Location::Bare(path)) => {
            let message = format!("{} has no work tree to keep state in", path.display());
            Err(AppError::failed(message).hint("Run charrette in a work tree: git worktree add ../work"))
        }
        Err(error) => Err(AppError::failed(format!("cannot find the repository: {error}"))),
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

fn holder(environment: &Environment, now: Now) -> Holder {
    Holder::of_this_process(now.stamp().to_string(), environment.command_line.clone())
}

/// Maximum size of a configuration file.
const MAX_CONFIG_BYTES: u64 = 1 << 20;
/// Configuration file of a repository.
pub(crate) const REPOSITORY_FILE: &str = "charrette.toml";

/// Configuration files, as read.
#[derive(Default)]
struct ConfigFiles {
    files: Vec<ConfigFile>,
    user: Vec<Layer>,
    repository: ParsedLayer,
    environment: Vec<Layer>,
    problems: Vec<ConfigProblem>,
}

impl ConfigFiles {
    fn read(root: &Path, environment: &Environment) -> ConfigFiles {
        let mut config = ConfigFiles::default();
        config.user = config.layer(root, "user", environment.user_config_file(), false);
        let repository = config.layer(root, "repository", Some(root.join(REPOSITORY_FILE)), false);
        config.repository = repository.first().map(ParsedLayer::parse).unwrap_or_default();
        config.environment = config.layer(root, "environment", environment.config_file(), true);
        config
    }

    /// Reads one file, if it is there.
    fn layer(
        &mut self,
        root: &Path,
        layer: &'static str,
        path: Option<PathBuf>,
        required: bool,
    ) -> Vec<Layer> {
        let Some(path) = path else { return Vec::new() };
        let found = match read_plain_file(&path) {
            Ok(text) => {
                let origin = path.strip_prefix(root).unwrap_or(&path).display().to_string();
                vec![Layer { origin, text }]
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound && !required => Vec::new(),
            Err(error) => {
                self.problems.push(ConfigProblem::Error { message: error.to_string() });
                Vec::new()
            }
        };
        self.files.push(ConfigFile { layer, path, present: !found.is_empty() });
        found
    }
}

/// Text of a file of bounded size. A repository could have a link to a device there, which never ends.
fn read_plain_file(path: &Path) -> io::Result<String> {
    let meta = fs_err::metadata(path)?;
    if !meta.is_file() || meta.len() > MAX_CONFIG_BYTES {
        let limit = MAX_CONFIG_BYTES >> 20;
        return Err(io::Error::other(format!("{} is not a file of at most {limit} MB", path.display())));
    }
    fs_err::read_to_string(path)
}
