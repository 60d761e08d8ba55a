//! The login of a person.

use std::collections::HashMap;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use http::HeaderMap;
use mcp_auth::challenge::Challenge;
use mcp_auth::client::RegistrationWay;
use mcp_auth::client::error::{AuthErrorKind, AuthStep};
use mcp_auth::client::store::MemoryStore;
use mcp_auth::{AuthError, OAuth};
use mcp_runtime::BoxFuture;
use mcp_runtime::transport::http_client::{
    self, AfterChallenge, AuthHttp, AuthResult, Authenticator, RequestInfo,
};
use mcp_runtime::{CallError, Client, ConnectError};
use support::{Decision, Endpoint, Fault, Iss, browser};
use tokio::sync::watch;

use crate::site::{Site, app, call};

async fn error(site: &Site, oauth: &OAuth) -> AuthError {
    failure(site.connect(oauth).await)
}

fn failure(connected: Result<Client, ConnectError>) -> AuthError {
    match connected {
        Err(ConnectError::Authentication(CallError::Authentication { error, .. })) => {
            error.downcast_ref::<AuthError>().unwrap().clone()
        }
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("the client is connected"),
    }
}

#[tokio::test]
async fn a_login_is_all_that_it_takes() {
    let site = Site::start().await;
    let client = site.connect(&app()).await.unwrap();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    let registration = &site.issuer.requests_to(Endpoint::Register)[0].json;
    assert_eq!(registration["application_type"], "native");
    assert_eq!(registration["client_name"], "test-app");
    assert_eq!(registration["token_endpoint_auth_method"], "none");
    assert_eq!(registration["grant_types"][1], "refresh_token");
    let logins = site.issuer.requests_to(Endpoint::Authorize);
    assert_eq!(logins.len(), 1);
    let tokens = site.issuer.requests_to(Endpoint::Token);
    for request in [&logins[0], &tokens[0]] {
        assert_eq!(request.parameter("resource"), Some(site.url().as_str()));
    }
    assert_eq!(logins[0].parameter("code_challenge_method"), Some("S256"));
    assert_eq!(logins[0].parameter("scope"), None);
}

#[tokio::test]
async fn the_default_browser_opens_nothing_but_secure_pages() {
    let site = Site::start().await;
    site.issuer.fail(
        Endpoint::Metadata,
        Fault::Json(format!(
            r#"{{"issuer":"{}","authorization_endpoint":"file:///etc/passwd","token_endpoint":"{}",
            "registration_endpoint":"{}","code_challenge_methods_supported":["S256"]}}"#,
            site.issuer.issuer(),
            site.issuer.url(Endpoint::Token),
            site.issuer.url(Endpoint::Register),
        )),
    );
    let opened = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&opened);
    let oauth = app().opener(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        async { Ok(()) }
    });
    let error = error(&site, &oauth).await;
    assert!(matches!(error.kind(), AuthErrorKind::InsecureUrl));
    assert_eq!(error.url(), Some("file:///etc/passwd"));
    assert_eq!(opened.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn an_issuer_without_a_token_endpoint_opens_no_page() {
    let site = Site::start().await;
    let metadata = format!(
        r#"{{"issuer":"{}","authorization_endpoint":"{}","registration_endpoint":"{}",
        "code_challenge_methods_supported":["S256"]}}"#,
        site.issuer.issuer(),
        site.issuer.url(Endpoint::Authorize),
        site.issuer.url(Endpoint::Register),
    );
    site.issuer.fail(Endpoint::Metadata, Fault::Json(metadata));
    let error = error(&site, &app()).await;
    assert!(error.to_string().contains("no `token_endpoint`"), "{error}");
    for endpoint in [Endpoint::Register, Endpoint::Authorize] {
        assert_eq!(site.issuer.count(endpoint), 0);
    }
}

