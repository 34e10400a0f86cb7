use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use report::record::{IterationBin, RunEntry};

use super::{CONNECTIONS_MAX, LivePage, RunRequests};

struct TestPage {
    page: LivePage,
    stop: Arc<AtomicBool>,
}

impl TestPage {
    fn open() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let requests = RunRequests { stop: Arc::clone(&stop), snapshot: Arc::default() };
        Self { page: LivePage::open("127.0.0.1:0", requests).unwrap(), stop }
    }

    fn token(&self) -> String {
        self.page.url().split_once("token=").unwrap().1.to_owned()
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(self.page.address).unwrap()
    }

    /// The reply to a request with these headers; `HOST` is this page's address.
    fn ask(&self, request: &str, headers: &[&str]) -> String {
        let mut client = self.connect();
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let text = format!("{request} HTTP/1.1\r\n{headers}\r\n");
        let text = text.replace("HOST", &self.page.address.to_string());
        client.write_all(text.as_bytes()).unwrap();
        let mut reply = String::new();
        _ = client.read_to_string(&mut reply);
        reply
    }

    fn cookie(&self) -> String {
        format!("Cookie: firecaffe-{}={}", self.page.address.port(), self.token())
    }

    #[track_caller]
    fn check(&self, request: &str, headers: &[&str], status: u16) {
        let reply = self.ask(request, headers);
        let got = reply.split(' ').nth(1).unwrap_or_default();
        assert_eq!(got, status.to_string(), "{request} {headers:?}: {reply:.200}");
    }
}

const HOST: &str = "Host: HOST";

#[test]
fn the_token_becomes_a_cookie_that_shows_the_page() {
    let page = TestPage::open();
    let (token, cookie) = (page.token(), page.cookie());
    let welcome = page.ask(&format!("GET /?token={token}"), &[HOST]);
    assert!(welcome.starts_with("HTTP/1.1 303"), "{welcome}");
    assert!(welcome.contains(&format!("={token}; Path=/; HttpOnly; SameSite=Strict")));
    let shown = page.ask("GET /", &[HOST, &cookie]);
    assert!(
        shown.contains("<!DOCTYPE html>") && shown.contains("Content-Security-Policy: default")
    );
    assert!(shown.contains("Referrer-Policy: no-referrer"));
}

#[test]
fn nothing_is_shown_without_the_right_token_host_and_origin() {
    let page = TestPage::open();
    let (cookie, own) = (page.cookie(), "Origin: http://HOST");
    let wrong = cookie.replace('=', "=0").replace("=0f", "=f");
    page.check("GET /", &[HOST], 403);
    page.check("GET /?token=", &[HOST], 403);
    page.check("GET /?token=0123456789abcdef0123456789abcdef", &[HOST], 403);
    page.check("GET /", &[HOST, &wrong], 403);
    page.check("GET /events", &[HOST], 403);
    page.check("GET /metrics", &[HOST, &cookie], 403);
    page.check("GET /", &["Host: evil.test", &cookie], 403);
    page.check("GET /events", &["Host: evil.test", &cookie], 403);
    page.check("GET /", &[&cookie], 403);
    page.check("GET /", &[HOST, "Host: evil.test", &cookie], 403);
    page.check("GET /events", &[HOST, &cookie, "Origin: http://evil.test"], 403);
    page.check("POST /stop", &[HOST, &cookie, "Origin: http://evil.test"], 403);
    page.check("POST /stop", &[HOST, &cookie], 403);
    page.check("GET /stop", &[HOST, &cookie, own], 403);
    page.check("POST /stop", &[HOST, own], 403);
    assert!(!page.stop.load(Ordering::Relaxed));
    page.check("GET /other", &[HOST, &cookie], 404);
    page.check("POST /stop", &[HOST, &cookie, own], 202);
    assert!(page.stop.load(Ordering::Relaxed));
}

#[test]
fn metrics_take_a_bearer_token() {
    let page = TestPage::open();
    page.page.take(&RunEntry::Steps(IterationBin::single(6, 1.0, 0.5, None)));
    let bearer = format!("Authorization: Bearer {}", page.token());
    let reply = page.ask("GET /metrics", &[HOST, &bearer]);
    assert!(reply.contains("\nfirecaffe_iterations_total 7\n"), "{reply}");
}

#[test]
fn text_that_is_no_request_is_refused() {
    let page = TestPage::open();
    page.check("GET", &[HOST], 400);
    page.check("GET /", &["no header"], 400);
    page.check(&format!("GET /{}", "a".repeat(9000)), &[HOST], 431);
}

#[test]
fn more_connections_than_there_may_be_get_503() {
    let page = TestPage::open();
    let mut idle: Vec<_> = (0..CONNECTIONS_MAX).map(|_| page.connect()).collect();
    // The server counts a connection when it accepts it, in order: ours is after all of these.
    page.check("GET /", &[HOST], 503);
    idle.clear();
}

#[test]
fn a_stream_ends_with_the_run() {
    let page = TestPage::open();
    page.page.take(&RunEntry::Steps(IterationBin::single(0, 1.0, 0.5, None)));
    page.page.take(&RunEntry::End { iteration: 1, how: "finished".into() });
    let reply = page.ask("GET /events", &[HOST, &page.cookie()]);
    assert!(reply.contains("event: sections\ndata: {\"configuration\""), "{reply:.300}");
    assert!(reply.ends_with("event: end\ndata: \"finished\"\n\n"));
}
