//! Issuers that deviate from the specifications, and the settings for them.

use mcp_auth::OAuth;
use serde_json::json;
use support::{AuthorizationServer, Client, Decision, Endpoint, Iss, TokenFormat};

use crate::site::{Site, app, call};

type Change = fn(OAuth) -> OAuth;

/// An application whose client the issuer of the site knows.
fn known(site: &Site) -> OAuth {
    app().issuer(site.issuer.issuer()).client("known")
}

async fn site(change: impl FnOnce(&mut support::Settings)) -> Site {
    let issuer = AuthorizationServer::with(|it| {
        it.clients = vec![Client::public("known")];
        change(it);
    });
    Site::with(issuer.await).await
}

#[tokio::test]
async fn pkce_that_is_not_announced_is_used_where_the_program_says_so() {
    let site = site(|it| it.advertise_s256 = false).await;
    let text = site.refused(&known(&site)).await;
    assert!(text.contains("`OAuth::assume_s256`"), "{text}");
    assert_eq!(site.issuer.count(Endpoint::Authorize), 0);
    let client = site.connect(&known(&site).assume_s256()).await.unwrap();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    let login = &site.issuer.requests_to(Endpoint::Authorize)[0];
    assert_eq!(login.parameter("code_challenge_method"), Some("S256"));
    let token = &site.issuer.requests_to(Endpoint::Token)[0];
    assert!(token.parameter("code_verifier").is_some());
}

#[tokio::test]
async fn a_server_can_not_make_a_client_loosen_the_rules() {
    let site = site(|_| ()).await;
    let set: [(&str, Change); 5] = [
        ("assume_s256", |it| it.assume_s256()),
        ("without_resource_parameter", |it| {
            it.without_resource_parameter()
        }),
        ("authorization_parameter", |it| {
            it.authorization_parameter("audience", "a")
        }),
        ("token_parameter", |it| it.token_parameter("audience", "a")),
        ("issuer_template", |it| {
            it.issuer_template("https://a.example/{t}")
        }),
    ];
    for (name, change) in set {
        let text = site.refused(&change(app())).await;
        let told = format!("`OAuth::{name}` is for one authorization server only");
        assert!(text.contains(&told), "{text}");
    }
    assert_eq!(site.issuer.requests().len(), 0);
    // An issuer that the server names is not the issuer that the program has set.
    let other = app()
        .issuer("https://login.example.com")
        .client("known")
        .assume_s256();
    let text = site.refused(&other).await;
    assert!(text.contains("the MCP server names"), "{text}");
}

#[tokio::test]
async fn the_parameter_resource_can_be_left_out_of_all_requests() {
    let site = site(|it| {
        it.resources = vec!["https://another.example.com".to_owned()];
        it.access_lifetime = std::time::Duration::from_secs(30);
    })
    .await;
    let text = site.refused(&known(&site)).await;
    assert!(
        text.contains("`OAuth::without_resource_parameter`"),
        "{text}"
    );
    site.state().ignores_audience = true;
    let oauth = known(&site).without_resource_parameter();
    let client = site.connect(&oauth).await.unwrap();
    site.revoke_seen();
    assert_eq!(call(&client, "read").await.unwrap(), "read");
    let requests = site.issuer.requests();
    let tokens: Vec<_> = site.issuer.requests_to(Endpoint::Token);
    assert_eq!(tokens.len(), 2, "a code and a refresh token");
    assert_eq!(tokens[1].parameter("grant_type"), Some("refresh_token"));
    let has_resource = requests
        .iter()
        .filter(|it| it.parameter("resource").is_some());
    assert_eq!(has_resource.count(), 1, "the one that was refused");
}

#[tokio::test]
async fn parameters_of_the_issuers_own_are_sent_where_they_belong() {
    for is_pushed in [false, true] {
        let site = site(|it| it.pushed_requests = is_pushed).await;
        let oauth = known(&site)
            .scopes(["offline_access"])
            .authorization_parameter("audience", "https://api.example.com")
            .authorization_parameter("prompt", "select_account")
            .token_parameter("brand", "a b");
        site.connect(&oauth).await.unwrap();
        let endpoint = if is_pushed {
            Endpoint::Push
        } else {
            Endpoint::Authorize
        };
        let login = &site.issuer.requests_to(endpoint)[0];
        assert_eq!(login.parameter("audience"), Some("https://api.example.com"));
        // A second `prompt` would be rejected.
        assert_eq!(login.parameter("prompt"), Some("select_account"));
        assert_eq!(login.parameter("brand"), None);
        let token = &site.issuer.requests_to(Endpoint::Token)[0];
        assert_eq!(token.parameter("brand"), Some("a b"));
        assert_eq!(token.parameter("audience"), None);
    }
}

