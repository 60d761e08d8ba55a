//! Metadata documents of clients (draft-ietf-oauth-client-id-metadata-document).
//!
//! Anybody can name a document, even on a host that never responds. Each host and each caller
//! therefore has a limited share of the fetches, and a slow fetch is aborted when another one needs
//! its place. Clients whose documents are available do not have to wait for the others.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use http::header::{ACCEPT, CACHE_CONTROL, HeaderMap};
use http::{Request, StatusCode};
use mcp_runtime::transport::http_client::AuthHttp;
use tokio::task::AbortHandle;
use tokio::time::{Duration, Instant, timeout};

use super::client::{Client, ClientMetadata};
use crate::limits::proxy::{
    FAILED_LIFETIME, FETCH_PATIENCE, FETCH_TIMEOUT, MAX_DOCUMENT, MAX_DOCUMENT_LIFETIME,
    MAX_DOCUMENTS, MAX_FETCHES, MAX_FETCHES_OF_CALLER, MAX_FETCHES_OF_HOST, MAX_URI,
};
use crate::metadata::url::ServerUrl;
use crate::server::token_cache::TokenCache;
use crate::util::{lock, sha256};

pub(super) struct Documents {
    http: AuthHttp,
    /// Allowed private-use schemes of redirect URIs.
    schemes: Vec<String>,
    kept: TokenCache<(Client, Instant), { MAX_DOCUMENTS / 2 }>,
    /// Documents that can't be used, and the time until which they are not fetched again. They have
    /// their own cache so that they can't evict usable documents.
    failed: TokenCache<Instant>,
    /// The running fetches, oldest first.
    fetches: Mutex<Vec<Fetch>>,
}

struct Fetch {
    host: String,
    caller: Option<IpAddr>,
    started: Instant,
    task: AbortHandle,
}

impl Documents {
    pub(super) fn new(http: AuthHttp, schemes: Vec<String>) -> Arc<Self> {
        Arc::new(Self {
            http,
            schemes,
            kept: TokenCache::default(),
            failed: TokenCache::default(),
            fetches: Mutex::default(),
        })
    }

    /// Returns the client whose document is at `url`, or `None` if the document can't be used. The
    /// caller does not learn the reason, because strangers must not be able to probe hosts; the log
    /// has the reason.
    ///
    /// # Errors
    ///
    /// If other fetches prevent this one: how long to wait before trying again.
    pub(super) async fn get(
        self: &Arc<Self>,
        url: &str,
        caller: Option<IpAddr>,
    ) -> Result<Option<Client>, Duration> {
        let hash = sha256(url);
        let now = Instant::now();
        if let Some((client, _)) = self.kept.get(&hash).filter(|(_, end)| now < *end) {
            return Ok(Some(client));
        }
        if host(url).is_none() || self.failed.get(&hash).is_some_and(|end| now < end) {
            return Ok(None);
        }
        // Ignore the port, because a host may have many.
        let host = ServerUrl::parse(url).map(|it| it.host().to_ascii_lowercase());
        let host = host.unwrap_or_default();
        let fetch = {
            let mut fetches = lock(&self.fetches);
            fetches.retain(|fetch| !fetch.task.is_finished());
            make_room(&mut fetches, &host, caller, now)?;
            let this = Arc::clone(self);
            let url = url.to_owned();
            let fetch = tokio::spawn(async move { this.fetch(&url).await });
            fetches.push(Fetch {
                host,
                caller,
                started: now,
                task: fetch.abort_handle(),
            });
            fetch
        };
        // A fetch without a result was aborted in favor of another one.
        let fetched = fetch.await.map_err(|_| FETCH_PATIENCE)?;
        let now = Instant::now();
        match &fetched {
            Ok((client, lifetime)) => self.kept.insert(hash, (client.clone(), now + *lifetime)),
            Err(reason) => {
                tracing::info!(url, reason, "a client's metadata document can't be used");
                self.failed.insert(hash, now + FAILED_LIFETIME);
            }
        }
        Ok(fetched.ok().map(|(client, _)| client))
    }

