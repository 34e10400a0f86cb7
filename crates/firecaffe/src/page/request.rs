//! As much of HTTP/1.1 as the page needs: one request per connection, no bodies.

use std::io::{self, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Bytes of a request's head.
pub(super) const HEAD_MAX: usize = 8 << 10;

/// A request without its body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    pub(super) path: String,
    /// After `?`.
    pub(super) query: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
}

impl HttpRequest {
    /// Reads a request within `patience`; what to reply if it is none.
    pub(super) fn read(
        client: &mut TcpStream,
        patience: Duration,
    ) -> io::Result<Result<Self, HttpReply>> {
        let begin = Instant::now();
        let (mut head, mut buffer) = (Vec::new(), [0; 1024]);
        loop {
            let count = client.read(&mut buffer)?;
            head.extend_from_slice(&buffer[..count]);
            if head.len() > HEAD_MAX {
                return Ok(Err(HttpReply::text(431, "the request is too long\n")));
            }
            if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
                let bad = || HttpReply::text(400, "not a request that is understood\n");
                return Ok(Self::parse(&head[..end]).ok_or_else(bad));
            }
            // A client that sends a byte now and then is slow too.
            if count == 0 || begin.elapsed() > patience {
                return Ok(Err(HttpReply::text(408, "the request is not complete\n")));
            }
        }
    }

    fn parse(head: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(head).ok()?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?);
        if !words.next()?.starts_with("HTTP/1.") || words.next().is_some() {
            return None;
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers = lines.map(header).collect::<Option<Vec<_>>>()?;
        Some(Self { method, path: path.to_owned(), query: query.to_owned(), headers })
    }

    /// The value of a header that is there once.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|header| header.0 == name);
        let value = values.next()?;
        values.next().is_none().then_some(&value.1)
    }
}

/// A whole reply.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct HttpReply {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

/// Headers of every reply: nothing is kept, framed, guessed or passed on.
pub(super) const ALWAYS: &str = "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
     X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n\
     Cache-Control: no-store\r\nConnection: close\r\n";

impl HttpReply {
    /// Plain text.
    pub(super) fn text(status: u16, body: &str) -> Self {
        let kind = ("Content-Type".to_owned(), "text/plain; charset=utf-8".to_owned());
        Self { status, headers: vec![kind], body: body.to_owned() }
            .with("Content-Security-Policy", "default-src 'none'")
    }

    /// A page with its policy.
    pub(super) fn page(body: String, policy: &str) -> Self {
        let kind = ("Content-Type".to_owned(), "text/html; charset=utf-8".to_owned());
        Self { status: 200, headers: vec![kind], body }.with("Content-Security-Policy", policy)
    }

    /// The same with another header.
    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// As it is sent.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let reason = match self.status {
            200 => "OK",
            202 => "Accepted",
            303 => "See Other",
            403 => "Forbidden",
            404 => "Not Found",
            503 => "Service Unavailable",
            _ => "Bad Request",
        };
        let headers = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        let (status, length) = (self.status, self.body.len());
        let headers: String = headers.collect();
        format!(
            "HTTP/1.1 {status} {reason}\r\n{headers}{ALWAYS}Content-Length: {length}\r\n\r\n{}",
            self.body
        )
        .into_bytes()
    }
}
