//! Ticks a task in the files of its specification.

use super::listing::SpecTasks;
use crate::agent_pool;
use crate::error::{AppError, ErrorKind};
use crate::site::Site;
use crate::start_facts::read_inside;
use charrette_model::spec::record::with_status;
use charrette_model::spec::tasks::tick::{TaskFiles, tick};
use charrette_store::atomic;
use charrette_store::layout::check_file;
use std::path::Path;

/// Names of the files that state tasks.
const FILES: [&str; 3] = ["tasks.md", "spec.json", "meta.yaml"];

/// Ticks a task. Refused if the tasks were changed since they were read.
pub(super) fn tick_task(site: &Site, tasks: &SpecTasks, id: &str) -> Result<(), AppError> {
    let texts = FILES.map(|name| read_inside(site, &tasks.folder.join(name)));
    let [list, spec_json, meta_yaml] = texts.clone();
    let list = list.unwrap_or_default();
    if list != tasks.texts.tasks || spec_json.clone().unwrap_or_default() != tasks.texts.record {
        return Err(AppError::new(
            ErrorKind::Refused,
            format!("the specification of {} was changed while {id} was verified", tasks.feature),
        )
        .hint("Nothing was ticked. Try again"));
    }
    let date: String = agent_pool::timestamp(site).chars().take(10).collect();
    let ticked = tick(&TaskFiles { tasks: list, spec_json, meta_yaml }, id, &date);
    let mut ticked = ticked.map_err(AppError::failed)?;
    let is_last = tasks.plan.tasks.iter().all(|task| task.done || task.id == id);
    if let (true, Some(text)) = (is_last, &ticked.spec_json) {
        ticked.spec_json = with_status(text, "implemented", &date).ok().or(ticked.spec_json);
    }
    let after = [Some(ticked.tasks), ticked.spec_json, ticked.meta_yaml];
    for ((name, before), after) in FILES.into_iter().zip(texts).zip(after) {
        if let Some(after) = after.filter(|after| before.as_ref() != Some(after)) {
            write(site, &tasks.folder.join(name), &after)?;
        }
    }
    Ok(())
}

fn write(site: &Site, path: &Path, text: &str) -> Result<(), AppError> {
    check_file(&site.root, path)?;
    let temp = path.with_extension("charrette-new");
    atomic::replace(path, &temp, text.as_bytes())
        .map_err(|error| AppError::failed(format!("cannot write {}: {error}", site.relative(path).display())))
}
