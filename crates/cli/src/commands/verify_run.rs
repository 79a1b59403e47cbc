//! `charrette verify run`: the verify commands in this checkout, in the sandbox.

use crate::invocation::Invocation;
use crate::{output, runtime, trusted_site};
use charrette_app::AppError;
use charrette_app::verify_run::{CheckoutVerifier, VERIFY_NAMES, VerifiedCommand, select};
use charrette_engine::ports::verifier::CommandEnding;
use charrette_model::escape::printable;
use clap::Args;
use clap::builder::PossibleValuesParser;
use serde_json::{Value, json};
use std::process::ExitCode;

/// Run the verify commands in this checkout
///
/// They run one after the other in the kernel sandbox, which lets them change this checkout and a temporary folder, without
/// network unless `verify.network` is true, without a terminal, and for `verify.timeout` seconds at most. Exit 0 if all
/// end with 0, 1 if one does not, 4 if none is configured or the repository is not trusted.
#[derive(Debug, Args)]
pub(crate) struct VerifyRunArgs {
    /// Commands to run [default: build, lint, types and test, as far as they are configured]
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(VERIFY_NAMES))]
    names: Vec<String>,
}

pub(crate) fn run(invocation: &Invocation, args: &VerifyRunArgs) -> Result<ExitCode, AppError> {
    let site = trusted_site::open(invocation)?;
    let commands = select(&site.settings.verify(), &args.names)?;
    let (verified, network) = runtime::block_on(async |cancel| {
        let verifier = CheckoutVerifier::open(&site, &cancel)?;
        let network = verifier.network().await;
        output::note(invocation, &format!("The commands have {network}."));
        let mut verified = Vec::new();
        for (name, command) in commands {
            let command = verifier.run(name, command).await?;
            if !invocation.json {
                output::print_line(&page(&command))?;
            }
            verified.push(command);
        }
        Ok((verified, network))
    })?;
    let green = verified.iter().all(|command| command.report.is_green());
    if invocation.json {
        let commands: Vec<Value> = verified.iter().map(as_json).collect();
        output::print_json(&json!({"green": green, "network": network, "commands": commands}))?;
    }
    Ok(if green { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// One line about a command, with its output below if it is not green.
pub(super) fn page(command: &VerifiedCommand) -> String {
    let VerifiedCommand { name, report } = command;
    let line = format!(
        "{name:<6} {:<12} {:>7.1} s  {}",
        ending(command),
        report.seconds,
        printable(&report.command)
    );
    if report.is_green() || report.output.trim().is_empty() {
        return line;
    }
    let output: Vec<String> =
        report.output.lines().map(|line| format!("  | {line}").trim_end().to_owned()).collect();
    format!("{line}\n{}", output.join("\n"))
}

/// How a command ended, in few words.
fn ending(command: &VerifiedCommand) -> String {
    let report = &command.report;
    match (&report.ending, report.exit) {
        (CommandEnding::Exited, Some(0)) => "ok".to_owned(),
        (CommandEnding::Exited, Some(code)) => format!("exit {code}"),
        (CommandEnding::Exited, None) => "failed".to_owned(),
        (CommandEnding::Signalled(signal), _) => format!("signal {signal}"),
        (CommandEnding::TimedOut, _) => "timed out".to_owned(),
        (CommandEnding::Flooded, _) => "flooded".to_owned(),
        (CommandEnding::NotStarted(reason), _) => format!("not started: {}", printable(reason)),
    }
}

pub(super) fn as_json(command: &VerifiedCommand) -> Value {
    let VerifiedCommand { name, report } = command;
    json!({
        "name": name,
        "command": report.command,
        "green": report.is_green(),
        "exit": report.exit,
        "ending": report.ending,
        "seconds": report.seconds,
        "output": report.output,
        "output_bytes": report.output_bytes,
    })
}
