//! Input of commands: files or standard input, limited in size.

use charrette_app::AppError;
use charrette_app::answers_file::AnswersFile;
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

/// Reads and parses an answers file; `-` is standard input.
pub(crate) fn read_answers(path: &Path) -> Result<AnswersFile, AppError> {
    charrette_app::answers_file::parse(&read_text(Some(path))?, &path.display().to_string())
}
