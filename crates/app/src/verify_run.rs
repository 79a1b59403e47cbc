//! Runs the verify commands of a site in the user's own checkout, in the sandbox.

use crate::agent_pool::{self, AgentPoolOptions};
use crate::enclosure::refuse_inside_agent;
use crate::error::{AppError, ErrorKind};
use crate::ports;
use crate::site::Site;
use charrette_agents::verify::SandboxVerifier;
use charrette_engine::Cancel;
use charrette_engine::ports::PortError;
use charrette_engine::ports::verifier::{CommandOrder, CommandReport, ProofCommand, Verifier as _};
use charrette_model::config::{VerifyCommand, VerifySettings};
use std::path::Path;

/// Names of the verify commands, in the order they are run.
pub const VERIFY_NAMES: [&str; 6] = ["setup", "build", "lint", "types", "test", "fast"];

/// A verify command that was run.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifiedCommand {
    pub name: &'static str,
    pub report: CommandReport,
}

/// The verify commands to run: those of these names, or without names all that verify the whole tree. Refused if there
/// are none.
pub fn select(
    settings: &VerifySettings,
    names: &[String],
) -> Result<Vec<(&'static str, VerifyCommand)>, AppError> {
    let known = VERIFY_NAMES.into_iter().filter(|name| names.iter().any(|wanted| wanted == name));
    let selected: Vec<(&'static str, VerifyCommand)> = if names.is_empty() {
        let whole = settings.all();
        let commands = if whole.is_empty() { settings.for_task() } else { whole };
        commands.into_iter().map(|(name, command)| (name, command.clone())).collect()
    } else {
        known.filter_map(|name| Some((name, command(settings, name)?.clone()))).collect()
    };
    let missing = names.iter().find(|name| selected.iter().all(|(found, _)| found != name));
    let problem = match missing {
        Some(name) => format!("verify.{name} is not configured"),
        None if selected.is_empty() => "no verify command is configured".to_owned(),
        None => return Ok(selected),
    };
    Err(AppError::new(ErrorKind::Refused, problem)
        .hint("Find the commands of this project and write them down: charrette verify init"))
}

fn command<'a>(settings: &'a VerifySettings, name: &str) -> Option<&'a VerifyCommand> {
    match name {
        "setup" => settings.setup.as_ref(),
        "build" => settings.build.as_ref(),
        "lint" => settings.lint.as_ref(),
        "types" => settings.types.as_ref(),
        "test" => settings.test.as_ref(),
        "fast" => settings.fast.as_ref(),
        _ => None,
    }
}

/// Runs verify commands in the checkout of a site.
pub struct CheckoutVerifier<'a> {
    site: &'a Site,
    settings: VerifySettings,
    verifier: SandboxVerifier,
}

impl<'a> CheckoutVerifier<'a> {
    /// Refused inside of an agent, whose sandbox the commands would leave.
    pub fn open(site: &'a Site, cancel: &Cancel) -> Result<CheckoutVerifier<'a>, AppError> {
        refuse_inside_agent(site, "verify a checkout")?;
        let options = AgentPoolOptions { purpose: "verify run".to_owned(), ..AgentPoolOptions::default() };
        let pool = agent_pool::open(site, options, ports::tree(site), cancel);
        let verifier = SandboxVerifier::new(pool).in_checkout();
        Ok(CheckoutVerifier { site, settings: site.settings.verify(), verifier })
    }

    /// Access of the commands to the network, in words.
    pub async fn network(&self) -> String {
        if self.settings.network {
            return "the network, because verify.network is true".to_owned();
        }
        self.verifier.network_isolation().await.to_string()
    }

    /// Runs one command.
    pub async fn run(&self, name: &'static str, command: VerifyCommand) -> Result<VerifiedCommand, AppError> {
        let report =
            self.run_in(&self.site.root, name, proof_command(command), self.settings.network).await?;
        Ok(VerifiedCommand { name, report })
    }

    /// Runs the command of a proof in a folder: the checkout, or a worktree of charrette's own. It has no network.
    pub async fn run_proof(&self, folder: &Path, command: ProofCommand) -> Result<CommandReport, AppError> {
        self.run_in(folder, "proof", command, false).await
    }

    /// Runs the command `setup` in a worktree of charrette's own, if there is one.
    pub async fn set_up(&self, folder: &Path) -> Result<Option<CommandReport>, AppError> {
        let Some(command) = self.settings.setup.clone() else { return Ok(None) };
        self.run_in(folder, "setup", proof_command(command), self.settings.network).await.map(Some)
    }

    async fn run_in(
        &self,
        folder: &Path,
        name: &str,
        command: ProofCommand,
        network: bool,
    ) -> Result<CommandReport, AppError> {
        let order = CommandOrder {
            run: "verify".to_owned(),
            lane: format!("verify-{name}"),
            command,
            folder: folder.to_string_lossy().into_owned(),
            timeout: self.settings.timeout,
            network,
        };
        match self.verifier.run(order).await {
            Ok(report) => Ok(report),
            Err(PortError::Interrupted) => Err(AppError::new(ErrorKind::Interrupted, "interrupted")),
            Err(PortError::Refused(problem)) => Err(AppError::new(ErrorKind::Refused, problem)),
            Err(PortError::Failed(problem)) => Err(AppError::failed(problem)),
        }
    }
}

fn proof_command(command: VerifyCommand) -> ProofCommand {
    match command {
        VerifyCommand::Line(line) => ProofCommand::Line(line),
        VerifyCommand::Argv(argv) => ProofCommand::Argv(argv),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> VerifySettings {
        let line = |text: &str| Some(VerifyCommand::Line(text.to_owned()));
        VerifySettings {
            setup: line("s"),
            build: line("b"),
            test: line("t"),
            fast: line("f"),
            ..VerifySettings::default()
        }
    }

    #[test]
    fn commands_are_selected_in_their_own_order() {
        let names = |wanted: &[&str]| -> Result<Vec<&str>, String> {
            let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
            let selected = select(&settings(), &wanted).map_err(|error| error.message)?;
            Ok(selected.into_iter().map(|(name, _)| name).collect())
        };
        assert_eq!(names(&[]), Ok(vec!["build", "test"]));
        assert_eq!(names(&["test", "setup"]), Ok(vec!["setup", "test"]));
        assert_eq!(names(&["fast"]), Ok(vec!["fast"]));
        assert_eq!(names(&["test", "lint"]), Err("verify.lint is not configured".to_owned()));
        let none = select(&VerifySettings::default(), &[]).unwrap_err();
        assert_eq!(
            (none.kind, none.message.as_str()),
            (ErrorKind::Refused, "no verify command is configured")
        );
        let fast = VerifySettings { fast: settings().fast, ..VerifySettings::default() };
        assert_eq!(select(&fast, &[]).unwrap()[0].0, "fast");
    }
}
