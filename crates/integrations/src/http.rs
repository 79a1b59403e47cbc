//! Requests, as carefully as both services need them: no proxies, no redirects, bounded answers, no secrets in
//! what is said about failures.

use charrette_model::shown::shown;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use secrecy::{ExposeSecret as _, SecretString};
use std::error::Error as _;
use std::net::IpAddr;
use std::sync::Once;
use std::time::Duration;

/// How much of what a service says about a failure is repeated.
const MOST_SAID: usize = 300;

/// Why an address cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressProblem {
    /// It is no address.
    #[error("it is not an http or https address")]
    NotAnAddress,
    /// What is sent could be read on the way.
    #[error("it is not https, which only this machine itself may do without")]
    NotPrivate,
}

/// An address that may be sent secrets: https, or this machine.
pub(crate) fn address(text: &str) -> Result<Url, AddressProblem> {
    let url = Url::parse(text.trim()).map_err(|_| AddressProblem::NotAnAddress)?;
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        "http" => Err(AddressProblem::NotPrivate),
        _ => Err(AddressProblem::NotAnAddress),
    }
}

/// Whether an address leads to this machine and nowhere else.
pub fn leads_here(address: &str) -> bool {
    Url::parse(address.trim()).is_ok_and(|url| is_loopback(&url))
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A client that knows nothing of the environment: no proxies, and no roots where there is no TLS.
pub(crate) fn client(url: &Url, patience: Duration) -> reqwest::Result<Client> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // Somebody may have chosen another one before: that one will do as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let builder = Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .timeout(patience)
        .user_agent(concat!("charrette/", env!("CARGO_PKG_VERSION")));
    if url.scheme() == "http" { builder.tls_certs_only([]).build() } else { builder.build() }
}

/// Why there is no whole body.
#[derive(Debug)]
pub(crate) enum Cut {
    /// More was sent than is read.
    TooLarge,
    /// The connection broke.
    Broken(String),
}

/// The body, if it is not larger than that.
pub(crate) async fn body(mut response: Response, most: usize) -> Result<Vec<u8>, Cut> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > most => return Err(Cut::TooLarge),
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return Ok(body),
            Err(error) => return Err(Cut::Broken(in_words(error))),
        }
    }
}

/// What went wrong at the bottom of it, without the address, which may hold a secret.
pub(crate) fn in_words(error: reqwest::Error) -> String {
    if error.is_timeout() {
        return "it did not answer in time".to_owned();
    }
    let error = error.without_url();
    let mut deepest = error.to_string();
    let mut source = error.source();
    while let Some(deeper) = source {
        deepest = deeper.to_string();
        source = deeper.source();
    }
    one_line(&deepest)
}

/// What a service said, as one harmless line without the secret. The secret goes first, or half of it might stay.
pub(crate) fn said(text: &str, secret: &SecretString) -> String {
    let secret = secret.expose_secret().trim();
    let text = if secret.is_empty() { text.to_owned() } else { text.replace(secret, "[key]") };
    one_line(&text)
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().take(MOST_SAID).collect();
    shown(&line).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_over_tls_or_stay_here() {
        for (text, expected) in [
            ("https://api.linear.app/graphql", Ok(())),
            (" https://example.org ", Ok(())),
            ("http://127.0.0.1:4000/graphql", Ok(())),
            ("http://localhost/x", Ok(())),
            ("http://[::1]:80/", Ok(())),
            ("http://example.org/", Err(AddressProblem::NotPrivate)),
            ("http://127.0.0.1.example.org/", Err(AddressProblem::NotPrivate)),
            ("http://localhost.example.org/", Err(AddressProblem::NotPrivate)),
            ("ftp://127.0.0.1/", Err(AddressProblem::NotAnAddress)),
            ("file:///etc/passwd", Err(AddressProblem::NotAnAddress)),
            ("api.linear.app", Err(AddressProblem::NotAnAddress)),
            ("", Err(AddressProblem::NotAnAddress)),
        ] {
            assert_eq!(address(text).map(drop), expected, "{text}");
        }
    }

    #[test]
    fn what_was_said_is_one_short_line_without_the_key() {
        let key = SecretString::from("lin_api_1234567890");
        let long = format!("a\n\u{1b}[31mb lin_api_1234567890 {}", "x".repeat(1000));
        let line = said(&long, &key);
        assert!(line.starts_with("a ") && line.contains("b [key] xxx"), "{line}");
        assert!(!line.contains('\u{1b}') && !line.contains("1234567890") && line.len() < 400, "{line}");
    }
}
