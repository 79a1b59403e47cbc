//! Every grammar fed with rubbish that looks like it: pieces of the grammars, put together at random.
//!
//! A reader may misunderstand anything, but it may not panic, and what a writer wrote it must read again. The
//! sequence is fixed by `--seed`, so a failure can be repeated; it is printed with the text that caused it.

mod pieces;
mod readers;

use crate::Outcome;
use crate::programs::cargo;
use clap::Args;
use pieces::Rubbish;
use readers::READERS;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub(crate) struct FuzzArgs {
    /// For how long
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Seed of the sequence
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// As it is built for tests: fewer texts, but nothing has to be built anew
    #[arg(long)]
    debug: bool,
}

pub(crate) fn fuzz(args: &FuzzArgs) -> Outcome {
    if cfg!(debug_assertions) && !args.debug {
        return in_release(args);
    }
    // The one that counts is caught below, and said with its text.
    std::panic::set_hook(Box::new(|_| {}));
    let until = Instant::now() + Duration::from_secs(args.seconds);
    let mut rubbish = Rubbish::new(args.seed);
    let (mut texts, mut bytes) = (0_u64, 0_u64);
    while Instant::now() < until {
        let text = rubbish.next_text();
        for (name, reader) in READERS {
            let outcome = catch_unwind(AssertUnwindSafe(|| reader(&text)));
            match outcome {
                Ok(Ok(())) => {}
                Ok(Err(problem)) => {
                    return Err(format!("{name}: {problem}\n--- the text ---\n{text:?}").into());
                }
                Err(_) => return Err(format!("{name} panicked\n--- the text ---\n{text:?}").into()),
            }
        }
        texts += 1;
        bytes += text.len() as u64;
    }
    println!(
        "{texts} texts of {} bytes on average through {} readers: no panic, no broken promise",
        bytes / texts.max(1),
        READERS.len()
    );
    Ok(())
}

fn in_release(args: &FuzzArgs) -> Outcome {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--package", "xtask", "--", "fuzz"]);
    command.args(["--seconds", &args.seconds.to_string(), "--seed", &args.seed.to_string()]);
    if command.status()?.success() { Ok(()) } else { Err("fuzz failed".into()) }
}
