//! The site of a command that runs or sends something: what its repository says is trusted, or a person is asked.

use crate::invocation::Invocation;
use crate::{output, progress};
use charrette_app::enclosure::refuse_inside_agent;
use charrette_app::trust::{self, Kept, Trust, TrustGrant, refusal};
use charrette_app::{AppError, ErrorKind, Site};
use charrette_term::{Terminal, TrustAnswer, ask_trust};

/// Opens the site. If something of its repository is not trusted, asks at the terminal; without one, refuses.
pub(crate) fn open(invocation: &Invocation) -> Result<Site, AppError> {
    let site = find(invocation)?;
    if site.trust.is_trusted() || !site.trust.can_be_asked() {
        return trusted(site);
    }
    match progress::terminal(invocation, &output::stdout_screen()) {
        Some(terminal) => ask(invocation, &site, &terminal),
        None => trusted(site),
    }
}

/// Opens the site without asking.
pub(crate) fn open_unattended(invocation: &Invocation) -> Result<Site, AppError> {
    trusted(find(invocation)?)
}

/// Asks whether the content of the site is trusted. A yes is kept; the site is then read again, and must be the same.
pub(crate) fn ask(invocation: &Invocation, site: &Site, terminal: &Terminal) -> Result<Site, AppError> {
    refuse_inside_agent(site, "trust a repository")?;
    if let Some(problem) = &site.trust.problem {
        site.notices.note(format!("Warning: {}", problem.message));
    }
    match ask_trust(terminal, &page(&site.trust)) {
        TrustAnswer::Yes => {}
        TrustAnswer::No => {
            return Err(AppError::new(ErrorKind::Refused, "this repository's settings are not trusted")
                .hint("Nothing was run and nothing was kept. To decide again: charrette trust"));
        }
        TrustAnswer::Interrupted => {
            return Err(AppError::new(ErrorKind::Interrupted, "interrupted; nothing was run"));
        }
    }
    keep(site)?;
    let digest = site.trust.manifest.digest().to_owned();
    let site = invocation.site_with_trust(TrustGrant::Digest(digest))?;
    if !site.trust.is_trusted() {
        let message = "this repository's settings have changed while you looked at them";
        return Err(AppError::new(ErrorKind::Refused, message)
            .hint("Nothing was run. Look at what they are now: charrette trust"));
    }
    trusted(site)
}

/// Keeps a yes to the content of the site, and warns if that is not possible.
pub(crate) fn keep(site: &Site) -> Result<Kept, AppError> {
    let kept = trust::accept(site)?;
    if let Kept::No(reason) = &kept {
        site.notices.problem(format!(
            "Warning: your answer counts for this command only, it could not be kept: {reason}"
        ));
    }
    Ok(kept)
}

/// The page of the question: what the repository asks for, or what has changed, with the digest.
pub(crate) fn page(trust: &Trust) -> String {
    let (title, body) = match (trust.difference(), &trust.earlier) {
        (Some(difference), Some(earlier)) => (
            format!(
                "What this repository makes charrette run, send or obey has changed since you trusted it ({}):",
                earlier.at
            ),
            difference,
        ),
        _ => (
            "This repository makes charrette run, send or obey:".to_owned(),
            trust.manifest.text().to_owned(),
        ),
    };
    format!("{title}\n\n{}\n\nDigest: {}", body.trim_end(), trust.manifest.digest())
}

fn find(invocation: &Invocation) -> Result<Site, AppError> {
    invocation.site_with_trust(invocation.environment.trust.clone())
}

/// The site, with its warnings printed; refused if it is not trusted.
fn trusted(site: Site) -> Result<Site, AppError> {
    if !site.trust.is_trusted() {
        return Err(refusal(&site.trust));
    }
    site.report_problems();
    site.report_trust();
    Ok(site)
}
