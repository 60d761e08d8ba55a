//! Settings that loosen the rules for the one issuer that the user has set.

use super::error::AuthErrorKind;
use crate::metadata::{AuthorizationServerMetadata, IssuerTemplate};

/// Protocol parameters that the user can't set (RFC 6749, RFC 7523, RFC 7636, RFC 8628, RFC 8693,
/// RFC 8707, RFC 9101, RFC 9126, RFC 9449, OpenID Connect).
const RESERVED: [&str; 29] = [
    "response_type",
    "response_mode",
    "client_id",
    "client_secret",
    "client_assertion",
    "client_assertion_type",
    "redirect_uri",
    "scope",
    "state",
    "nonce",
    "code",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "resource",
    "request",
    "request_uri",
    "grant_type",
    "assertion",
    "refresh_token",
    "device_code",
    "username",
    "password",
    "subject_token",
    "subject_token_type",
    "actor_token",
    "actor_token_type",
    "requested_token_type",
    "dpop_jkt",
];

type Extra = Vec<(String, String)>;

#[derive(Clone, Debug, Default)]
pub(crate) struct IssuerSettings {
    /// Assume that PKCE with `S256` is offered if the metadata does not mention PKCE.
    pub(crate) assumes_s256: bool,
    pub(crate) omits_resource: bool,
    pub(crate) authorization_parameters: Extra,
    pub(crate) token_parameters: Extra,
    /// The template that the metadata has as its `issuer`.
    pub(crate) template: Option<String>,
}

/// The settings for all other issuers.
pub(crate) static STRICT: IssuerSettings = IssuerSettings {
    assumes_s256: false,
    omits_resource: false,
    authorization_parameters: Vec::new(),
    token_parameters: Vec::new(),
    template: None,
};

impl IssuerSettings {
    /// Checks the settings. `has_issuer` is true if the user has set an issuer.
    ///
    /// # Errors
    ///
    /// Fails if there is a setting without an issuer, a reserved parameter or an invalid template.
    pub(crate) fn check(&self, has_issuer: bool) -> Result<(), AuthErrorKind> {
        let set = [
            (self.assumes_s256, "assume_s256"),
            (self.omits_resource, "without_resource_parameter"),
            (
                !self.authorization_parameters.is_empty(),
                "authorization_parameter",
            ),
            (!self.token_parameters.is_empty(), "token_parameter"),
            (self.template.is_some(), "issuer_template"),
        ];
        if let Some((_, name)) = set.iter().find(|(is_set, _)| *is_set && !has_issuer) {
            return Err(AuthErrorKind::SettingWithoutIssuer(name));
        }
        let parameters = self.authorization_parameters.iter();
        let mut parameters = parameters.chain(&self.token_parameters);
        if let Some((name, _)) = parameters.find(|(name, _)| RESERVED.contains(&&**name)) {
            return Err(AuthErrorKind::ReservedParameter(name.clone()));
        }
        self.template().map(drop)
    }

    pub(crate) fn template(&self) -> Result<Option<IssuerTemplate>, AuthErrorKind> {
        let parsed = self.template.as_deref().map(IssuerTemplate::parse);
        parsed.transpose().map_err(AuthErrorKind::Metadata)
    }

    /// Adjusts the issuer's metadata as if the issuer followed the rules.
    pub(crate) fn loosened(
        &self,
        issuer: &str,
        mut metadata: AuthorizationServerMetadata,
    ) -> AuthorizationServerMetadata {
        if self.template.as_ref() == Some(&metadata.issuer) {
            issuer.clone_into(&mut metadata.issuer);
        }
        if self.assumes_s256 {
            let methods = &mut metadata.code_challenge_methods_supported;
            methods.get_or_insert_with(|| vec!["S256".to_owned()]);
        }
        metadata
    }

    /// Removes the parameters that the issuer does not accept.
    pub(crate) fn without_omitted(
        &self,
        mut parameters: Vec<(&'static str, String)>,
    ) -> Vec<(&'static str, String)> {
        parameters.retain(|(name, _)| !(self.omits_resource && *name == "resource"));
        parameters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_metadata_says_is_not_overruled() {
        let settings = IssuerSettings {
            assumes_s256: true,
            ..IssuerSettings::default()
        };
        let offers = |methods: Option<&str>| {
            let metadata = AuthorizationServerMetadata {
                code_challenge_methods_supported: methods.map(|it| vec![it.to_owned()]),
                ..AuthorizationServerMetadata::default()
            };
            settings.loosened("https://a", metadata).offers_s256()
        };
        assert!(offers(None) && offers(Some("S256")) && !offers(Some("plain")));
    }

    #[test]
    fn the_protocol_keeps_its_parameters() {
        for (name, is_allowed) in [
            ("audience", true),
            ("access_type", true),
            ("prompt", true),
            ("resource", false),
            ("redirect_uri", false),
            ("code_challenge", false),
            ("client_secret", false),
        ] {
            let parameters = vec![(name.to_owned(), "a".to_owned())];
            for settings in [
                IssuerSettings {
                    authorization_parameters: parameters.clone(),
                    ..IssuerSettings::default()
                },
                IssuerSettings {
                    token_parameters: parameters.clone(),
                    ..IssuerSettings::default()
                },
            ] {
                assert_eq!(settings.check(true).is_ok(), is_allowed, "{name}");
                let found = settings.check(false).unwrap_err();
                assert!(matches!(found, AuthErrorKind::SettingWithoutIssuer(_)));
            }
        }
    }
}
