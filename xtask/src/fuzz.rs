//! Fuzzing: every parser gets garbage input, made of random pieces of the grammars.
//!
//! A parser must not panic, and must read what its writer writes. The sequence of texts is fixed by `--seed`, so a
//! failure can be repeated; it is printed with the text that caused it.

mod parsers;
mod pieces;

use crate::TaskResult;
use crate::programs::cargo;
use clap::Args;
use parsers::PARSER_CHECKS;
use pieces::RandomTexts;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub(crate) struct FuzzArgs {
    /// Duration in seconds
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Seed of the random texts
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Use the debug build: fewer texts, but no release build
    #[arg(long)]
    debug: bool,
}

pub(crate) fn fuzz(args: &FuzzArgs) -> TaskResult {
    if cfg!(debug_assertions) && !args.debug {
        return rerun_in_release(args);
    }
    // Panics are caught below and reported with the text.
    std::panic::set_hook(Box::new(|_| {}));
    let until = Instant::now() + Duration::from_secs(args.seconds);
    let mut random_texts = RandomTexts::new(args.seed);
    let (mut texts, mut bytes) = (0_u64, 0_u64);
    while Instant::now() < until {
        let text = random_texts.next_text();
        for (name, check) in PARSER_CHECKS {
            let result = catch_unwind(AssertUnwindSafe(|| check(&text)));
            match result {
                Ok(Ok(())) => {}
                Ok(Err(problem)) => {
                    return Err(format!("{name}: {problem}\n--- text ---\n{text:?}").into());
                }
                Err(_) => return Err(format!("{name} panicked\n--- text ---\n{text:?}").into()),
            }
        }
        texts += 1;
        bytes += text.len() as u64;
    }
    println!(
        "{texts} texts of {} bytes on average through {} parsers: no panic, no failed check",
        bytes / texts.max(1),
        PARSER_CHECKS.len()
    );
    Ok(())
}

fn rerun_in_release(args: &FuzzArgs) -> TaskResult {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--package", "xtask", "--", "fuzz"]);
    command.args(["--seconds", &args.seconds.to_string(), "--seed", &args.seed.to_string()]);
    if command.status()?.success() { Ok(()) } else { Err("fuzz failed".into()) }
}
