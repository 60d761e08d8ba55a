//! Introspection of tokens (RFC 7662).

use std::sync::Arc;

use form_urlencoded::Serializer;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Method, Request, Uri};
use serde_json::{Map, Value};

use super::discovery::{Discovery, FetchError};
use super::lookups::Found;
use super::refusal::Refusal;
use super::verifier::VerifyError;
use crate::authentication::{ClientCredential, ClientCredentials};
use crate::jwt::{TokenError, members};
use crate::limits::server::ISSUER_PAUSE;

#[derive(Clone, Debug, Default)]
pub(super) struct IntrospectionClient {
    pub(super) id: String,
    pub(super) credential: ClientCredential,
    /// The endpoint; `None` if it is discovered.
    pub(super) url: Option<String>,
    /// True if JWTs are also introspected.
    pub(super) takes_jwts: bool,
    pub(super) allows_any_audience: bool,
}

pub(super) struct Introspection {
    pub(super) discovery: Arc<Discovery>,
    pub(super) client: IntrospectionClient,
    pub(super) resource: String,
    pub(super) audience_claim: String,
}

impl Introspection {
    pub(super) async fn found(&self, token: &str) -> Result<Found, VerifyError> {
        let error = match self.response(token).await {
            Ok(response) => {
                let read = self.read(response);
                return Ok(read.unwrap_or_else(|error| Found::Refused(error.into())));
            }
            Err(error) => error,
        };
        mcp_runtime::log::warn!(%error, "a token can't be introspected");
        match error.status.map(|it| it.as_u16()) {
            Some(413 | 414 | 422 | 431) => Ok(Found::Refused(Refusal::NotActive)),
            // Status 400 may be caused by the token or by the client.
            Some(400 | 429) => Err(VerifyError::TokenUnavailable(ISSUER_PAUSE)),
            _ => {
                self.discovery.expire().await;
                Err(VerifyError::Unavailable(ISSUER_PAUSE))
            }
        }
    }

    async fn response(&self, token: &str) -> Result<Map<String, Value>, FetchError> {
        let Self {
            discovery, client, ..
        } = self;
        let (url, offered) = match &client.url {
            Some(url) => (url.clone(), None),
            None => {
                let metadata = discovery.metadata().await?;
                let url = metadata.introspection_endpoint.as_deref();
                let url = discovery
                    .endpoint("introspection_endpoint", url)?
                    .to_owned();
                let of_tokens = &metadata.token_endpoint_auth_methods_supported;
                let offered = &metadata.introspection_endpoint_auth_methods_supported;
                (url, offered.as_ref().or(of_tokens.as_ref()).cloned())
            }
        };
        let request = self.request(&url, token, offered.as_deref())?;
        let response = discovery.send(&url, Ok(request)).await?;
        let response = members::parse(&response);
        response.ok_or_else(|| FetchError::answer(&url, "its response is not a JSON object"))
    }

