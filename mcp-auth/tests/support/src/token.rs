//! The token endpoint.

use serde_json::{Value, json};

use crate::key;
use crate::record::Recorded;
use crate::reply::OAuthError;
use crate::settings::TokenFormat;
use crate::state::{AccessToken, Grant, RefreshToken, State};

const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";

impl State {
    pub(crate) fn token(&mut self, request: &Recorded) -> Result<Value, OAuthError> {
        if request.method != "POST" {
            return Err(OAuthError::new(405, "invalid_request", "only POST"));
        }
        let thumbprint = self.proof(request)?;
        match request.parameter("grant_type") {
            Some("authorization_code") => self.redeem_code(request, thumbprint),
            Some("refresh_token") => self.refresh(request, thumbprint),
            Some("client_credentials") => self.client_credentials(request, thumbprint),
            Some("urn:ietf:params:oauth:grant-type:jwt-bearer") => {
                self.jwt_bearer(request, thumbprint)
            }
            Some("urn:ietf:params:oauth:grant-type:token-exchange") => self.exchange(request),
            _ => Err(OAuthError::new(
                400,
                "unsupported_grant_type",
                "unknown grant",
            )),
        }
    }

    fn redeem_code(
        &mut self,
        request: &Recorded,
        thumbprint: Option<String>,
    ) -> Result<Value, OAuthError> {
        let client = self.authenticate(request)?;
        let code = request.parameter("code").unwrap_or_default();
        let code = self.codes.remove(code);
        let mut code = code.ok_or_else(|| OAuthError::grant("unknown code, or used before"))?;
        if code.grant.client_id != client.id {
            return Err(OAuthError::grant("the code belongs to another client"));
        }
        if request.parameter("redirect_uri") != Some(&code.redirect_uri) {
            return Err(OAuthError::grant("another `redirect_uri`"));
        }
        let verifier = request.parameter("code_verifier").unwrap_or_default();
        if key::sha256(verifier) != code.challenge {
            return Err(OAuthError::grant("wrong `code_verifier`"));
        }
        let resource = request.parameter("resource");
        if resource.is_some() && resource != code.grant.resource.as_deref() {
            return Err(OAuthError::new(400, "invalid_target", "another resource"));
        }
        if code.grant.thumbprint.is_some() && code.grant.thumbprint != thumbprint {
            return Err(OAuthError::grant("the code is bound to another key"));
        }
        code.grant.thumbprint = thumbprint;
        Ok(self.issue(&code.grant, true))
    }

    fn refresh(
        &mut self,
        request: &Recorded,
        thumbprint: Option<String>,
    ) -> Result<Value, OAuthError> {
        let client = self.authenticate(request)?;
        let now = self.now();
        let token = request.parameter("refresh_token").unwrap_or_default();
        let found = self.refresh_tokens.get_mut(token);
        let kept = found.filter(|it| it.grant.client_id == client.id && it.expires_at > now);
        let kept = kept.ok_or_else(|| OAuthError::grant("unknown or expired refresh token"))?;
        let mut grant = kept.grant.clone();
        if std::mem::replace(&mut kept.is_used, true) {
            self.revoke(&grant.login);
            return Err(OAuthError::grant("the refresh token was used before"));
        }
        if client.secret.is_none() && grant.thumbprint != thumbprint {
            return Err(OAuthError::grant(
                "the refresh token is bound to another key",
            ));
        }
        grant.thumbprint = thumbprint;
        Ok(self.issue(&grant, true))
    }

    fn client_credentials(
        &mut self,
        request: &Recorded,
        thumbprint: Option<String>,
    ) -> Result<Value, OAuthError> {
        let client = self.authenticate(request)?;
        if client.secret.is_none() && client.key.is_none() {
            return Err(OAuthError::new(
                400,
                "unauthorized_client",
                "a public client",
            ));
        }
        let grant = Grant {
            client_id: client.id,
            subject: None,
            scope: self.scope(request.parameter("scope"))?,
            resource: self.resource(request)?,
            thumbprint,
            nonce: None,
            login: key::random(),
        };
        Ok(self.issue(&grant, false))
    }

    /// Accepts an assertion of a trusted issuer as a grant (RFC 7523 §2.1): an ID-JAG or a
    /// workload's token.
    fn jwt_bearer(
        &mut self,
        request: &Recorded,
        thumbprint: Option<String>,
    ) -> Result<Value, OAuthError> {
        let assertion = request.parameter("assertion").unwrap_or_default();
        let (header, claims) = self.trusted_assertion(assertion)?;
        let is_id_jag = header["typ"] == "oauth-id-jag+jwt";
        let client_id = if is_id_jag || request.parameter("client_id").is_some() {
            self.authenticate(request)?.id
        } else {
            claims["sub"].as_str().unwrap_or_default().to_owned()
        };
        if is_id_jag && claims["client_id"] != client_id.as_str() {
            return Err(OAuthError::grant("the assertion belongs to another client"));
        }
        let of_assertion = claims["resource"].as_str().map(str::to_owned);
        let scope = request.parameter("scope").or(claims["scope"].as_str());
        let grant = Grant {
            client_id,
            subject: claims["sub"].as_str().map(str::to_owned),
            scope: self.scope(scope)?,
            resource: of_assertion.or(self.resource(request)?),
            thumbprint,
            nonce: None,
            login: key::random(),
        };
        Ok(self.issue(&grant, false))
    }