#[tokio::test]
async fn an_empty_code_is_not_redeemed() {
    let site = Site::start().await;
    let issuer = site.issuer.issuer().to_owned();
    let oauth = app().opener(move |url| {
        let issuer = issuer.clone();
        async move {
            let (_, query) = url.split_once('?').unwrap();
            let parameters: HashMap<_, _> = form_urlencoded::parse(query.as_bytes()).collect();
            let to = &parameters["redirect_uri"];
            let state = &parameters["state"];
            browser::get(&format!("{to}?code=&state={state}&iss={issuer}")).await;
            Ok(())
        }
    });
    let error = error(&site, &oauth).await;
    assert_eq!(error.step(), AuthStep::Login, "{error}");
    assert_eq!(site.issuer.count(Endpoint::Token), 0);
}

#[tokio::test]
async fn a_refusal_ends_the_login_and_is_shown() {
    let site = Site::start().await;
    let decision = Decision::Refuse("access_denied".to_owned(), "not\ntoday".to_owned());
    site.issuer.change(|settings| settings.decision = decision);
    let error = error(&site, &app()).await;
    assert_eq!(
        (error.step(), error.code()),
        (AuthStep::Login, Some("access_denied"))
    );
    assert!(
        error.to_string().ends_with("access_denied: not today"),
        "{error}"
    );
    // The person is asked only once.
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
    assert_eq!(site.issuer.count(Endpoint::Token), 0);
}

#[tokio::test]
async fn a_response_of_another_issuer_is_not_used() {
    let site = Site::start().await;
    for (iss, advertised) in [
        (Iss::Is("https://evil.example.com".to_owned()), true),
        (Iss::Is("https://evil.example.com".to_owned()), false),
        (Iss::Is(format!("{}/", site.issuer.issuer())), false),
        (Iss::Missing, true),
    ] {
        site.issuer.change(|settings| {
            settings.iss = iss;
            settings.advertise_iss = advertised;
        });
        let error = error(&site, &app()).await;
        assert!(
            matches!(error.kind(), AuthErrorKind::Response(_)),
            "{error}"
        );
        assert!(error.to_string().contains("`iss`"), "{error}");
    }
    assert_eq!(site.issuer.count(Endpoint::Token), 0);
    site.issuer.change(|settings| {
        settings.iss = Iss::Missing;
        settings.advertise_iss = false;
    });
    site.connect(&app()).await.unwrap();
}

#[tokio::test]
async fn nobody_logs_in_without_pkce() {
    let site = Site::start().await;
    site.issuer
        .change(|settings| settings.advertise_s256 = false);
    let error = error(&site, &app()).await;
    assert!(error.to_string().contains("PKCE"), "{error}");
    assert_eq!(site.issuer.count(Endpoint::Authorize), 0);
}

#[tokio::test]
async fn a_login_has_a_time_limit() {
    let site = Site::start().await;
    let oauth = app().opener(async |_| Ok(()));
    let oauth = oauth.login_timeout(Duration::from_millis(10));
    let error = error(&site, &oauth).await;
    assert!(matches!(error.kind(), AuthErrorKind::Timeout(_)), "{error}");
}

#[tokio::test]
async fn a_browser_that_can_not_be_opened_is_named() {
    let site = Site::start().await;
    let oauth = app().opener(async |_| Err(std::io::Error::other("no display")));
    let error = error(&site, &oauth).await;
    assert!(matches!(error.kind(), AuthErrorKind::Opener(_)));
    let text = error.to_string();
    assert!(
        text.contains("no display") && text.contains("BROWSER"),
        "{text}"
    );
}

