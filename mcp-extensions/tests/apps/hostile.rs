//! Declarations with which a server tries to get more than domains into a policy.

use mcp_runtime::serde_json::{Value, json};
use proptest::prelude::*;

use crate::stranger::{self, Stranger};

const LISTS: [&str; 4] = [
    "connectDomains",
    "resourceDomains",
    "frameDomains",
    "baseUriDomains",
];

/// Returns the policy of a page that declares `domains` in each list.
async fn policy(domains: &Value) -> String {
    let csp: Value = LISTS
        .into_iter()
        .map(|list| (list.to_owned(), domains.clone()))
        .collect();
    stranger::policy(csp).await
}

#[tokio::test]
async fn hostile_declarations_leave_the_policy_as_it_is() {
    let strictest = policy(&json!([])).await;
    for domains in [
        json!(["https://a.example; script-src *"]),
        json!(["https://a.example\nscript-src *"]),
        json!(["https://a.example\r\nX-Header: 1"]),
        json!(["https://a.example 'unsafe-eval'"]),
        json!(["https://a.example,https://b.example"]),
        json!([
            "'unsafe-eval'",
            "'unsafe-inline'",
            "'self'",
            "'none'",
            "'strict-dynamic'"
        ]),
        json!(["\"https://a.example\""]),
        json!(["*", "https://*", "https://*:443", "*://a.example"]),
        json!(["https:", "http:", "wss:"]),
        json!(["data:", "blob:", "filesystem:", "javascript:alert(1)"]),
        json!(["https://user:password@a.example", "https://user@a.example"]),
        json!([
            "https://a.example/path",
            "https://a.example/",
            "https://a.example?q",
            "https://a.example#f"
        ]),
        json!([
            "https://bücher.example",
            "https://ａ.example",
            "https://a。example",
            "https://a\u{200b}.example"
        ]),
        json!([
            "https://a.example.",
            "https://.a.example",
            "https://a..example"
        ]),
        json!([
            "https://a.example:0",
            "https://a.example:65536",
            "https://a.example:99999999999999999999"
        ]),
        json!([
            "https://a.example:-1",
            "https://a.example:+1",
            "https://a.example:*",
            "https://a.example:"
        ]),
        json!([
            "http://a.example",
            "ws://a.example",
            "http://localhost.a.example"
        ]),
        json!(["https://[::1]", "https://[::1]:443"]),
        json!(["a.example", "//a.example", "", " ", "https://"]),
        json!([1, null, true, ["https://a.example"], {"domain": "https://a.example"}]),
        json!("https://a.example"),
        json!({"0": "https://a.example"}),
        json!(true),
        json!([format!("https://{}.example", "a".repeat(70_000))]),
    ] {
        assert_eq!(policy(&domains).await, strictest, "{domains:.200}");
    }
}

#[tokio::test]
async fn a_wrong_domain_spoils_only_itself() {
    let mixed = policy(&json!(["https://a.example", "*", 1, "https://b.example;"])).await;
    assert_eq!(mixed, policy(&json!(["https://a.example"])).await);
}

#[tokio::test]
async fn a_description_of_the_wrong_type_is_as_none() {
    let strictest = policy(&json!([])).await;
    for ui in [
        json!({"csp": "default-src *"}),
        json!({"csp": ["https://a.example"]}),
        json!({"csp": {"connectDomains": null, "script-src": ["*"], "default-src": "*"}}),
        json!("csp"),
        json!([]),
        json!(1),
    ] {
        let page = Stranger::described(ui.clone()).page().await.unwrap();
        assert_eq!((page.policy(), &*page.allow()), (&*strictest, ""), "{ui}");
        assert_eq!((page.domain(), page.prefers_border()), (None, None));
    }
}

#[tokio::test]
async fn only_a_hundred_domains_of_a_list_are_in_the_policy() {
    let many: Vec<_> = (0..10_000)
        .map(|it| format!("https://{it}.example"))
        .collect();
    assert_eq!(
        policy(&json!(many)).await,
        policy(&json!(&many[..100])).await
    );
    let same = vec!["https://a.example"; 10_000];
    assert_eq!(
        policy(&json!(same)).await,
        policy(&json!(["https://a.example"])).await
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_policy_has_the_same_directives_whatever_is_declared(
        domains in prop::collection::vec(
            prop_oneof!["\\PC*", "(https|http|ws)://[a-z*.;, '\"\n:0-9]{0,20}"], 0..5,
        ),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (found, strictest) = runtime.block_on(async {
            (policy(&json!(domains)).await, policy(&json!([])).await)
        });
        let names = |policy: &str| -> Vec<String> {
            let directives = policy.split("; ");
            directives.map(|it| it.split(' ').next().unwrap().to_owned()).collect()
        };
        prop_assert!(found.bytes().all(|it| matches!(it, b' '..=b'~')) && !found.contains(','));
        prop_assert_eq!(names(&found), names(&strictest));
        for source in found.split([';', ' ']).filter(|it| !strictest.contains(*it)) {
            let scheme = source.split("://").next().unwrap();
            prop_assert!(matches!(scheme, "https" | "http" | "wss" | "ws"), "{}", source);
        }
    }
}
