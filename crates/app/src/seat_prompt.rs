//! The prompt of a seat for a run, as it would be sent now.

use crate::error::AppError;
use crate::run_lookup::find_run;
use crate::site::Site;
use crate::start::{flow_for, order_of};
use crate::workspaces::run_workspace;
use charrette_engine::panel::{RunFile, render_seat_prompt};
use charrette_model::checkpoint::Command;

/// Renders the prompt of a seat with the files of a run.
pub fn seat_prompt(
    site: &Site,
    seat: &str,
    feature: &str,
    command: Option<Command>,
) -> Result<String, AppError> {
    let name = find_run(site, Some(feature), command)?;
    let Some(loaded) = site.documents().load(&name)? else {
        return Err(AppError::failed(format!("no document {}", name.stem())));
    };
    let flow = flow_for(site, &name)?;
    let Some(seat) = flow.seat_tables().seat(seat) else {
        let known: Vec<&str> = flow.seat_tables().all().map(|seat| seat.id).collect();
        return Err(AppError::usage(format!("{} has no seat {seat}", name.command()))
            .hint(format!("Its seats: {}", known.join(", "))));
    };
    let workspace = run_workspace(site, &loaded.document)?;
    let order = order_of(site, &name, &loaded.document, &workspace)?;
    let mut files = Vec::new();
    for name in workspace.list().map_err(AppError::failed)? {
        if let Some(bytes) = workspace.read(&name, None).map_err(AppError::failed)? {
            files.push(RunFile { name, text: String::from_utf8_lossy(&bytes).into_owned() });
        }
    }
    render_seat_prompt(flow, &order, seat, workspace.folder(), &files).map_err(AppError::failed)
}
