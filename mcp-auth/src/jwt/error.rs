//! Errors of keys and tokens.

/// The cause for which a token is not accepted.
///
/// Its text is fit for `error_description`: it names no part of the token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenError {
    /// Not three parts in base64url without padding, or a part that is no JSON object with distinct
    /// members. An opaque token is this, too.
    #[error("the token is not a signed JWT")]
    Malformed,
    /// `alg` is unknown, `none`, symmetric or not in the list of accepted algorithms.
    #[error("the token is signed by an algorithm that is not accepted")]
    Algorithm,
    /// The header has `crit`: the token must not be read without extensions that are not known here
    /// (RFC 7515 §4.1.11).
    #[error("the token needs extensions that are not supported")]
    Critical,
    /// `typ` is that of something else than an access token.
    #[error("the token is not of the type `at+jwt`")]
    Type,
    /// No key fits the token's `kid` and `alg`: the issuer may have a new one.
    #[error("the token's key is not known")]
    UnknownKey,
    /// The key with the token's `kid` is for another algorithm than `alg`, or no key fits and the header
    /// brings one along (`jwk`, `jku`, `x5c`, `x5u`): only keys that the issuer publishes verify tokens.
    #[error("the token's key is not one of its issuer for this algorithm")]
    WrongKey,
    /// The signature was made by another key or for another token.
    #[error("the token's signature is wrong")]
    Signature,
    /// A claim that every access token has is missing.
    #[error("the token's claim `{0}` is missing")]
    MissingClaim(&'static str),
    /// A claim has not the value that is required, or those that are there do not pass a check.
    #[error("the token's claims are not those that are required")]
    Claims,
    /// A claim is not of its type, or a time out of range.
    #[error("the token's claim `{0}` is invalid")]
    InvalidClaim(&'static str),
    /// The token is another issuer's.
    #[error("the token is from another issuer")]
    Issuer,
    /// The token is meant for another resource.
    #[error("the token is for another audience")]
    Audience,
    /// The time of `exp` is over.
    #[error("the token has expired")]
    Expired,
    /// The time of `nbf` is yet to come.
    #[error("the token is not valid yet")]
    NotYetValid,
}

/// The cause for which a key can't verify tokens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JwkError {
    /// No JSON object with distinct members, or a set without a list `keys`.
    #[error("the key is not a JSON Web Key")]
    Malformed,
    /// A member is missing, or has a wrong type or length.
    #[error("the key's member `{0}` is missing or invalid")]
    Member(&'static str),
    /// Neither RSA nor a curve of [`Algorithm`](super::Algorithm): a symmetric key, for instance.
    #[error("keys of this type or curve are not supported")]
    Unsupported,
    /// The key has private members: whoever published it has lost it.
    #[error("the key is a private key")]
    Private,
    /// `use`, `key_ops` or `alg` is for something else than verifying signatures.
    #[error("the key is not for signatures")]
    Purpose,
    /// An RSA key of fewer than 2048 bits.
    #[error("the RSA key has fewer than 2048 bits")]
    Weak,
}
