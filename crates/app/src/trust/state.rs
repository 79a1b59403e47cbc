//! Whether the content of a repository is trusted: by an answer that was kept, or for this process by a flag.

use super::manifest::Manifest;
use charrette_store::Holder;
use charrette_store::Repository;
use charrette_store::trust_file::{Acceptance, TrustFile, TrustFileError, TrustRecords};
use similar::TextDiff;
use std::path::{Path, PathBuf};

/// Lines of context in a diff of manifests.
const CONTEXT_LINES: usize = 2;

/// Trust that the command line or the environment gives to this process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TrustGrant {
    #[default]
    None,
    /// `--trust=DIGEST`: exactly this content.
    Digest(String),
    /// `--trust` or `CHARRETTE_TRUST=1`: any content, unseen.
    Any,
}

/// State of the trust in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustState {
    /// The repository asks for nothing that needs trust.
    NotNeeded,
    /// A person accepted this content.
    Accepted {
        at: String,
    },
    /// The digest was given to this process.
    Given,
    /// Any content was accepted for this process.
    Unseen,
    Untrusted,
}

/// Settings, roles and templates of a repository that need trust, and the decision about them.
#[derive(Debug, Clone)]
pub struct Trust {
    pub manifest: Manifest,
    pub state: TrustState,
    /// The content that was accepted last, if this one is not trusted.
    pub earlier: Option<Acceptance>,
    /// Problem of the file of trusted repositories, in one line.
    pub problem: Option<TrustProblem>,
    /// A digest that was given and is not that of this content.
    pub wrong_digest: Option<String>,
    /// Key of the repository in the file: its common git directory, else its folder.
    pub(crate) repository: PathBuf,
    /// The file of trusted repositories, if an answer can be kept.
    pub(crate) file: Option<TrustFile>,
}

/// Problem of the file of trusted repositories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustProblem {
    pub message: String,
    /// Advice, if a person must repair the file before answers are kept in it.
    pub cure: Option<String>,
}

impl TrustProblem {
    pub(crate) fn new(error: &TrustFileError) -> TrustProblem {
        let cure = error.to_repair().map(|path| {
            let path = path.display();
            match error {
                TrustFileError::WritableByOthers { .. } => {
                    format!("Check its content, then: chmod 600 '{path}'")
                }
                TrustFileError::Version { .. } => "Use the version of charrette that wrote it".to_owned(),
                _ => format!("Look at it, then move it away: mv '{path}' '{path}.old'"),
            }
        });
        TrustProblem { message: error.to_string(), cure }
    }
}

/// Inputs of the decision.
pub(crate) struct TrustInputs<'a> {
    pub(crate) root: &'a Path,
    pub(crate) repository: Option<&'a Repository>,
    pub(crate) state_folder: Option<PathBuf>,
    pub(crate) grant: TrustGrant,
    pub(crate) holder: Holder,
}

impl Trust {
    /// Decides whether a content is trusted. The file of trusted repositories is read only if something needs trust.
    pub(crate) fn decide(manifest: Manifest, inputs: TrustInputs<'_>) -> Trust {
        let TrustInputs { root, repository, state_folder, grant, holder } = inputs;
        let repository = repository.map_or(root, Repository::common_dir);
        let repository = repository.canonicalize().unwrap_or_else(|_| repository.to_owned());
        let (file, mut problem) = locate_file(root, state_folder);
        let mut trust = Trust {
            manifest,
            state: TrustState::NotNeeded,
            earlier: None,
            problem: None,
            wrong_digest: None,
            repository,
            file,
        };
        if trust.manifest.is_empty() {
            return trust;
        }
        let records = match trust.file.as_ref().map(|file| file.read(&holder)) {
            Some(Ok(records)) => records,
            Some(Err(error)) => {
                problem = Some(TrustProblem::new(&error));
                TrustRecords::default()
            }
            None => TrustRecords::default(),
        };
        let accepted = records.accepted(&trust.repository);
        let digest = trust.manifest.digest();
        let found = accepted.iter().find(|acceptance| acceptance.digest == digest);
        trust.state = match (&grant, found) {
            (TrustGrant::Digest(given), _) if given == digest => TrustState::Given,
            // A digest that was given and is another one is an answer, too: this content was not meant.
            (TrustGrant::Digest(_), _) | (TrustGrant::None, None) => TrustState::Untrusted,
            (_, Some(found)) => TrustState::Accepted { at: found.at.clone() },
            (TrustGrant::Any, None) => TrustState::Unseen,
        };
        if trust.state == TrustState::Untrusted {
            trust.earlier = accepted.last().filter(|earlier| earlier.digest != digest).cloned();
            if let TrustGrant::Digest(given) = grant {
                trust.wrong_digest = Some(given);
            }
        }
        trust.problem = problem;
        trust
    }

    /// True if what the repository asks for is used.
    pub fn is_trusted(&self) -> bool {
        self.state != TrustState::Untrusted
    }

    /// Digest of the content that is used; none if nothing needs trust.
    pub fn digest_in_use(&self) -> Option<&str> {
        (self.is_trusted() && !self.manifest.is_empty()).then(|| self.manifest.digest())
    }

    /// The content since it was accepted last, as a unified diff; none if it never was.
    pub fn difference(&self) -> Option<String> {
        let before = self.earlier.as_ref()?.text.as_deref()?;
        let diff = TextDiff::from_lines(before, self.manifest.text());
        Some(diff.unified_diff().context_radius(CONTEXT_LINES).to_string())
    }

    /// One line for commands that work without what is not trusted; none if everything is.
    pub fn notice(&self) -> Option<String> {
        if self.is_trusted() {
            return None;
        }
        let settings = self.counted_settings();
        Some(format!("{settings} not trusted and not used. To look at it and decide: charrette trust"))
    }

    /// A warning about content that nobody looked at; none if there is none.
    pub fn warning(&self) -> Option<String> {
        let (settings, digest) = (self.counted_settings(), self.manifest.digest());
        let is_unseen = self.state == TrustState::Unseen;
        is_unseen.then(|| {
            format!("Warning: {settings} used unseen, because of --trust or CHARRETTE_TRUST. To trust exactly this content: --trust={digest}")
        })
    }

    /// Number of items, with a verb.
    fn counted_settings(&self) -> String {
        match self.manifest.items().len() {
            1 => "1 setting of this repository is".to_owned(),
            count => format!("{count} settings of this repository are"),
        }
    }
}

/// The file of trusted repositories. One inside the repository could come with it, and is not used.
fn locate_file(root: &Path, state_folder: Option<PathBuf>) -> (Option<TrustFile>, Option<TrustProblem>) {
    let problem = |message: String| (None, Some(TrustProblem { message, cure: None }));
    let Some(folder) = state_folder else {
        return problem("answers cannot be kept: neither HOME nor XDG_STATE_HOME is set".to_owned());
    };
    let existing = folder.ancestors().find_map(|folder| folder.canonicalize().ok());
    if existing.is_some_and(|existing| existing.starts_with(root)) {
        let folder = folder.display();
        return problem(format!("answers are not kept, because {folder} is inside this repository"));
    }
    (Some(TrustFile::new(&folder)), None)
}