    fn request(
        &self,
        url: &str,
        token: &str,
        offered: Option<&[String]>,
    ) -> Result<Request<String>, FetchError> {
        let cause = "it accepts `private_key_jwt` instead of a secret: give an `AssertionKey`";
        let authentication = self.client.credential.authentication(offered);
        let authentication = authentication.ok_or_else(|| FetchError::network(url, cause))?;
        let client = ClientCredentials {
            client_id: self.client.id.clone(),
            authentication,
        };
        let mut parameters = Vec::new();
        let mut headers = HeaderMap::new();
        parameters.push(("token", token.to_owned()));
        parameters.push(("token_type_hint", "access_token".to_owned()));
        let issuer = &self.discovery.issuer;
        client
            .authenticate(issuer, &mut parameters, &mut headers)
            .map_err(|error| FetchError::network(url, error))?;
        let mut form = Serializer::new(String::new());
        let mut request = Request::new(form.extend_pairs(parameters).finish());
        *request.method_mut() = Method::POST;
        *request.uri_mut() = url
            .parse::<Uri>()
            .map_err(|error| FetchError::network(url, error))?;
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let form = HeaderValue::from_static("application/x-www-form-urlencoded");
        headers.insert(CONTENT_TYPE, form);
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// Interprets a response: the members of an active token, or a refusal.
    fn read(&self, mut answer: Map<String, Value>) -> Result<Found, TokenError> {
        if answer.get("active") != Some(&Value::Bool(true)) {
            return Ok(Found::Refused(Refusal::NotActive));
        }
        let is_bound = answer.contains_key("cnf");
        match answer.get("token_type") {
            None => {}
            Some(Value::String(it)) if it.eq_ignore_ascii_case("bearer") => {}
            Some(Value::String(it)) if it.eq_ignore_ascii_case("dpop") && is_bound => {}
            Some(_) => return Err(TokenError::InvalidClaim("token_type")),
        }
        // A response without an issuer is attributed to the server that sent it.
        let issuer = || Value::String(self.discovery.issuer.clone());
        answer.entry("iss").or_insert_with(issuer);
        if self.client.allows_any_audience {
            let resource = || Value::String(self.resource.clone());
            answer.entry(&*self.audience_claim).or_insert_with(resource);
        }
        Ok(Found::Members(answer))
    }
}

#[cfg(test)]
mod tests {
    use mcp_runtime::transport::http_client::AuthHttp;
    use serde_json::json;

    use super::*;

    fn read(allows_any_audience: bool, members: Value) -> Result<Map<String, Value>, String> {
        let mut answer = json!({"active": true, "sub": "s", "exp": 1000});
        for (name, value) in members.as_object().unwrap() {
            answer[name] = value.clone();
        }
        let http = AuthHttp::trusted([]).unwrap();
        let introspection = Introspection {
            discovery: Arc::new(Discovery::new("https://issuer", http)),
            client: IntrospectionClient {
                id: "client".to_owned(),
                credential: ClientCredential::None,
                url: None,
                takes_jwts: false,
                allows_any_audience,
            },
            resource: "https://resource".to_owned(),
            audience_claim: "aud".to_owned(),
        };
        match introspection.read(answer.as_object().unwrap().clone()) {
            Ok(Found::Members(members)) => Ok(members),
            Ok(Found::Claims(_)) => Err("claims".to_owned()),
            Ok(Found::Refused(refusal)) => Err(format!("{refusal:?}")),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn the_issuer_that_answers_is_the_tokens() {
        assert_eq!(read(false, json!({})).unwrap()["iss"], "https://issuer");
        let named = read(false, json!({"iss": "https://other"})).unwrap();
        assert_eq!(named["iss"], "https://other");
    }

    #[test]
    fn an_audience_is_made_up_only_where_that_was_asked_for() {
        assert!(!read(false, json!({})).unwrap().contains_key("aud"));
        assert_eq!(read(true, json!({})).unwrap()["aud"], "https://resource");
        let other = read(true, json!({"aud": "https://other"})).unwrap();
        assert_eq!(other["aud"], "https://other");
    }

    #[test]
    fn tokens_of_another_type_are_refused() {
        for members in [
            json!({"token_type": "N_A"}),
            json!({"token_type": 1}),
            json!({"token_type": null}),
            // Such a token is bound to a key, but the response does not name the key.
            json!({"token_type": "DPoP"}),
        ] {
            let found = read(false, members.clone()).unwrap_err();
            assert_eq!(
                found, "the token's claim `token_type` is invalid",
                "{members}"
            );
        }
        let bound = json!({"token_type": "dpop", "cnf": {"jkt": "k"}});
        assert!(read(false, bound).is_ok());
        assert!(read(false, json!({"token_type": "bearer"})).is_ok());
        for active in [json!(false), json!("true"), json!(1), json!(null)] {
            let found = read(false, json!({"active": active})).unwrap_err();
            assert_eq!(found, "NotActive");
        }
    }
}
