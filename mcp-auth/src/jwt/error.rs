//! Errors of keys and tokens.

/// The reason why a token is not accepted.
///
/// The message contains no part of the token, so it can be used as `error_description`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// The token is not three parts in base64url without padding, or a part is not a JSON object
    /// with distinct members. Opaque tokens also give this error.
    #[error("the token is not a signed JWT")]
    Malformed,
    /// `alg` is unknown, `none`, symmetric or not among the accepted algorithms.
    #[error("the token is signed by an algorithm that is not accepted")]
    Algorithm,
    /// The header has `crit`, so the token must not be read without extensions that this crate does
    /// not support (RFC 7515 §4.1.11).
    #[error("the token needs extensions that are not supported")]
    Critical,
    /// `typ` denotes something other than an access token.
    #[error("the token is not of the type `at+jwt`")]
    Type,
    /// No key matches the token's `kid` and `alg`. The issuer may have published a new key.
    #[error("the token's key is not known")]
    UnknownKey,
    /// The key with the token's `kid` is for a different algorithm, or no key matches and the
    /// header contains a key (`jwk`, `jku`, `x5c`, `x5u`). Only keys that the issuer publishes can
    /// verify tokens.
    #[error("the token's key is not a key of its issuer for this algorithm")]
    WrongKey,
    /// The signature was made by another key or for another token.
    #[error("the token's signature is wrong")]
    Signature,
    /// A required claim is missing.
    #[error("the token's claim `{0}` is missing")]
    MissingClaim(&'static str),
    /// A claim does not have the required value, or the claims do not pass a custom check.
    #[error("the token's claims do not meet the requirements")]
    Claims,
    /// A claim has the wrong type, or a time is out of range.
    #[error("the token's claim `{0}` is invalid")]
    InvalidClaim(&'static str),
    /// The token was issued by a different issuer.
    #[error("the token is from another issuer")]
    Issuer,
    /// The token is for a different resource.
    #[error("the token is for another audience")]
    Audience,
    /// The time of `exp` has passed.
    #[error("the token has expired")]
    Expired,
    /// The time of `nbf` has not come yet.
    #[error("the token is not valid yet")]
    NotYetValid,
}

/// The reason why a key can't verify tokens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JwkError {
    /// The document is not a JSON object with distinct members, or a key set has no list `keys`.
    #[error("the key is not a JSON Web Key")]
    Malformed,
    /// A member is missing or has the wrong type or length.
    #[error("the key's member `{0}` is missing or invalid")]
    Member(&'static str),
    /// The key is neither RSA nor on a curve of [`Algorithm`](super::Algorithm). Symmetric keys
    /// give this error.
    #[error("keys of this type or curve are not supported")]
    Unsupported,
    /// The key has private members, so it is compromised by being published.
    #[error("the key is a private key")]
    Private,
    /// `use`, `key_ops` or `alg` restricts the key to something other than verifying signatures.
    #[error("the key is not for signatures")]
    Purpose,
    /// The RSA key has fewer than 2048 bits.
    #[error("the RSA key has fewer than 2048 bits")]
    Weak,
}
