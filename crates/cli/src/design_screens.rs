//! What a person sees before and after a design.

use crate::arguments::Global;
use crate::commands::design::DesignArgs;
use crate::design_order::Order;
use crate::error::CommandError;
use crate::output;
use crate::site::Site;
use charrette_engine::Flow;
use charrette_model::checkpoint::DocumentName;

/// Shows what would happen. None if it is not to happen.
pub(crate) fn preview(
    _global: &Global,
    _site: &Site,
    args: &DesignArgs,
    order: Order,
) -> Result<Option<Order>, CommandError> {
    if args.dry_run {
        output::line("Dry run complete. No changes made.")?;
        return Ok(None);
    }
    Ok(Some(order))
}

/// Shows what came of it.
pub(crate) fn closing(
    _global: &Global,
    _site: &Site,
    _name: &DocumentName,
    _outcome: &Flow<()>,
) -> Result<(), CommandError> {
    Ok(())
}
