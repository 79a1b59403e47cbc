//! Addresses that requests may be sent to.

use reqwest::Url;
use std::fmt;
use std::net::IpAddr;

/// Reason an address cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("it is not an http or https address")]
    NotHttp,
    /// Plain HTTP to another host: requests could be read on the way.
    #[error("it must be https: plain http is allowed for loopback addresses only")]
    NotEncrypted,
}

/// Hosts that may be addressed with plain HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainHttp {
    /// This machine only: for requests that carry secrets.
    LoopbackOnly,
    /// Any host: for servers in a network of the user's own, which often have no certificate.
    AnyHost,
}

/// An http or https URL that was checked.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(pub(crate) Url);

impl Address {
    pub fn parse(text: &str, plain_http: PlainHttp) -> Result<Address, AddressError> {
        let url = Url::parse(text.trim()).map_err(|_| AddressError::NotHttp)?;
        match url.scheme() {
            "https" => Ok(Address(url)),
            "http" if plain_http == PlainHttp::AnyHost || is_loopback_url(&url) => Ok(Address(url)),
            "http" => Err(AddressError::NotEncrypted),
            _ => Err(AddressError::NotHttp),
        }
    }

    /// Scheme, host and port: the parts that hold no secret.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.0.scheme() == "https"
    }
}

/// The origin only: a user name, a password, a path or a query may be a secret.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", self.origin())
    }
}

fn is_loopback_url(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_loopback_only_unless_any_host_is_allowed() {
        let (unencrypted, invalid) = (Err(AddressError::NotEncrypted), Err(AddressError::NotHttp));
        for (text, loopback_only, any_host) in [
            ("https://api.linear.app/graphql", Ok(()), Ok(())),
            (" https://example.org ", Ok(()), Ok(())),
            ("http://127.0.0.1:4000/graphql", Ok(()), Ok(())),
            ("http://localhost/x", Ok(()), Ok(())),
            ("http://[::1]:80/", Ok(()), Ok(())),
            ("HTTP://localhost/x", Ok(()), Ok(())),
            ("http://example.org/", unencrypted, Ok(())),
            ("http://127.0.0.1.example.org/", unencrypted, Ok(())),
            ("http://localhost.example.org/", unencrypted, Ok(())),
            ("http://127.0.0.1@example.org/", unencrypted, Ok(())),
            ("ftp://127.0.0.1/", invalid, invalid),
            ("file:///etc/passwd", invalid, invalid),
            ("api.linear.app", invalid, invalid),
            ("", invalid, invalid),
        ] {
            assert_eq!(Address::parse(text, PlainHttp::LoopbackOnly).map(drop), loopback_only, "{text}");
            assert_eq!(Address::parse(text, PlainHttp::AnyHost).map(drop), any_host, "{text}");
        }
    }

    #[test]
    fn debug_output_holds_no_secret() {
        let text = "https://user:pass@example.org:8443/hooks/token?key=value";
        let address = Address::parse(text, PlainHttp::LoopbackOnly);
        assert_eq!(format!("{address:?}"), "Ok(Address(https://example.org:8443))");
    }
}
