//! The agent of a replay: a program that answers a call from a cassette and logs what it was asked.
//!
//! It runs as an agent of kind `command`: seat and lane come by environment, the prompt on standard input.

use super::cassette::{Cassette, RecordedCall, read_calls, write_call};
use crate::TaskResult;
use clap::Args;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    /// The cassette
    cassette: PathBuf,
    /// Folder for the log of calls
    log: PathBuf,
    /// Name of this agent
    agent: String,
    /// Script of the test kit's agent, for seats that the cassette does not know
    #[arg(long)]
    stand_ins: Option<PathBuf>,
}

pub(crate) fn play(args: &PlayArgs) -> TaskResult {
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    let (seat, lane) = (variable("CHARRETTE_SEAT"), variable("CHARRETTE_LANE"));
    let mut prompt = String::new();
    std::io::stdin().read_to_string(&mut prompt)?;
    let step = step_of_lane(&lane).unwrap_or_else(|| seat.clone());
    let turn = Turn::claim(&args.log, &args.agent, &step, &lane)?;
    let cassette = Cassette::read(&args.cassette)?;
    let recorded = find_recorded(&cassette.calls, &args.agent, &step, &turn);
    let stand_in = || args.stand_ins.as_deref().and_then(|script| stand_in(script, &args.agent, &prompt));
    // An answer that was sent back would be sent back again.
    let answer = match recorded {
        Some(recorded) if recorded.attempt < turn.attempt => stand_in().or_else(|| recorded.answer.clone()),
        Some(recorded) => recorded.answer.clone(),
        None => stand_in(),
    };
    let call = RecordedCall {
        seat,
        step: step.clone(),
        agent: args.agent.clone(),
        vendor: String::new(),
        attempt: turn.attempt,
        prompt,
        answer: answer.clone(),
    };
    write_call(&turn.folder, &call)?;
    let answer = answer.ok_or_else(|| format!("the cassette has no answer for {step}"))?;
    Ok(std::io::stdout().write_all(answer.as_bytes())?)
}

/// Place of a call among those of its step and agent.
#[derive(Debug, PartialEq, Eq)]
struct Turn {
    /// Number of times that the step was begun before with this agent.
    round: usize,
    /// 1 for the first question of a round, 2 if its answer was sent back.
    attempt: u32,
    /// Folder of the call in the log.
    folder: PathBuf,
}

impl Turn {
    /// Finds the place of this call and claims a folder in the log. Calls of one step and agent never overlap.
    fn claim(log: &Path, agent: &str, step: &str, lane: &str) -> TaskResult<Turn> {
        let key = format!("{}@{agent}", step.replace('/', "."));
        let marks = log.join("lanes");
        fs_err::create_dir_all(&marks)?;
        let path = marks.join(&key);
        let mut lanes: Vec<String> =
            fs_err::read_to_string(&path).unwrap_or_default().lines().map(str::to_owned).collect();
        let attempt = 1 + lanes.iter().rev().take_while(|known| *known == lane).count();
        let mut begun = lanes.clone();
        begun.dedup();
        let round = if attempt > 1 { begun.len().saturating_sub(1) } else { begun.len() };
        lanes.push(lane.to_owned());
        fs_err::write(&path, lanes.join("\n") + "\n")?;
        let folder = claim_folder(&log.join("calls"))?;
        Ok(Turn { round, attempt: u32::try_from(attempt)?, folder })
    }
}

/// Makes the next folder of a log; several players may do so at once.
fn claim_folder(calls: &Path) -> TaskResult<PathBuf> {
    fs_err::create_dir_all(calls)?;
    for n in 1..10_000 {
        let folder = calls.join(format!("{n:04}"));
        match fs_err::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err("more than 10000 calls".into())
}

/// The call with the recorded answer: of the same agent if it was asked then, else of any; of the same round and attempt, else of the
/// last one before.
fn find_recorded<'a>(
    calls: &'a [RecordedCall],
    agent: &str,
    step: &str,
    turn: &Turn,
) -> Option<&'a RecordedCall> {
    let of_step = |call: &&RecordedCall| call.step == step && call.answer.is_some();
    let mut own: Vec<&RecordedCall> =
        calls.iter().filter(of_step).filter(|call| call.agent == agent).collect();
    if own.is_empty() {
        let other = calls.iter().rfind(of_step)?.agent.as_str();
        own = calls.iter().filter(of_step).filter(|call| call.agent == other).collect();
    }
    let mut rounds: Vec<Vec<&RecordedCall>> = Vec::new();
    for call in own {
        match rounds.last_mut() {
            Some(round) if call.attempt > 1 => round.push(call),
            _ => rounds.push(vec![call]),
        }
    }
    let round = rounds.get(turn.round).or(rounds.last())?;
    round.iter().rfind(|call| call.attempt <= turn.attempt).or(round.first()).copied()
}

