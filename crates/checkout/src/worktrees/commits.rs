//! Commits of tasks, and the integration ref.

use super::error::{Result, WorktreeError, refused};
use super::objects::check_object;
use super::places::{MadeCommit, Places};
use super::record::RunRecord;
use super::refs::RefChange;
use charrette_engine::ports::worktrees::{Advance, AdvanceOrder, CommitMessage, CommitOrder, ObjectId};
use std::sync::PoisonError;

impl Places {
    /// Values of a trailer in the commits after one, up to another.
    pub(super) fn trailers(&self, after: &str, until: &str, key: &str) -> Result<Vec<String>> {
        check_object(after)?;
        check_object(until)?;
        let (mut values, rest) = self.trailers_of_own(after, until, key);
        if rest != after {
            let format = format!("--format=%(trailers:key={key},valueonly)");
            let listed = self.git().text(&["log", &format, &format!("{after}..{rest}")])?;
            values.extend(listed.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned));
        }
        Ok(values)
    }

    /// Values of a trailer in commits that this process has made, from the newest on, and the first commit that it has not.
    fn trailers_of_own(&self, after: &str, until: &str, key: &str) -> (Vec<String>, ObjectId) {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut values, mut at) = (Vec::new(), until);
        while at != after
            && let Some(commit) = made.get(at)
        {
            let found = commit.trailers.iter().filter(|(name, _)| name == key);
            values.extend(found.map(|(_, value)| one_line(value)));
            at = &commit.parent;
        }
        (values, at.to_owned())
    }

    /// Commit that the integration ref of a run points to.
    pub(super) fn tip(&self, run: &str) -> Result<ObjectId> {
        let place = self.run(run)?;
        let name = place.integration_ref();
        let record = RunRecord::load(&place)?.unwrap_or_default();
        let expected = record.tip.or_else(|| record.base.map(|base| base.commit));
        match (self.find_ref(&name)?, expected) {
            (Some(tip), Some(expected)) if tip != expected => refused(format!(
                "{name} was moved to {tip} by something else than charrette; after a look at that, put it back: git \
                 update-ref {name} {expected}"
            )),
            (Some(tip), _) => Ok(tip),
            (None, Some(expected)) => {
                refused(format!("{name} is gone; put it back: git update-ref {name} {expected}"))
            }
            (None, None) => {
                Err(WorktreeError::Failed(format!("{name} is gone; the work of the run was not found")))
            }
        }
    }

    /// Makes a commit and keeps it under a name.
    pub(super) fn commit(&self, order: &CommitOrder) -> Result<ObjectId> {
        let name = self.run(&order.run)?.work_ref(&order.name)?;
        let commit = self.make_commit(&order.tree, &order.parent, &order.message)?;
        self.change_refs(&[RefChange::Move { name: &name, to: &commit, from: None }])?;
        Ok(commit)
    }

    /// Makes a commit that no ref points to. Author and committer are the user; it is not signed, because a key may ask
    /// for its passphrase.
    pub(super) fn make_commit(&self, tree: &str, parent: &str, message: &CommitMessage) -> Result<ObjectId> {
        check_object(tree)?;
        check_object(parent)?;
        let args = ["commit-tree", "--no-gpg-sign", "-p", parent, "-F", "-", tree];
        let id = self.git().bytes_from(&args, message_text(message).as_bytes())?;
        let id = String::from_utf8_lossy(&id).trim_end().to_owned();
        self.note_kind(&id, true);
        let commit = MadeCommit { parent: parent.to_owned(), trailers: message.trailers.clone() };
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), commit);
        Ok(id)
    }

    /// Moves the integration ref if it is still where the caller expects it.
    pub(super) fn advance(&self, order: &AdvanceOrder) -> Result<Advance> {
        check_object(&order.expected)?;
        check_object(&order.commit)?;
        let place = self.run(&order.run)?;
        let name = place.integration_ref();
        let change = RefChange::Move { name: &name, to: &order.commit, from: Some(&order.expected) };
        if let Err(error) = self.change_refs(&[change]) {
            match self.find_ref(&name)? {
                Some(now) if now == order.commit => {}
                Some(now) if now != order.expected => return Ok(Advance::Elsewhere(now)),
                _ => return Err(error),
            }
        }
        // After a kill before this, the same move is asked for again.
        let record = self.claim_run(&place)?;
        RunRecord { tip: Some(order.commit.clone()), ..record }.save(&place)?;
        Ok(Advance::Moved)
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text of a commit message: title, body and trailers, with an empty line between them.
fn message_text(message: &CommitMessage) -> String {
    let mut text = one_line(&message.title);
    let body = message.body.replace('\0', "");
    if !body.trim().is_empty() {
        text.push_str("\n\n");
        text.push_str(body.trim_matches('\n').trim_end());
    }
    let trailers =
        message.trailers.iter().map(|(key, value)| format!("{}: {}", one_line(key), one_line(value)));
    let trailers = trailers.collect::<Vec<_>>().join("\n");
    if !trailers.is_empty() {
        text.push_str("\n\n");
        text.push_str(&trailers);
    }
    text.replace('\0', "") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_forge_trailers() {
        let message = CommitMessage {
            title: "feat: a\nCharrette-Task: T9".to_owned(),
            body: "Why.\n".to_owned(),
            trailers: vec![
                ("Charrette-Run".to_owned(), "r".to_owned()),
                ("Charrette-Task".to_owned(), "T1\nSigned-off-by: x".to_owned()),
            ],
        };
        assert_eq!(
            message_text(&message),
            "feat: a Charrette-Task: T9\n\nWhy.\n\nCharrette-Run: r\nCharrette-Task: T1 Signed-off-by: x\n"
        );
        let message = CommitMessage { title: "x".to_owned(), ..CommitMessage::default() };
        assert_eq!(message_text(&message), "x\n");
    }
}