    async fn fetch(&self, url: &str) -> Result<(Client, Duration), String> {
        let request = Request::get(url).header(ACCEPT, "application/json");
        let request = request.body(String::new()).map_err(|it| it.to_string())?;
        let sent = timeout(FETCH_TIMEOUT, self.http.send(request)).await;
        let answer = sent.map_err(|_| "it took too long")?;
        let answer = answer.map_err(|error| error.to_string())?;
        let status = answer.status();
        let length = answer.body().len();
        if status != StatusCode::OK || length > MAX_DOCUMENT {
            return Err(format!("its status is {status}, and it has {length} bytes"));
        }
        let metadata = ClientMetadata::parse(answer.body()).map_err(|error| error.text)?;
        if metadata.client_id.as_deref() != Some(url) || metadata.client_name.is_none() {
            return Err("`client_id` is not its URL, or there is no `client_name`".to_owned());
        }
        // A client that requires authentication must not be impersonated without it.
        let method = metadata.token_endpoint_auth_method.as_deref();
        if method.is_some_and(|method| method != "none") {
            return Err("`token_endpoint_auth_method` is not `none`".to_owned());
        }
        let client = metadata.client(&self.schemes).map_err(|error| error.text)?;
        let host = host(url);
        Ok((Client { host, ..client }, lifetime(answer.headers())))
    }
}

/// Selects the fetches that share a limit.
type Share<'a> = &'a dyn Fn(&Fetch) -> bool;

