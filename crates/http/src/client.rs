//! The client and its responses.

use crate::address::Address;
use crate::error::HttpError;
use reqwest::StatusCode;
use reqwest::header::{AsHeaderName, HeaderMap, RETRY_AFTER};
use reqwest::redirect::Policy;
use std::fmt;
use std::ops::Deref;
use std::sync::Once;
use std::time::Duration;

/// Default limit for establishing a connection, TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// Time limits of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For establishing a connection.
    pub connect: Duration,
    /// For the whole request, from its start to the end of the response's body. `None` is for streams that the
    /// caller supervises with clocks of its own.
    pub total: Option<Duration>,
}

impl Timeouts {
    /// A limit for the whole request.
    pub fn total(total: Duration) -> Timeouts {
        Timeouts { connect: CONNECT_TIMEOUT, total: Some(total) }
    }

    /// A limit for the connection only.
    pub fn streaming() -> Timeouts {
        Timeouts { connect: CONNECT_TIMEOUT, total: None }
    }
}

/// A client for one address. It knows nothing of the environment: proxies are not used, and root certificates are
/// loaded only for https.
#[derive(Debug, Clone)]
pub struct HttpClient {
    address: Address,
    timeouts: Timeouts,
    inner: reqwest::Client,
}

impl HttpClient {
    #[expect(clippy::disallowed_methods, reason = "the one place that builds clients")]
    pub fn new(address: Address, timeouts: Timeouts) -> Result<HttpClient, HttpError> {
        install_crypto_provider();
        let mut builder = reqwest::Client::builder()
            .no_proxy()
            .redirect(Policy::none())
            .connect_timeout(timeouts.connect)
            .user_agent(concat!("charrette/", env!("CARGO_PKG_VERSION")));
        if let Some(total) = timeouts.total {
            builder = builder.timeout(total);
        }
        if !address.is_tls() {
            builder = builder.tls_certs_only([]);
        }
        let inner = builder.build().map_err(HttpError::setup)?;
        Ok(HttpClient { address, timeouts, inner })
    }

    /// Sends a POST request once. Any status is a response, redirects too.
    pub async fn post(&self, headers: HeaderMap, body: String) -> Result<HttpResponse, HttpError> {
        let request = self.inner.post(self.address.0.clone()).headers(headers).body(body);
        let sent = request.send().await;
        let inner = sent.map_err(|error| HttpError::from_reqwest(error, self.timeouts))?;
        Ok(HttpResponse { inner, timeouts: self.timeouts })
    }
}

fn install_crypto_provider() {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // It fails if another provider was installed before: that one will do as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

/// A response whose body was not read yet.
pub struct HttpResponse {
    inner: reqwest::Response,
    timeouts: Timeouts,
}

/// The status only: the URL and the headers may hold secrets.
impl fmt::Debug for HttpResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpResponse").field("status", &self.status()).finish_non_exhaustive()
    }
}

impl HttpResponse {
    pub fn status(&self) -> StatusCode {
        self.inner.status()
    }

    /// The value of a header, if it is text.
    pub fn header(&self, name: impl AsHeaderName) -> Option<&str> {
        self.inner.headers().get(name)?.to_str().ok()
    }

    /// The wait that the service asks for. A `Retry-After` that is a date is ignored.
    pub fn retry_after(&self) -> Option<Duration> {
        self.header(RETRY_AFTER)?.trim().parse().ok().map(Duration::from_secs)
    }

    /// The next piece of the body; `None` at its end. The caller limits what it keeps.
    pub async fn chunk(&mut self) -> Result<Option<impl Deref<Target = [u8]> + Send + use<>>, HttpError> {
        self.inner.chunk().await.map_err(|error| HttpError::from_reqwest(error, self.timeouts))
    }

    /// Reads the body to its end.
    pub async fn body(mut self, limit: usize) -> Result<Vec<u8>, HttpError> {
        let mut body = Vec::new();
        self.read_body(&mut body, limit, &|| ()).await?;
        Ok(body)
    }

    /// Appends the body to `body`, which may grow to `limit` bytes. `on_chunk` is called for each piece. After
    /// an error `body` holds what was received before it.
    pub async fn read_body(
        &mut self,
        body: &mut Vec<u8>,
        limit: usize,
        on_chunk: &(dyn Fn() + Sync),
    ) -> Result<(), HttpError> {
        while let Some(chunk) = self.chunk().await? {
            if body.len() + chunk.len() > limit {
                return Err(HttpError::BodyTooLarge { limit });
            }
            body.extend_from_slice(&chunk);
            on_chunk();
        }
        Ok(())
    }
}