#[tokio::test]
async fn parameters_of_the_protocol_are_not_the_programs() {
    let site = site(|_| ()).await;
    for name in [
        "resource",
        "redirect_uri",
        "state",
        "code_challenge",
        "client_id",
        "scope",
    ] {
        for oauth in [
            known(&site).authorization_parameter(name, "a"),
            known(&site).token_parameter(name, "a"),
        ] {
            let text = site.refused(&oauth).await;
            let told = format!("the parameter `{name}` can't be set");
            assert!(text.contains(&told), "{text}");
        }
    }
    assert_eq!(site.issuer.requests().len(), 0);
}

#[tokio::test]
async fn tenants_of_an_issuer_share_its_metadata() {
    let site = site(|it| it.path = "/all".to_owned()).await;
    let issuer = site.issuer.issuer().to_owned();
    let origin = issuer.strip_suffix("/all").unwrap();
    let template = format!("{origin}/{{tenant}}");
    site.issuer
        .change(|it| it.claimed_issuer = Some(template.clone()));
    let text = site.refused(&known(&site)).await;
    assert!(
        text.contains("the metadata belongs to the issuer"),
        "{text}"
    );
    let oauth = || known(&site).issuer_template(&template);
    for (iss, is_accepted) in [
        (Iss::Sent, true),
        (Iss::Is(format!("{origin}/acme")), true),
        (Iss::Is(format!("{origin}/acme/x")), false),
        (Iss::Is("https://attacker.example/acme".to_owned()), false),
    ] {
        site.issuer.change(|it| it.iss = iss.clone());
        let connected = site.connect(&oauth()).await;
        assert_eq!(connected.is_ok(), is_accepted, "{iss:?}");
    }
    let wrong = known(&site).issuer_template("https://login.example.com/none");
    let text = site.refused(&wrong).await;
    assert!(text.contains("`https://login.example.com/none`"), "{text}");
}

#[tokio::test]
async fn a_token_that_the_server_does_not_take_is_explained() {
    // Auth0 issues opaque tokens to clients that don't send `audience`.
    let site = site(|it| it.token_format = TokenFormat::Opaque).await;
    site.state().revokes_all = true;
    let text = site.refused(&known(&site)).await;
    assert!(text.contains("`OAuth::authorization_parameter`"), "{text}");
}

#[tokio::test]
async fn a_refusal_that_is_not_about_the_resource_says_nothing_of_it() {
    let refuse = |code: &str, text: &str| Decision::Refuse(code.to_owned(), text.to_owned());
    for (decision, is_told) in [
        (refuse("invalid_target", "AADSTS9010010"), true),
        (
            refuse(
                "invalid_request",
                "the 'resource' parameter is not supported",
            ),
            true,
        ),
        (refuse("invalid_request", "another"), false),
        (refuse("access_denied", "the resource is forbidden"), false),
    ] {
        let site = site(|it| it.decision = decision).await;
        let text = site.refused(&known(&site)).await;
        assert_eq!(
            text.contains("without_resource_parameter"),
            is_told,
            "{text}"
        );
    }
}

#[tokio::test]
async fn presets_are_a_few_settings() {
    let oauth = |it: OAuth| format!("{it:?}");
    for (preset, client, issuer) in [
        (
            oauth(OAuth::entra(
                "app",
                "11111111-2222-3333-4444-555555555555",
                "id",
            )),
            "id",
            "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0",
        ),
        (
            oauth(OAuth::auth0(
                "app",
                "acme.eu.auth0.com",
                "id",
                "https://api.example.com",
            )),
            "id",
            "https://acme.eu.auth0.com/",
        ),
        (
            oauth(OAuth::cognito(
                "app",
                "https://cognito-idp.eu-west-1.amazonaws.com/p",
                "id",
            )),
            "id",
            "https://cognito-idp.eu-west-1.amazonaws.com/p",
        ),
        (
            oauth(OAuth::google("app", "id", "secret")),
            "id",
            "https://accounts.google.com",
        ),
        (
            oauth(OAuth::github("app", "id", "secret")),
            "id",
            "https://github.com/login/oauth",
        ),
    ] {
        assert!(preset.contains(&json!(client).to_string()), "{preset}");
        assert!(preset.contains(&json!(issuer).to_string()), "{preset}");
        assert!(!preset.contains("secret"), "{preset}");
    }
}
