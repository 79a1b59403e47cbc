//! Input of commands: files or standard input, limited in size.

use crate::output;
use charrette_app::AppError;
use charrette_app::answers_file::AnswersFile;
use charrette_engine::FlowSpec;
use charrette_store::documents::MAX_DOCUMENT_BYTES;
use serde::de::DeserializeOwned;
use std::io::{IsTerminal as _, Read};
use std::path::Path;

/// Reads a file, or standard input if the path is `-` or absent.
pub(crate) fn read_bytes(path: Option<&Path>) -> Result<Vec<u8>, AppError> {
    read_bytes_up_to(path, MAX_DOCUMENT_BYTES)
}

fn read_bytes_up_to(path: Option<&Path>, limit: u64) -> Result<Vec<u8>, AppError> {
    match path {
        Some(path) if path != Path::new("-") => {
            let file = fs_err::File::open(path).map_err(AppError::failed)?;
            read_bounded(file, &path.display().to_string(), limit)
        }
        _ => {
            let stdin = std::io::stdin();
            if stdin.is_terminal() {
                return Err(AppError::usage("no input: standard input is a terminal")
                    .hint("Pass a file or pipe the input in, for example: … < FILE"));
            }
            read_bounded(stdin.lock(), "standard input", limit)
        }
    }
}

/// Reads text; rejects input that is not UTF-8.
pub(crate) fn read_text(path: Option<&Path>) -> Result<String, AppError> {
    decode(read_bytes(path)?)
}

/// Like [`read_text`], with a limit in bytes.
pub(crate) fn read_text_up_to(path: &Path, limit: u64) -> Result<String, AppError> {
    decode(read_bytes_up_to(Some(path), limit)?)
}

fn decode(bytes: Vec<u8>) -> Result<String, AppError> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        AppError::failed(format!("input is not valid UTF-8 (at byte {at})"))
    })
}

/// Reads text and replaces invalid UTF-8, for output of agents.
pub(crate) fn read_text_lossy(path: Option<&Path>) -> Result<String, AppError> {
    Ok(String::from_utf8_lossy(&read_bytes(path)?).into_owned())
}

/// Deserialises JSON from standard input.
pub(crate) fn read_json<T: DeserializeOwned>() -> Result<T, AppError> {
    let bytes = read_bytes(None)?;
    serde_json::from_slice(&bytes)
        .map_err(|error| AppError::usage(format!("invalid JSON on standard input: {error}")))
}

fn read_bounded(source: impl Read, name: &str, limit: u64) -> Result<Vec<u8>, AppError> {
    let mut bytes = Vec::new();
    source
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| AppError::failed(format!("cannot read {name}: {error}")))?;
    if bytes.len() as u64 > limit {
        return Err(AppError::failed(format!("{name} exceeds {} MiB", limit >> 20)));
    }
    Ok(bytes)
}

/// Reads the description of a run: one argument, a file, or standard input if the argument is `-`.
pub(crate) fn read_request(
    command: &str,
    words: &[String],
    from: Option<&Path>,
) -> Result<Option<String>, AppError> {
    let stdin = Path::new("-");
    match (words, from) {
        ([], None) => Ok(None),
        ([dash], None) if dash == "-" => read_description(stdin).map(Some),
        (_, Some(file)) => read_description(file).map(Some),
        ([one], None) => Ok(Some(one.clone())),
        (several, None) => Err(AppError::usage(format!(
            "{} words where one argument is expected; did you mean quotes?",
            several.len()
        ))
        .hint(format!("charrette {command} \"{}\"", several.join(" ").replace('"', "\\\"")))),
    }
}

fn read_description(path: &Path) -> Result<String, AppError> {
    let is_stdin = path == Path::new("-");
    let text = if is_stdin && std::io::stdin().is_terminal() {
        output::log("Describe what you want; end with Ctrl-D on a line of its own.");
        decode(read_bounded(std::io::stdin().lock(), "standard input", MAX_DOCUMENT_BYTES)?)?
    } else {
        read_text(Some(path)).map_err(|error| {
            let hint = "Nothing was started. Give a file with the description, or - for standard input";
            error.hint(hint)
        })?
    };
    if text.trim().is_empty() {
        let source = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
        return Err(AppError::usage(format!("{source} is empty: there is no description in it")));
    }
    Ok(text)
}

/// Reads the answers file of a run; `-` is standard input. Names that its flow does not know are refused.
pub(crate) fn read_answers_for(flow: &FlowSpec, path: Option<&Path>) -> Result<AnswersFile, AppError> {
    let Some(path) = path else { return Ok(AnswersFile::default()) };
    let answers = read_answers(path).map_err(|error| {
        error.hint("Nothing was started or recorded. Give a file with answers, YAML or JSON, or - for standard input")
    })?;
    answers.check_names(flow)?;
    Ok(answers)
}

/// Reads and parses an answers file; `-` is standard input.
pub(crate) fn read_answers(path: &Path) -> Result<AnswersFile, AppError> {
    charrette_app::answers_file::parse(&read_text(Some(path))?, &path.display().to_string())
}
