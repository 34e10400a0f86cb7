//! Who may see the page: whoever has the token, under a name that is this machine's.

use std::fs::File;
use std::io::Read;
use std::net::{IpAddr, SocketAddr};

use anyhow::{Context, Result};

use super::request::{HttpReply, HttpRequest};
use crate::launch;

/// Bytes of the token.
const TOKEN_BYTES: usize = 16;

/// The token, and under which names the page is asked for.
pub(super) struct Access {
    token: String,
    /// As the user wrote it.
    host: String,
    port: u16,
}

impl Access {
    /// Draws a token for a page that listens at `host`.
    pub(super) fn new(host: &str, port: u16) -> Result<Self> {
        let mut bytes = [0; TOKEN_BYTES];
        File::open("/dev/urandom")
            .and_then(|mut random| random.read_exact(&mut bytes))
            .context("cannot draw a token from /dev/urandom for `--page`")?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { token, host: host.trim_matches(['[', ']']).to_owned(), port })
    }

    /// What to open in a browser.
    pub(super) fn url(&self, address: SocketAddr) -> String {
        let unspecified = address.ip().is_unspecified();
        let host = if unspecified { launch::host() } else { address.ip().to_string() };
        let host = if host.contains(':') { format!("[{host}]") } else { host };
        format!("http://{host}:{}/?token={}", self.port, self.token)
    }

    /// Whether `Host` is an address or a name of this machine: a name that somebody else's DNS
    /// leads here is neither.
    pub(super) fn knows_host(&self, request: &HttpRequest) -> bool {
        let Some(host) = request.header("host") else { return false };
        let name = host.strip_suffix(&format!(":{}", self.port)).unwrap_or(host);
        let name = name.trim_matches(['[', ']']);
        name.parse::<IpAddr>().is_ok()
            || name.eq_ignore_ascii_case("localhost")
            || name.eq_ignore_ascii_case(&self.host) && !name.is_empty()
            || name.eq_ignore_ascii_case(&launch::host())
    }

    /// Whether the address has the token.
    pub(super) fn has_token(&self, request: &HttpRequest) -> bool {
        let pairs = request.query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.filter(|(name, _)| *name == "token").any(|(_, value)| self.is_token(value))
    }

    /// Whether the request may read: it has the cookie, and comes from no other page.
    pub(super) fn reads(&self, request: &HttpRequest) -> bool {
        let name = self.cookie_name();
        let cookies = request.header("cookie").unwrap_or_default().split("; ");
        let mut values = cookies.filter_map(|cookie| cookie.split_once('='));
        let has_cookie = values.any(|(known, value)| known == name && self.is_token(value));
        has_cookie && self.knows_host(request) && self.is_own_origin(request, true)
    }

    /// Whether it may also ask something of the run: a browser says from where it does.
    pub(super) fn writes(&self, request: &HttpRequest) -> bool {
        self.reads(request) && self.is_own_origin(request, false)
    }

    /// Whether `Authorization` has the token.
    pub(super) fn has_bearer(&self, request: &HttpRequest) -> bool {
        let bearer = request.header("authorization").and_then(|text| text.strip_prefix("Bearer "));
        bearer.is_some_and(|token| self.is_token(token))
    }

    /// Sets the cookie and leads to the page, so that the token leaves the address bar.
    pub(super) fn welcome(&self) -> HttpReply {
        let (name, token) = (self.cookie_name(), &self.token);
        let cookie = format!("{name}={token}; Path=/; HttpOnly; SameSite=Strict");
        HttpReply::text(303, "").with("Location", "/").with("Set-Cookie", &cookie)
    }

    /// Browsers keep cookies by host, not by port.
    fn cookie_name(&self) -> String {
        format!("firecaffe-{}", self.port)
    }

    /// Whether the request comes from this page; `absent` if it need not say.
    fn is_own_origin(&self, request: &HttpRequest, absent: bool) -> bool {
        let host = request.header("host").unwrap_or_default();
        request.header("origin").map_or(absent, |origin| origin == format!("http://{host}"))
    }

    /// Compares in a time that does not depend on where the first difference is.
    fn is_token(&self, text: &str) -> bool {
        let pairs = self.token.bytes().zip(text.bytes());
        let difference = pairs.fold(0, |difference, (a, b)| difference | (a ^ b));
        text.len() == self.token.len() && difference == 0
    }
}