#[tokio::test]
async fn a_token_endpoint_that_redirects_fails_or_talks_nonsense_is_an_error() {
    let site = Site::start().await;
    let elsewhere = "http://127.0.0.1:9/token".to_owned();
    for (fault, expected) in [
        (Fault::Redirect(elsewhere), "redirects"),
        (Fault::Status(500), "HTTP 500"),
        (Fault::Garbage, "can't be read"),
        (
            Fault::Json(r#"{"access_token":""}"#.to_owned()),
            "characters that can't be sent",
        ),
        (
            Fault::Json(r#"{"access_token":"a","token_type":"mac"}"#.to_owned()),
            "token_type",
        ),
        (
            Fault::Json(r#"{"error":"slow_down"}"#.to_owned()),
            "slow_down",
        ),
        (Fault::Large(2 << 20), "longer than"),
    ] {
        site.issuer.fail(Endpoint::Token, fault);
        let error = error(&site, &app()).await;
        assert_eq!(error.step(), AuthStep::Token);
        assert_eq!(error.url(), Some(site.issuer.url(Endpoint::Token).as_str()));
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert_eq!(site.last_token(), None);
}

#[tokio::test]
async fn a_new_token_that_is_not_accepted_is_an_error_and_no_loop() {
    let site = Site::start().await;
    site.state().revokes_all = true;
    let error = error(&site, &app()).await;
    assert_eq!(error.step(), AuthStep::Access);
    assert!(error.to_string().contains("invalid_token"), "{error}");
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
}

#[tokio::test]
async fn many_requests_wait_for_one_login() {
    let site = Site::start().await;
    let hold = site.issuer.hold(Endpoint::Authorize);
    let oauth = app();
    let connecting: Vec<_> = (0..20)
        .map(|_| {
            let site = site.clone();
            let oauth = oauth.clone();
            tokio::spawn(async move { site.connect(&oauth).await.map(drop) })
        })
        .collect();
    site.issuer.arrived(Endpoint::Authorize, 1).await;
    drop(hold);
    for connected in connecting {
        connected.await.unwrap().unwrap();
    }
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
    assert_eq!(site.issuer.count(Endpoint::Register), 1);
}

/// An authenticator that counts the requests waiting for a login.
#[derive(Clone)]
struct Counted {
    oauth: OAuth,
    waiting: Arc<watch::Sender<usize>>,
}

impl Authenticator for Counted {
    fn credentials(
        &self,
        request: RequestInfo,
        http: AuthHttp,
    ) -> BoxFuture<AuthResult<HeaderMap>> {
        self.oauth.credentials(request, http)
    }

    fn challenged(
        &self,
        request: RequestInfo,
        challenge: http_client::Challenge,
        http: AuthHttp,
    ) -> BoxFuture<AuthResult<AfterChallenge>> {
        let waiting = Arc::clone(&self.waiting);
        let mut decision = self.oauth.challenged(request, challenge, http);
        Box::pin(async move {
            tokio::select! {
                biased;
                decided = &mut decision => return decided,
                () = ready(()) => waiting.send_modify(|count| *count += 1),
            }
            decision.await
        })
    }
}

#[tokio::test]
async fn many_requests_that_wait_for_a_login_fail_with_it() {
    let site = Site::start().await;
    let decision = Decision::Refuse("access_denied".to_owned(), String::new());
    site.issuer.change(|settings| settings.decision = decision);
    let hold = site.issuer.hold(Endpoint::Authorize);
    let counted = Counted {
        oauth: app(),
        waiting: watch::Sender::new(0).into(),
    };
    let connecting: Vec<_> = (0..20)
        .map(|_| {
            let server = http_client::http_client(site.url()).without_proxy();
            let builder = Client::builder("test", "1.0.0");
            tokio::spawn(builder.connect(server.auth(counted.clone())))
        })
        .collect();
    let mut waiting = counted.waiting.subscribe();
    waiting.wait_for(|count| *count == 20).await.unwrap();
    drop(hold);
    for connected in connecting {
        let failed = failure(connected.await.unwrap());
        assert_eq!(failed.code(), Some("access_denied"));
    }
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
}

#[tokio::test]
async fn only_challenges_of_oauth_lead_to_a_login() {
    let site = Site::start().await;
    for challenge in [r#"Basic realm="a""#, "Negotiate"] {
        site.state().challenge = Challenge::parse(challenge).remove(0);
        let error = site.refused(&app()).await;
        assert!(error.contains("401"), "{error}");
    }
    assert!(site.issuer.requests().is_empty());
    site.state().challenge = Challenge::bearer();
    site.connect(&app()).await.unwrap();
}

#[tokio::test]
async fn a_login_goes_on_when_its_request_is_given_up() {
    let site = Site::start().await;
    let hold = site.issuer.hold(Endpoint::Token);
    let oauth = app();
    let other = site.clone();
    let shared = oauth.clone();
    let connecting = tokio::spawn(async move { other.connect(&shared).await.map(drop) });
    site.issuer.arrived(Endpoint::Token, 1).await;
    connecting.abort();
    assert!(connecting.await.is_err());
    drop(hold);
    site.connect(&oauth).await.unwrap();
    assert_eq!(site.issuer.count(Endpoint::Authorize), 1);
}

#[tokio::test]
async fn secrets_are_not_shown() {
    let oauth = app().client("id").client_secret("hidden");
    assert!(!format!("{oauth:?}").contains("hidden"));
    // Errors do not contain the URL of the login page.
    let site = Site::start().await;
    let oauth = app().opener(async |url| {
        let page = browser::get(&url).await;
        Err(std::io::Error::other(page.status.to_string()))
    });
    let error = error(&site, &oauth).await;
    let shown = format!("{error} {error:?}");
    assert!(
        !shown.contains("code_challenge") && !shown.contains("state="),
        "{shown}"
    );
}

/// The parameter names of each page that was opened.
fn pages(site: &Site) -> Vec<Vec<String>> {
    let logins = site.issuer.requests_to(Endpoint::Authorize).into_iter();
    let names = |it: support::Recorded| it.parameters.into_iter().map(|(name, _)| name).collect();
    logins.map(names).collect()
}

#[tokio::test]
async fn parameters_are_pushed_where_the_issuer_offers_it() {
    for only in [false, true] {
        let site = Site::start().await;
        site.issuer.change(|settings| {
            settings.pushed_requests = true;
            settings.only_pushed_requests = only;
            settings.auth_methods = vec!["client_secret_basic"];
        });
        let client = site.connect(&app()).await.unwrap();
        assert_eq!(call(&client, "read").await.unwrap(), "read");
        let pushed = &site.issuer.requests_to(Endpoint::Push)[0];
        assert_eq!(pushed.parameter("code_challenge_method"), Some("S256"));
        assert_eq!(pushed.parameter("resource"), Some(site.url().as_str()));
        assert!(pushed.header("authorization").is_some());
        assert_eq!(pages(&site), [["client_id", "request_uri"]]);
    }
}

#[tokio::test]
async fn parameters_that_can_not_be_pushed_are_in_the_url_unless_that_is_forbidden() {
    let site = Site::start().await;
    site.issuer
        .change(|settings| settings.pushed_requests = true);
    site.issuer.fail(Endpoint::Push, Fault::Status(403));
    site.connect(&app()).await.unwrap();
    assert!(pages(&site)[0].contains(&"code_challenge".to_owned()));
    site.issuer
        .change(|settings| settings.only_pushed_requests = true);
    for (fault, expected) in [
        (Fault::Status(403), "HTTP 403"),
        (Fault::Json("{}".to_owned()), "`request_uri`"),
    ] {
        site.issuer.fail(Endpoint::Push, fault);
        let error = error(&site, &app()).await;
        assert_eq!(error.url(), Some(site.issuer.url(Endpoint::Push).as_str()));
        assert!(error.to_string().contains(expected), "{error}");
    }
    assert_eq!(pages(&site).len(), 1);
}

#[tokio::test]
async fn the_status_of_a_login_is_found_without_a_login() {
    let site = Site::start().await;
    let store = MemoryStore::new();
    let oauth = || app().store(store.clone());
    let status = async |oauth: OAuth| {
        let http = http_client::http_client(site.url()).without_proxy();
        let http = http.auth_http().unwrap();
        oauth.status(&site.url(), &HeaderMap::new(), http).await
    };
    let before = status(oauth()).await.unwrap();
    assert_eq!(before.issuer, site.issuer.issuer());
    assert!(!before.is_assumed);
    assert_eq!(before.registration, Some(RegistrationWay::Dynamic));
    assert_eq!(before.token, None);
    for endpoint in [Endpoint::Register, Endpoint::Authorize, Endpoint::Token] {
        assert_eq!(site.issuer.count(endpoint), 0);
    }
    site.connect(&oauth()).await.unwrap();
    let token = status(oauth()).await.unwrap().token.unwrap();
    assert!(token.expires_at.unwrap() > SystemTime::now());
    assert!(token.has_refresh_token);
    let other = app().issuer("https://other.example").client("me");
    let error = status(other).await.unwrap_err();
    assert_eq!(error.step(), AuthStep::ResourceMetadata, "{error}");
}