/// Answer of the test kit's agent, which knows seat and lane from the environment.
fn stand_in(script: &Path, agent: &str, prompt: &str) -> Option<String> {
    let mut child = Command::new(std::env::current_exe().ok()?)
        .arg("fake-agent")
        .arg(script)
        .arg(agent)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    // It reads the whole prompt before it answers.
    child.stdin.take()?.write_all(prompt.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !answer.trim().is_empty()).then_some(answer)
}

/// The step in `DRIVER/PHASE-STEP-ATTEMPT`, with slashes for dots.
fn step_of_lane(lane: &str) -> Option<String> {
    let (_, lane) = lane.rsplit_once('/')?;
    let (step, attempt) = lane.split_once('-')?.1.rsplit_once('-')?;
    attempt.parse::<u32>().ok().map(|_| step.replace('.', "/"))
}

/// The calls of a log, in the order they were made.
pub(super) fn read_log(log: &Path) -> TaskResult<Vec<RecordedCall>> {
    read_calls(log)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(agent: &str, attempt: u32, answer: &str) -> RecordedCall {
        RecordedCall {
            step: "planner".to_owned(),
            agent: agent.to_owned(),
            attempt,
            answer: Some(answer.to_owned()),
            ..RecordedCall::default()
        }
    }

    #[test]
    fn rounds_and_attempts_have_their_own_answers() {
        let calls = [
            call("claude", 1, "bad"),
            call("claude", 2, "better"),
            call("codex", 1, "of codex"),
            call("claude", 1, "second round"),
        ];
        for (agent, round, attempt, answer) in [
            ("claude", 0, 1, "bad"),
            ("claude", 0, 2, "better"),
            ("claude", 1, 1, "second round"),
            ("claude", 1, 2, "second round"),
            ("claude", 7, 1, "second round"),
            ("codex", 0, 1, "of codex"),
            ("cursor", 0, 1, "bad"),
        ] {
            let turn = Turn { round, attempt, folder: PathBuf::new() };
            let found = find_recorded(&calls, agent, "planner", &turn).unwrap();
            assert_eq!(found.answer.as_deref(), Some(answer), "{agent} {round} {attempt}");
        }
        let turn = Turn { round: 0, attempt: 1, folder: PathBuf::new() };
        assert_eq!(find_recorded(&calls, "claude", "writer", &turn), None);
    }

    #[test]
    fn lanes_tell_attempts_from_rounds() {
        let log = tempfile::tempdir().unwrap();
        let claim = |lane: &str| {
            let turn = Turn::claim(log.path(), "claude", "vote/voter-claude", lane).unwrap();
            (turn.round, turn.attempt)
        };
        assert_eq!(claim("a/write-vote.voter-claude-1"), (0, 1));
        assert_eq!(claim("a/write-vote.voter-claude-1"), (0, 2));
        assert_eq!(claim("a/write-vote.voter-claude-2"), (1, 1));
        assert_eq!(claim("a/write-vote.voter-claude-2"), (1, 2));
    }

    #[test]
    fn steps_are_known_by_their_lanes() {
        for (lane, step) in [
            ("0198-ab/write-sketch.cursor-arch-1", Some("sketch/cursor-arch")),
            ("0198-ab/write-reviser.walk-through-2", Some("reviser/walk-through")),
            ("0198-ab/probe-claude", None),
            ("", None),
        ] {
            assert_eq!(step_of_lane(lane).as_deref(), step, "{lane}");
        }
    }
}
