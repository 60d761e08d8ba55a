//! Issuing, refreshing, revoking and verifying tokens.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use http::Request;
use serde_json::{Value, json};

use super::authorize::Asked;
use super::endpoints::Endpoints;
use super::http_message::{OAuthError, OAuthResult, Parameters};
use super::logins::Login;
use crate::jwt::{Claims, TokenError};
use crate::limits::server::STORE_PAUSE;
use crate::server::{TokenVerifier, VerifyError};
use crate::util::{hash_text, random_text, unix_now};

impl Endpoints {
    /// Issues tokens (RFC 6749 §4.1.3, §6).
    pub(super) async fn token(&self, request: &Request<Bytes>) -> OAuthResult<Value> {
        let form = Parameters::of_form(request)?;
        self.check_resource(&form)?;
        let text = "`grant_type` must be `authorization_code` or `refresh_token`";
        match form.get("grant_type") {
            Some("authorization_code") => self.redeem(&form).await,
            Some("refresh_token") => self.refresh(&form).await,
            _ => Err(OAuthError::new("unsupported_grant_type", text)),
        }
    }

    async fn redeem(&self, form: &Parameters) -> OAuthResult<Value> {
        let code = form.get("code").and_then(|it| self.sealer.open("code", it));
        let (id, asked): (String, Asked) =
            code.ok_or(OAuthError::grant("the code is not valid, or has expired"))?;
        let _lock = self.logins.lock(&id).await?;
        let mut login = self.login(&id).await?;
        if login.generation > 0 {
            self.logins.remove(&id).await?;
            let text = "the code was used before: its tokens are revoked";
            return Err(OAuthError::grant(text));
        }
        let client_id = form.get("client_id").unwrap_or_default();
        let is_clients = hash_text(client_id) == asked.client;
        OAuthError::grant("the code belongs to another client").unless(is_clients)?;
        // Clients of OAuth 2.1 may omit the redirect URI (§10.2), because PKCE provides its
        // protection.
        let uri = form.get("redirect_uri");
        let is_same = uri.is_none_or(|uri| uri == asked.redirect_uri);
        OAuthError::grant("`redirect_uri` differs from the authorization request")
            .unless(is_same)?;
        let is_proven = form.get("code_verifier").map(hash_text) == Some(asked.challenge);
        OAuthError::grant("`code_verifier` is missing or wrong").unless(is_proven)?;
        client_id.clone_into(&mut login.client_id);
        let scope = login.scopes.join(" ");
        self.next(id, login, scope).await
    }

    async fn refresh(&self, form: &Parameters) -> OAuthResult<Value> {
        let token = form.get("refresh_token").unwrap_or_default();
        // Refresh tokens can't be forged; the generation tells whether this one was already redeemed.
        let token: Option<(String, u64)> = self.sealer.open("refresh", token);
        let (id, generation) = token.ok_or(OAuthError::grant("the refresh token is not valid"))?;
        let _lock = self.logins.lock(&id).await?;
        let mut login = self.login(&id).await?;
        let is_clients = form.get("client_id") == Some(&login.client_id);
        OAuthError::grant("the refresh token belongs to another client").unless(is_clients)?;
        if generation != login.generation {
            self.logins.remove(&id).await?;
            let text = "the refresh token was used before: all tokens of the login are revoked";
            return Err(OAuthError::grant(text));
        }
        let scopes = match form.get("scope") {
            None => login.scopes.clone(),
            asked => self.granted(asked, &login.scopes)?,
        };
        let Err(error) = self.upstream.renew(&mut login.granted).await else {
            return self.next(id, login, scopes.join(" ")).await;
        };
        match error.code {
            "invalid_grant" => self.logins.remove(&id).await?,
            // The provider may have returned a new refresh token.
            _ => self.logins.save(&id, &login).await?,
        }
        Err(error)
    }

    async fn login(&self, id: &str) -> OAuthResult<Login> {
        let login = self.logins.load(id).await?;
        login.ok_or(OAuthError::grant("the login has ended"))
    }

    /// Issues the next tokens of a login, after the former ones have been invalidated.
    async fn next(&self, id: String, mut login: Login, scope: String) -> OAuthResult<Value> {
        login.generation += 1;
        self.logins.save(&id, &login).await?;
        let now = unix_now();
        let seconds = login.granted.access_lifetime();
        // The claims of RFC 9068 §2.2.
        let claims = json!({
            "iss": self.settings.issuer,
            "aud": self.settings.resource,
            "sub": login.granted.person.get("sub"),
            "client_id": login.client_id,
            "scope": scope,
            "iat": now,
            "exp": now + seconds,
            "jti": random_text()?,
            // `sid` identifies the login.
            "sid": id,
        });
        let refresh = (id, login.generation);
        Ok(json!({
            "access_token": self.sealer.keys.sign(&claims)?,
            "token_type": "Bearer",
            "expires_in": seconds,
            "refresh_token": self.sealer.seal("refresh", login.ends_at, &refresh)?,
            "scope": scope,
        }))
    }

    /// Ends the login that a token belongs to (RFC 7009 §2). A token that is already invalid is not
    /// an error.
    pub(super) async fn revoke(&self, request: &Request<Bytes>) -> OAuthResult<Value> {
        let form = Parameters::of_form(request)?;
        let token = form.get("token").unwrap_or_default();
        let refresh: Option<(String, u64)> = self.sealer.open("refresh", token);
        let of_access = || self.verified(token).ok().map(|(id, _)| id);
        if let Some(id) = refresh.map(|(id, _)| id).or_else(of_access) {
            let _lock = self.logins.lock(&id).await?;
            let login = self.logins.load(&id).await?;
            let is_clients = login.is_none_or(|it| form.get("client_id") == Some(&it.client_id));
            OAuthError::new("invalid_client", "the token belongs to another client")
                .unless(is_clients)?;
            self.logins.remove(&id).await?;
        }
        Ok(json!({}))
    }

    /// Verifies an access token of this server. Returns the identifier of its login and its claims.
    fn verified(&self, token: &str) -> Result<(String, Claims), TokenError> {
        let claims = self.rules.verify(token, &self.public, SystemTime::now())?;
        let id = claims.get("sid").and_then(Value::as_str).map(str::to_owned);
        Ok((id.ok_or(TokenError::MissingClaim("sid"))?, claims))
    }
}

/// Verifies access tokens. The resulting claims are the provider's claims about the person, plus
/// the claims of the token that access depends on.
pub(super) struct Verifier(pub(super) Arc<Endpoints>);

impl TokenVerifier for Verifier {
    async fn verify(&self, token: &str) -> Result<Claims, VerifyError> {
        let (id, claims) = self.0.verified(token)?;
        let login = self.0.logins.load(&id).await;
        let login = login.map_err(|_| VerifyError::Unavailable(STORE_PAUSE))?;
        let login = login.ok_or(VerifyError::Invalid("the login has ended".into()))?;
        let mut person = login.granted.person;
        for name in ["aud", "client_id", "scope", "iat", "exp", "jti"] {
            let value = claims.get(name).cloned().unwrap_or_default();
            person.insert(name.to_owned(), value);
        }
        let provider = &self.0.upstream.provider.issuer;
        person.insert("iss".to_owned(), json!(provider));
        Ok(Claims::new(person)?)
    }
}
