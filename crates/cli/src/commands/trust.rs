//! `charrette trust`: shows what this repository makes charrette run, send or obey, and keeps a person's decision.

use crate::invocation::Invocation;
use crate::{output, progress, trusted_site};
use charrette_app::trust::{Kept, Trust, TrustState, records, refusal, revoke};
use charrette_app::{AppError, ErrorKind, Site};
use clap::Args;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Decide whether to trust what this repository makes charrette run, send or obey
///
/// That is: agents, webhooks and tracker settings of its files, its own roles and templates. Without an option, shows them
/// with their digest and asks; without a terminal, exit 0 if they are trusted, 4 if not. A decision holds for exactly this
/// content, and is kept in the user's state folder.
#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// List the trusted repositories
    #[arg(long, conflicts_with_all = ["show", "revoke"])]
    list: bool,
    /// Show what this repository asks for, without asking
    #[arg(long, conflicts_with = "revoke")]
    show: bool,
    /// Forget all decisions about this repository
    #[arg(long)]
    revoke: bool,
}

pub(crate) fn trust(invocation: &Invocation, args: &TrustArgs) -> Result<ExitCode, AppError> {
    let site = invocation.site_with_trust(invocation.environment.trust.clone())?;
    match args {
        TrustArgs { list: true, .. } => list(invocation, &site),
        TrustArgs { show: true, .. } => show(invocation, &site),
        TrustArgs { revoke: true, .. } => forget(&site),
        _ => decide(invocation, &site),
    }
}

fn decide(invocation: &Invocation, site: &Site) -> Result<ExitCode, AppError> {
    let trust = &site.trust;
    match &trust.state {
        TrustState::NotNeeded | TrustState::Accepted { .. } => return report(invocation, site),
        // A digest on the command line is a decision, too.
        TrustState::Given => {
            if trusted_site::keep(site)? == Kept::Yes {
                output::print_line(&format!("Trusted from now on: {}", trust.manifest.digest()))?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        TrustState::Unseen | TrustState::Untrusted => {}
    }
    if trust.wrong_digest.is_some() {
        return Err(refusal(trust));
    }
    let needs_repair = trust.problem.as_ref().is_some_and(|problem| problem.cure.is_some());
    let terminal = progress::terminal(invocation, &output::stdout_screen());
    if let Some(terminal) = terminal.filter(|_| !needs_repair) {
        let site = trusted_site::ask(invocation, site, &terminal)?;
        output::print_line(&format!("Trusted: {}", site.trust.manifest.digest()))?;
        output::note(
            invocation,
            "It is asked again when the content changes. To forget it: charrette trust --revoke",
        );
        return Ok(ExitCode::SUCCESS);
    }
    if trust.state == TrustState::Unseen {
        return report(invocation, site);
    }
    report(invocation, site)?;
    let mut error = AppError::new(ErrorKind::Refused, "this repository's settings are not trusted");
    if let Some(problem) = &trust.problem {
        error = error.more(&problem.message);
        error.hints.extend(problem.cure.clone());
    }
    let digest = trust.manifest.digest();
    Err(error
        .hint("Decide at a terminal: charrette trust")
        .hint(format!("Or accept exactly this content: charrette trust --trust={digest}")))
}

/// Prints the state, with the items or the difference if they are not trusted.
fn report(invocation: &Invocation, site: &Site) -> Result<ExitCode, AppError> {
    let trust = &site.trust;
    if invocation.json {
        output::print_json(&as_json(site))?;
    } else if trust.is_trusted() {
        output::print_line(&state_line(trust))?;
        if !trust.manifest.is_empty() {
            output::print_line(&format!("Digest: {}", trust.manifest.digest()))?;
        }
    } else {
        output::print_line(&trusted_site::page(trust))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(invocation: &Invocation, site: &Site) -> Result<ExitCode, AppError> {
    let trust = &site.trust;
    if invocation.json {
        output::print_json(&as_json(site))?;
    } else {
        if !trust.manifest.is_empty() {
            output::print_line(&format!("{}\nDigest: {}", trust.manifest.text(), trust.manifest.digest()))?;
        }
        output::print_line(&state_line(trust))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn state_line(trust: &Trust) -> String {
    match &trust.state {
        TrustState::NotNeeded => {
            "This repository makes charrette run, send or obey nothing: no trust is needed.".to_owned()
        }
        TrustState::Accepted { at } => format!("Trusted since {at}."),
        TrustState::Given => "Trusted for this command, by its digest.".to_owned(),
        TrustState::Unseen => {
            "Used unseen for this command, because of --trust or CHARRETTE_TRUST.".to_owned()
        }
        TrustState::Untrusted => "Not trusted, not used.".to_owned(),
    }
}

fn as_json(site: &Site) -> Value {
    let trust = &site.trust;
    let state = match trust.state {
        TrustState::NotNeeded => "not-needed",
        TrustState::Accepted { .. } => "accepted",
        TrustState::Given => "given",
        TrustState::Unseen => "unseen",
        TrustState::Untrusted => "untrusted",
    };
    let items: Vec<Value> =
        trust.manifest.items().iter().map(|item| json!({"file": item.file, "item": item.summary})).collect();
    json!({
        "state": state,
        "digest": Some(trust.manifest.digest()).filter(|digest| !digest.is_empty()),
        "items": items,
        "text": trust.manifest.text(),
        "difference": trust.difference(),
        "problem": trust.problem.as_ref().map(|problem| &problem.message),
    })
}

fn list(invocation: &Invocation, site: &Site) -> Result<ExitCode, AppError> {
    let records = records(site)?;
    if invocation.json {
        let all: Vec<Value> = records
            .all()
            .flat_map(|(repository, accepted)| {
                accepted.iter().map(move |accepted| {
                    json!({"repository": repository, "digest": accepted.digest, "at": accepted.at})
                })
            })
            .collect();
        output::print_json(&all)?;
        return Ok(ExitCode::SUCCESS);
    }
    for (repository, accepted) in records.all() {
        for acceptance in accepted {
            let repository = charrette_model::escape::one_line(repository);
            output::print_line(&format!("{}  {}  {repository}", acceptance.at, acceptance.digest))?;
        }
    }
    if records.all().next().is_none() {
        output::note(invocation, "No trusted repositories.");
    }
    Ok(ExitCode::SUCCESS)
}

fn forget(site: &Site) -> Result<ExitCode, AppError> {
    let text = match revoke(site)? {
        0 => "Nothing of this repository was trusted.",
        _ => "Forgotten. What this repository asks for is not used until it is trusted again.",
    };
    output::print_line(text)?;
    Ok(ExitCode::SUCCESS)
}
