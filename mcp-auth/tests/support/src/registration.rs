//! Dynamic registration (RFC 7591).

use serde_json::{Value, json};

use crate::client::Client;
use crate::key;
use crate::record::Recorded;
use crate::reply::OAuthError;
use crate::state::State;

impl State {
    pub(crate) fn register(&mut self, request: &Recorded) -> Result<Value, OAuthError> {
        if !self.settings.registration {
            return Err(OAuthError::new(404, "invalid_request", "no registration"));
        }
        let metadata = &request.json;
        let uris = metadata["redirect_uris"].as_array();
        let uris = uris.map(|uris| uris.iter().filter_map(Value::as_str).map(str::to_owned));
        let uris: Vec<String> = uris.into_iter().flatten().collect();
        if uris.is_empty() {
            let text = "`redirect_uris` is missing";
            return Err(OAuthError::new(400, "invalid_redirect_uri", text));
        }
        let methods = &self.settings.auth_methods;
        let wanted = metadata["token_endpoint_auth_method"].as_str();
        let wanted = wanted.unwrap_or("client_secret_basic");
        let method = methods.iter().find(|it| **it == wanted).or(methods.first());
        let method = *method.expect("there is a method");
        let has_secret = method.starts_with("client_secret");
        let client = Client {
            id: format!("client-{}", self.registered.len() + 1),
            secret: has_secret.then(key::random),
            key: None,
            redirect_uris: uris,
        };
        let mut answer = metadata.clone();
        let assigned = json!({
            "client_id": client.id,
            "client_secret": client.secret,
            "client_secret_expires_at": has_secret.then_some(0),
            "token_endpoint_auth_method": method,
        });
        key::merge(&mut answer, &assigned);
        self.registered.push(client);
        Ok(answer)
    }
}
