//! `charrette ledger cost`: tokens and cost of agent calls, by seat and by agent.

use crate::invocation::Invocation;
use crate::output;
use charrette_app::AppError;
use charrette_app::Site;
use charrette_model::escape::printable;
use charrette_model::feature::name::FeaturePath;
use charrette_model::ledger::{CallRecord, Total, Totals, totals};
use charrette_store::ledger::runs;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn cost(invocation: &Invocation, feature: Option<&str>) -> Result<ExitCode, AppError> {
    let feature = feature.map(FeaturePath::parse).transpose().map_err(AppError::usage)?;
    let site = invocation.plumbing_site()?;
    let workspaces = site.root.join(site.settings.workspace_folder());
    let mut ledgers = runs(&workspaces).map_err(AppError::failed)?;
    if let Some(feature) = &feature {
        let recorded = recorded_workspaces(&site, feature)?;
        ledgers.retain(|(name, _)| is_feature_workspace(name, feature) || recorded.contains(name));
    }
    let calls: Vec<&CallRecord> = ledgers.iter().flat_map(|(_, calls)| calls).collect();
    let totals = totals(calls.iter().copied());
    if invocation.json {
        let runs = ledgers.iter().map(|(name, _)| name.as_str()).collect();
        output::print_json(&Cost { runs, totals })?;
    } else {
        output::print_line(&page(&totals, ledgers.len(), feature.as_ref()))?;
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Cost<'a> {
    /// Names of the workspaces counted.
    runs: Vec<&'a str>,
    #[serde(flatten)]
    totals: Totals,
}

/// Names of the workspaces recorded in the documents of a feature.
fn recorded_workspaces(site: &Site, feature: &FeaturePath) -> Result<Vec<String>, AppError> {
    let documents = site.documents();
    let rows = documents.list()?;
    let own = rows.iter().filter(|row| row.name.feature() == Some(feature));
    let loaded = own.filter_map(|row| documents.load(&row.name).ok().flatten());
    let workspaces = loaded.filter_map(|loaded| loaded.document.run?.workspace);
    Ok(workspaces.filter_map(|path| Some(Path::new(&path).file_name()?.to_str()?.to_owned())).collect())
}

/// True if the name of a workspace is a date followed by the feature.
fn is_feature_workspace(workspace: &str, feature: &FeaturePath) -> bool {
    let (day, rest) = workspace.split_at_checked(8).unwrap_or_default();
    day.bytes().all(|b| b.is_ascii_digit()) && rest.strip_prefix('-') == Some(feature.as_str())
}

fn page(totals: &Totals, runs: usize, feature: Option<&FeaturePath>) -> String {
    if totals.all.calls == 0 {
        let suffix = feature.map(|feature| format!(" for {feature}")).unwrap_or_default();
        return format!("No agent calls recorded{suffix}.");
    }
    let seats = table("SEAT", &totals.seats);
    let agents = table("AGENT", &totals.agents);
    let citations = totals.all.citations.map(|counts| format!("\nCitations: {counts}.")).unwrap_or_default();
    format!("{seats}\n\n{agents}\n\n{}{citations}", summary_line(&totals.all, runs))
}

fn table(title: &str, totals: &BTreeMap<String, Total>) -> String {
    let heading = [title, "CALLS", "FAILED", "INPUT", "OUTPUT", "CACHED", "USD"].map(str::to_owned);
    let rows = totals.iter().map(|(name, total)| {
        [
            printable(name).to_string(),
            grouped(total.calls),
            grouped(total.failures),
            tokens(total.input),
            tokens(total.output),
            tokens(total.cached),
            usd(total),
        ]
    });
    let rows: Vec<[String; 7]> = [heading].into_iter().chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let line = |row: &[String; 7]| {
        let first = format!("{:<width$}", row[0], width = widths[0]);
        let rest = row[1..].iter().zip(&widths[1..]).map(|(cell, width)| format!("  {cell:>width$}"));
        first + &rest.collect::<String>()
    };
    rows.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn summary_line(all: &Total, runs: usize) -> String {
    let plural =
        |n: u64, one: &str| if n == 1 { format!("1 {one}") } else { format!("{} {one}s", grouped(n)) };
    let runs = plural(runs as u64, "run");
    let cost = match all.usd {
        None => "price unknown".to_owned(),
        Some(price) if all.is_lower_bound() => {
            format!("at least ${} (price of {} unknown)", money(price), plural(all.unpriced, "call"))
        }
        Some(price) => format!("${}", money(price)),
    };
    let failed =
        if all.failures == 0 { String::new() } else { format!(", {} failed", grouped(all.failures)) };
    format!("Total: {} in {runs}{failed}; {cost}.", plural(all.calls, "call"))
}

fn tokens(count: Option<u64>) -> String {
    count.map_or_else(|| UNKNOWN.to_owned(), grouped)
}

fn usd(total: &Total) -> String {
    match total.usd {
        None => UNKNOWN.to_owned(),
        Some(price) if total.is_lower_bound() => format!("≥ {}", money(price)),
        Some(price) => money(price),
    }
}

/// Placeholder of an unreported value, which is not zero.
const UNKNOWN: &str = "–";

fn money(price: f64) -> String {
    if price == 0.0 || price >= 1.0 { format!("{price:.2}") } else { format!("{price:.4}") }
}

/// `1,234,567`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
