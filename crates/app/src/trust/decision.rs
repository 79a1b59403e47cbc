//! Acts on trust: refusing without it, keeping a person's yes, forgetting it.

use super::state::{Trust, TrustProblem, TrustState};
use crate::agent_pool::timestamp;
use crate::enclosure::refuse_inside_agent;
use crate::error::{AppError, ErrorKind};
use crate::site::Site;
use charrette_store::trust_file::{Acceptance, TrustFile, TrustFileError, TrustRecords};

/// Maximum number of lines of a list or diff in an error.
const MAX_LINES: usize = 40;

/// Whether an answer outlives this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    Yes,
    /// It counts for this process only; with the reason.
    No(String),
}

/// Refuses unless everything that this repository makes charrette run or send is trusted.
pub fn require(site: &Site) -> Result<(), AppError> {
    if site.trust.is_trusted() { Ok(()) } else { Err(refusal(&site.trust)) }
}

/// Error for content that is not trusted: the list of it, its digest, and the commands to accept it.
pub fn refusal(trust: &Trust) -> AppError {
    let (digest, difference) = (trust.manifest.digest(), trust.difference());
    let message = match (&trust.wrong_digest, &difference) {
        (Some(_), _) => "this repository's content is not that of --trust",
        (None, Some(_)) => "this repository's settings have changed since you trusted them",
        (None, None) => "this repository's settings need your trust before they run or send anything",
    };
    let lines = match difference {
        Some(difference) => difference.lines().map(str::to_owned).collect(),
        None => trust.manifest.summaries(),
    };
    let mut error = AppError::new(ErrorKind::Refused, message);
    for line in lines.iter().take(MAX_LINES) {
        error = error.more(format!("  {line}"));
    }
    if lines.len() > MAX_LINES {
        error = error.more(format!("  … {} more lines: charrette trust --show", lines.len() - MAX_LINES));
    }
    if let Some(TrustProblem { message, cure }) = &trust.problem {
        error = error.more(message);
        error.hints.extend(cure.clone());
    }
    error
        .more(format!("Digest: {digest}"))
        .hint("Nothing was run. Look at it and decide, at a terminal: charrette trust")
        .hint(format!("Without a terminal, for exactly this content: --trust={digest}"))
}

/// Keeps a person's yes to the content of this site.
pub fn accept(site: &Site) -> Result<Kept, AppError> {
    refuse_inside_agent(site, "trust a repository")?;
    let trust = &site.trust;
    let Some(file) = &trust.file else {
        let reason = trust.problem.as_ref().map(|problem| problem.message.clone());
        return Ok(Kept::No(reason.unwrap_or_default()));
    };
    let acceptance = Acceptance {
        digest: trust.manifest.digest().to_owned(),
        at: timestamp(site),
        text: Some(trust.manifest.text().to_owned()),
    };
    match file.accept(&trust.repository, acceptance, &site.holder()) {
        Ok(()) => Ok(Kept::Yes),
        Err(error) if error.to_repair().is_some() => Err(file_error(&error)),
        Err(error) => Ok(Kept::No(error.to_string())),
    }
}

/// Forgets all contents of this site's repository. Returns their number.
pub fn revoke(site: &Site) -> Result<usize, AppError> {
    refuse_inside_agent(site, "revoke trust")?;
    let Some(file) = &site.trust.file else { return Ok(0) };
    file.revoke(&site.trust.repository, &site.holder()).map_err(|error| file_error(&error))
}

/// All repositories with accepted contents.
pub fn records(site: &Site) -> Result<TrustRecords, AppError> {
    let folder = site.environment.user_state_folder();
    let Some(folder) = folder else { return Ok(TrustRecords::default()) };
    TrustFile::new(&folder).read(&site.holder()).map_err(|error| file_error(&error))
}

fn file_error(error: &TrustFileError) -> AppError {
    let problem = TrustProblem::new(error);
    let kind = if problem.cure.is_some() { ErrorKind::Refused } else { ErrorKind::Failed };
    let error = AppError::new(kind, problem.message);
    match problem.cure {
        Some(cure) => error.hint(cure),
        None => error.hint("Nothing is trusted by it. Try again: charrette trust"),
    }
}

impl Trust {
    /// True if a person can be asked: the content is not trusted, and no file has to be repaired first.
    pub fn can_be_asked(&self) -> bool {
        let needs_repair = self.problem.as_ref().is_some_and(|problem| problem.cure.is_some());
        self.state == TrustState::Untrusted && self.wrong_digest.is_none() && !needs_repair
    }
}
