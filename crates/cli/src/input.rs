//! Reading what a command is given: a file, or standard input.

use charrette_app::AppError;
use charrette_app::answers::AnswersFile;
use charrette_store::documents::MAX_DOCUMENT_BYTES;
use serde::de::DeserializeOwned;
use std::io::{IsTerminal as _, Read};
use std::path::Path;

/// The bytes of a file, or of standard input for `-` and for nothing.
pub(crate) fn bytes(path: Option<&Path>) -> Result<Vec<u8>, AppError> {
    match path {
        Some(path) if path != Path::new("-") => {
            let file = fs_err::File::open(path).map_err(AppError::failed)?;
            bounded(file, &path.display().to_string())
        }
        _ => {
            let stdin = std::io::stdin();
            if stdin.is_terminal() {
                return Err(AppError::usage("nothing to read: standard input is a terminal")
                    .hint("Give it a file or a pipe, as in: … < FILE"));
            }
            bounded(stdin.lock(), "standard input")
        }
    }
}

/// The same as text; anything that is not UTF-8 is refused rather than mended.
pub(crate) fn text(path: Option<&Path>) -> Result<String, AppError> {
    String::from_utf8(bytes(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        AppError::failed(format!("the input is not UTF-8 (at byte {at})"))
    })
}

/// The same as text, with anything that is not UTF-8 replaced: for what agents wrote.
pub(crate) fn tolerant_text(path: Option<&Path>) -> Result<String, AppError> {
    Ok(String::from_utf8_lossy(&bytes(path)?).into_owned())
}

/// A JSON value of a known shape, from standard input.
pub(crate) fn json<T: DeserializeOwned>() -> Result<T, AppError> {
    let bytes = bytes(None)?;
    serde_json::from_slice(&bytes).map_err(|error| AppError::usage(format!("standard input: {error}")))
}

fn bounded(source: impl Read, name: &str) -> Result<Vec<u8>, AppError> {
    let mut bytes = Vec::new();
    source
        .take(MAX_DOCUMENT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| AppError::failed(format!("cannot read {name}: {error}")))?;
    if bytes.len() as u64 > MAX_DOCUMENT_BYTES {
        return Err(AppError::failed(format!("{name} is larger than {MAX_DOCUMENT_BYTES} bytes")));
    }
    Ok(bytes)
}

/// Answers that were written down beforehand; standard input for `-`.
pub(crate) fn answers(path: &Path) -> Result<AnswersFile, AppError> {
    charrette_app::answers::parse(&text(Some(path))?, &path.display().to_string())
}