    /// The header and claims of an assertion that a trusted issuer made for this server.
    fn trusted_assertion(&self, assertion: &str) -> Result<(Value, Value), OAuthError> {
        let parts = key::parts(assertion);
        let (header, claims) = parts.ok_or_else(|| OAuthError::grant("no JWT"))?;
        let mut trusted = self.trusted.iter();
        let issuer = trusted.find(|it| claims["iss"] == it.issuer());
        let is_signed = issuer.is_some_and(|issuer| {
            if issuer.issuer() == self.issuer {
                self.keys.iter().any(|key| key.has_signed(assertion))
            } else {
                issuer.has_signed(assertion)
            }
        });
        if !is_signed {
            return Err(OAuthError::grant("the assertion's issuer is not trusted"));
        }
        if claims["aud"] != self.issuer.as_str() {
            return Err(OAuthError::grant("the assertion is for another server"));
        }
        if claims["exp"].as_i64().is_none_or(|exp| exp <= self.now()) {
            return Err(OAuthError::grant("the assertion has expired"));
        }
        Ok((header, claims))
    }

    /// Exchanges an ID token of this issuer for an ID-JAG (RFC 8693).
    fn exchange(&mut self, request: &Recorded) -> Result<Value, OAuthError> {
        let client = self.authenticate(request)?;
        let subject_type = "urn:ietf:params:oauth:token-type:id_token";
        if request.parameter("requested_token_type") != Some(ID_JAG)
            || request.parameter("subject_token_type") != Some(subject_type)
        {
            return Err(OAuthError::request("only ID tokens become ID-JAGs"));
        }
        let token = request.parameter("subject_token").unwrap_or_default();
        let (_, claims) = key::parts(token).ok_or_else(|| OAuthError::request("no JWT"))?;
        let is_ours = self.keys.iter().any(|key| key.has_signed(token));
        if !is_ours || claims["exp"].as_i64().is_none_or(|exp| exp <= self.now()) {
            return Err(OAuthError::grant("the ID token is not valid"));
        }
        let audience = request.parameter("audience");
        let audience = audience.ok_or_else(|| OAuthError::request("no `audience`"))?;
        let grant = self.mint(
            &json!({"typ": "oauth-id-jag+jwt"}),
            &json!({
                "sub": claims["sub"],
                "aud": audience,
                "resource": request.parameter("resource"),
                "scope": request.parameter("scope"),
                "client_id": client.id,
            }),
        );
        Ok(json!({
            "access_token": grant,
            "issued_token_type": ID_JAG,
            "token_type": "N_A",
            "expires_in": self.settings.access_lifetime.as_secs(),
        }))
    }

    fn issue(&mut self, grant: &Grant, with_refresh_token: bool) -> Value {
        let thumbprint = grant.thumbprint.as_ref();
        let claims = json!({
            "aud": grant.resource.as_ref().unwrap_or(&self.issuer),
            "sub": grant.subject.as_ref().unwrap_or(&grant.client_id),
            "client_id": grant.client_id,
            "scope": grant.scope,
            "cnf": thumbprint.map(|it| json!({"jkt": it})),
        });
        let jwt = self.mint(&json!({}), &claims);
        let (_, claims) = key::parts(&jwt).unwrap();
        let token = match self.settings.token_format {
            TokenFormat::Jwt => jwt,
            TokenFormat::Opaque => key::random(),
        };
        let login = grant.login.clone();
        self.access_tokens
            .insert(token.clone(), AccessToken { login, claims });
        let scopes = grant.scope.as_deref().unwrap_or_default();
        let mut answer = json!({
            "access_token": token,
            "token_type": if thumbprint.is_some() { "DPoP" } else { "Bearer" },
            "expires_in": self.settings.expires_in.then_some(self.settings.access_lifetime.as_secs()),
            "scope": grant.scope,
        });
        if scopes.split(' ').any(|it| it == "openid") {
            answer["id_token"] = json!(self.id_token(&grant.client_id, grant.nonce.as_deref()));
        }
        if with_refresh_token && self.settings.refresh_tokens {
            let token = key::random();
            let lifetime = i64::try_from(self.settings.refresh_lifetime.as_secs()).unwrap();
            let kept = RefreshToken {
                grant: grant.clone(),
                is_used: false,
                expires_at: self.now() + lifetime,
            };
            self.refresh_tokens.insert(token.clone(), kept);
            answer["refresh_token"] = json!(token);
        }
        key::merge(&mut answer, &json!({}));
        answer
    }

    pub(crate) fn id_token(&self, client_id: &str, nonce: Option<&str>) -> String {
        let mut claims = json!({"aud": client_id, "client_id": null, "jti": null, "nonce": nonce});
        for (name, value) in self
            .settings
            .id_token_claims
            .as_object()
            .expect("an object")
        {
            claims[name] = value.clone();
        }
        self.mint(&json!({"typ": "JWT"}), &claims)
    }
}
