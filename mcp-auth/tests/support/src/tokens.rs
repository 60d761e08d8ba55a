//! Introspection (RFC 7662) and revocation (RFC 7009).

use serde_json::{Value, json};

use crate::key;
use crate::record::Recorded;
use crate::reply::OAuthError;
use crate::state::State;

impl State {
    pub(crate) fn introspect(&mut self, request: &Recorded) -> Result<Value, OAuthError> {
        let client = self.authenticate(request)?;
        if client.secret.is_none() && client.key.is_none() {
            return Err(OAuthError::new(401, "invalid_client", "a public client"));
        }
        let token = request.parameter("token").unwrap_or_default();
        let Some(kept) = self.access_tokens.get(token) else {
            return Ok(json!({"active": false}));
        };
        if kept.claims["exp"]
            .as_i64()
            .is_some_and(|exp| exp <= self.now())
        {
            return Ok(json!({"active": false}));
        }
        let is_bound = kept.claims["cnf"].is_object();
        let token_type = if is_bound { "DPoP" } else { "Bearer" };
        let mut answer = kept.claims.clone();
        key::merge(
            &mut answer,
            &json!({"active": true, "token_type": token_type}),
        );
        Ok(answer)
    }

    pub(crate) fn revocation(&mut self, request: &Recorded) -> Result<Value, OAuthError> {
        let client = self.authenticate(request)?;
        let token = request.parameter("token").unwrap_or_default();
        if let Some(kept) = self.refresh_tokens.get(token) {
            if kept.grant.client_id != client.id {
                return Err(OAuthError::request("the token belongs to another client"));
            }
            let login = kept.grant.login.clone();
            self.revoke(&login);
        }
        self.access_tokens.remove(token);
        Ok(json!({}))
    }
}