/// Makes room for one more fetch, within the limits of its host, its caller and all fetches. If a
/// limit is reached, the oldest fetch is aborted, provided that it has run long enough.
///
/// # Errors
///
/// If there is no room: how long to wait before trying again.
fn make_room(
    fetches: &mut Vec<Fetch>,
    host: &str,
    caller: Option<IpAddr>,
    now: Instant,
) -> Result<(), Duration> {
    let is_of_host = |it: &Fetch| it.host == host;
    let is_of_caller = |it: &Fetch| caller.is_some() && it.caller == caller;
    let shares: [(Share<'_>, usize); 3] = [
        (&is_of_host, MAX_FETCHES_OF_HOST),
        (&is_of_caller, MAX_FETCHES_OF_CALLER),
        (&|_| true, MAX_FETCHES),
    ];
    for (is_in_share, max) in shares {
        let count = fetches.iter().filter(|it| is_in_share(it)).count();
        let oldest = fetches.iter().position(is_in_share);
        if let Some(oldest) = oldest.filter(|_| count >= max) {
            let rest = FETCH_PATIENCE.saturating_sub(now.duration_since(fetches[oldest].started));
            if !rest.is_zero() {
                return Err(rest);
            }
            fetches.remove(oldest).task.abort();
        }
    }
    Ok(())
}

/// The host of a document URL, or `None` if the URL is not allowed (§3). A document URL is
/// an `https` URL with a path that has no dot segments, and without user and fragment.
fn host(url: &str) -> Option<String> {
    let parsed = ServerUrl::parse(url).ok()?;
    let has_dots = parsed.path.split('/').any(|it| [".", ".."].contains(&it));
    let is_right = url.len() <= MAX_URI && parsed.path.len() > 1 && !has_dots;
    let host = parsed.origin().strip_prefix("https://")?.to_owned();
    is_right.then_some(host)
}

/// The lifetime that a response allows (RFC 9111 §5.2.2.1), up to a limit.
fn lifetime(headers: &HeaderMap) -> Duration {
    let value = headers.get(CACHE_CONTROL).and_then(|it| it.to_str().ok());
    let mut directives = value.unwrap_or_default().split(',').map(str::trim);
    let max_age = directives.find_map(|it| it.strip_prefix("max-age=")?.parse().ok());
    Duration::from_secs(max_age.unwrap_or(0).min(MAX_DOCUMENT_LIFETIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_url(url: &str) -> bool {
        host(url).is_some()
    }

    #[test]
    fn only_some_urls_are_fetched() {
        assert!(is_url("https://app.example.com/client.json"));
        assert!(is_url("https://app.example.com/a?b=c"));
        for url in [
            "https://app.example.com",
            "https://app.example.com/",
            "http://app.example.com/a",
            "https://user@app.example.com/a",
            "https://app.example.com/a#b",
            "https://app.example.com/a/../b",
            "https://app.example.com/./a",
            "file:///a",
        ] {
            assert!(!is_url(url), "{url}");
        }
        assert!(!is_url(&format!("https://a/{}", "b".repeat(MAX_URI))));
    }

    #[test]
    fn documents_are_kept_as_long_as_they_allow_within_limits() {
        let of = |value: &'static str| {
            let value = http::HeaderValue::from_static(value);
            lifetime(&HeaderMap::from_iter([(CACHE_CONTROL, value)])).as_secs()
        };
        assert_eq!(of("public, max-age=7"), 7);
        assert_eq!(of("max-age=99999999"), MAX_DOCUMENT_LIFETIME);
        for value in [
            "",
            "no-store",
            "private",
            "max-age=a",
            "max-age=99999999999999999999",
        ] {
            assert_eq!(of(value), 0, "{value}");
        }
    }

    fn begun(host: &str, caller: Option<IpAddr>, started: Instant) -> Fetch {
        Fetch {
            host: host.to_owned(),
            caller,
            started,
            task: tokio::spawn(std::future::pending::<()>()).abort_handle(),
        }
    }

    /// Starts fetches until there is no room. Each fetch has its own host and caller unless they
    /// are given.
    fn fill(
        fetches: &mut Vec<Fetch>,
        host: Option<&str>,
        caller: Option<IpAddr>,
        now: Instant,
    ) -> (usize, Duration) {
        for number in 0..=u8::MAX {
            let own = format!("{number}.example.com");
            let host = host.unwrap_or(&own);
            let caller = caller.or(Some([192, 0, 2, number].into()));
            if let Err(rest) = make_room(fetches, host, caller, now) {
                return (number.into(), rest);
            }
            fetches.push(begun(host, caller, now));
        }
        panic!("there is always room");
    }

    #[tokio::test]
    async fn a_host_and_a_caller_have_a_share_of_the_fetches() {
        let mut fetches = Vec::new();
        let now = Instant::now();
        let of_host = fill(&mut fetches, Some("evil.example"), None, now);
        assert_eq!(of_host, (MAX_FETCHES_OF_HOST, FETCH_PATIENCE));
        let caller = Some([198, 51, 100, 1].into());
        let of_caller = fill(&mut fetches, None, caller, now);
        assert_eq!(of_caller, (MAX_FETCHES_OF_CALLER, FETCH_PATIENCE));
        let others = fill(&mut fetches, None, None, now);
        let rest = MAX_FETCHES - MAX_FETCHES_OF_HOST - MAX_FETCHES_OF_CALLER;
        assert_eq!(others, (rest, FETCH_PATIENCE));
        // Callers without an address must not be treated as one caller.
        let mut fetches = Vec::new();
        for number in 0..MAX_FETCHES {
            let host = number.to_string();
            assert_eq!(make_room(&mut fetches, &host, None, now), Ok(()));
            fetches.push(begun(&host, None, now));
        }
        make_room(&mut fetches, "other", None, now).unwrap_err();
    }

    #[tokio::test]
    async fn a_fetch_that_takes_long_gives_way() {
        let start = Instant::now();
        let mut fetches = vec![begun("slow.example", None, start)];
        let task = fetches[0].task.clone();
        fill(&mut fetches, None, None, start + FETCH_PATIENCE / 4);
        assert_eq!(fetches.len(), MAX_FETCHES);
        let room = make_room(&mut fetches, "a.example", None, start + FETCH_PATIENCE / 2);
        assert_eq!(room, Err(FETCH_PATIENCE / 2));
        let now = start + FETCH_PATIENCE;
        assert_eq!(make_room(&mut fetches, "a.example", None, now), Ok(()));
        assert!(fetches.iter().all(|it| it.host != "slow.example"));
        tokio::task::yield_now().await;
        assert!(task.is_finished());
        fetches.push(begun("a.example", None, now));
        let room = make_room(&mut fetches, "b.example", None, now);
        assert_eq!(room, Err(FETCH_PATIENCE / 4));
    }

    #[tokio::test(start_paused = true)]
    async fn documents_that_can_not_be_used_displace_no_others() {
        let documents = Documents::new(AuthHttp::trusted([]).unwrap(), Vec::new());
        let good = Client {
            name: "good".to_owned(),
            redirect_uris: Vec::new(),
            host: None,
        };
        let url = "https://good.example/client.json";
        let end = Instant::now() + Duration::from_secs(3600);
        documents.kept.insert(sha256(url), (good, end));
        for number in 0..20_000 {
            let hash = sha256(format!("https://evil.example/{number}"));
            documents.failed.insert(hash, end);
        }
        assert!(documents.get(url, None).await.unwrap().is_some());
        let failed = documents.get("https://evil.example/19999", None).await;
        assert!(failed.unwrap().is_none());
    }
}
