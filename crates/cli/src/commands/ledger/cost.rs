//! `charrette ledger cost`: what the calls of agents used, by seat and by agent.

use crate::here::Here;
use crate::output;
use charrette_app::AppError;
use charrette_app::Site;
use charrette_model::feature::name::FeaturePath;
use charrette_model::ledger::{CallRecord, Total, Totals, totals};
use charrette_model::shown::shown;
use charrette_store::ledger::runs;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn cost(here: &Here, feature: Option<&str>) -> Result<ExitCode, AppError> {
    let feature = feature.map(FeaturePath::parse).transpose().map_err(AppError::usage)?;
    let site = here.site()?;
    let workspaces = site.root.join(site.settings.workspace_folder());
    let mut found = runs(&workspaces).map_err(AppError::failed)?;
    if let Some(feature) = &feature {
        let named = workspaces_of(&site, feature)?;
        found.retain(|(name, _)| is_of(name, feature) || named.contains(name));
    }
    let calls: Vec<&CallRecord> = found.iter().flat_map(|(_, calls)| calls).collect();
    let totals = totals(calls.iter().copied());
    if here.json {
        let runs = found.iter().map(|(name, _)| name.as_str()).collect();
        output::json(&Cost { runs, totals })?;
    } else {
        output::line(&page(&totals, found.len(), feature.as_ref()))?;
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Serialize)]
struct Cost<'a> {
    /// The workspaces that were looked into.
    runs: Vec<&'a str>,
    #[serde(flatten)]
    totals: Totals,
}

/// The names of workspaces that documents of the feature name.
fn workspaces_of(site: &Site, feature: &FeaturePath) -> Result<Vec<String>, AppError> {
    let documents = site.documents();
    let rows = documents.list()?;
    let ours = rows.iter().filter(|row| row.name.feature() == Some(feature));
    let loaded = ours.filter_map(|row| documents.load(&row.name).ok().flatten());
    let named = loaded.filter_map(|loaded| loaded.document.run?.workspace);
    Ok(named.filter_map(|path| Some(Path::new(&path).file_name()?.to_str()?.to_owned())).collect())
}

/// Whether a workspace is called after a day and the feature.
fn is_of(workspace: &str, feature: &FeaturePath) -> bool {
    let (day, rest) = workspace.split_at_checked(8).unwrap_or_default();
    day.bytes().all(|b| b.is_ascii_digit()) && rest.strip_prefix('-') == Some(feature.as_str())
}

fn page(totals: &Totals, runs: usize, feature: Option<&FeaturePath>) -> String {
    if totals.all.calls == 0 {
        let whose = feature.map(|feature| format!(" for {feature}")).unwrap_or_default();
        return format!("No calls of agents are recorded{whose}.");
    }
    let seats = table("SEAT", &totals.seats);
    let agents = table("AGENT", &totals.agents);
    format!("{seats}\n\n{agents}\n\n{}", in_all(&totals.all, runs))
}

fn table(title: &str, totals: &BTreeMap<String, Total>) -> String {
    let heading = [title, "CALLS", "FAILED", "INPUT", "OUTPUT", "CACHED", "USD"].map(str::to_owned);
    let rows = totals.iter().map(|(name, total)| {
        [
            shown(name).to_string(),
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

fn in_all(all: &Total, runs: usize) -> String {
    let plural =
        |n: u64, one: &str| if n == 1 { format!("1 {one}") } else { format!("{} {one}s", grouped(n)) };
    let runs = plural(runs as u64, "run");
    let cost = match all.usd {
        None => "no call has a price".to_owned(),
        Some(price) if all.is_at_least() => {
            let verb = if all.unpriced == 1 { "has" } else { "have" };
            format!("at least ${} ({} {verb} no price)", money(price), plural(all.unpriced, "call"))
        }
        Some(price) => format!("${}", money(price)),
    };
    let failed =
        if all.failures == 0 { String::new() } else { format!(", {} failed", grouped(all.failures)) };
    format!("In all: {} in {runs}{failed}; {cost}.", plural(all.calls, "call"))
}

fn tokens(count: Option<u64>) -> String {
    count.map_or_else(|| UNKNOWN.to_owned(), grouped)
}

fn usd(total: &Total) -> String {
    match total.usd {
        None => UNKNOWN.to_owned(),
        Some(price) if total.is_at_least() => format!("≥ {}", money(price)),
        Some(price) => money(price),
    }
}

/// What nobody said is not nothing.
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
