//! Bearer tokens that the program itself knows.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::{env, fmt, fs, io};

use http::header::WWW_AUTHENTICATE;
use http::request::Parts;
use http::{HeaderValue, StatusCode};
use mcp_runtime::transport::http::{AccessDenied, AccessPolicy, Principal, ScopeCheck};
use serde_json::json;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use super::credentials::{Credentials, Scheme};
use super::refusal::Refusal;
use super::scopes;
use super::token_cache::TokenHash;
use crate::challenge::Challenge;
use crate::jwt::Claims;
use crate::limits::server::MIN_BEARER_CHARS;
use crate::util::sha256;

/// A challenge needs at least one parameter (RFC 6750 §3).
const REALM: &str = "mcp";
/// The issuer and the audience of the claims.
const ISSUER: &str = "bearer-tokens";
/// The expiry of the claims in seconds since 1970: the end of the year 9999.
const END: u64 = 253_402_300_799;
/// Characters that a name or scope must not begin or end with, because they suggest a comment or
/// quotes.
const QUOTED: [char; 3] = ['#', '"', '\''];

/// A single secret token, for a server without an authorization server. Everybody who sends the
/// token may call the server.
///
/// ```
/// use mcp_auth::BearerToken;
/// use mcp_runtime::Server;
/// use mcp_runtime::transport::http::{HttpOptions, http};
///
/// # async fn example(files: Server, secret: String) -> Result<(), mcp_runtime::ServeError> {
/// let options = HttpOptions::default().allowed_hosts(["mcp.example.com"]);
/// files.serve(http("0.0.0.0:8080").options(options).auth(BearerToken::new(secret))).await
/// # }
/// ```
///
/// Clients send the token as `Authorization: Bearer …`. A wrong token is answered with 401.
///
/// The token must have at least 16 of the characters of RFC 6750 §2.1 (letters, digits, `-._~+/=`);
/// otherwise serving fails. It should be random: create it with `openssl rand -hex 32`.
///
/// Handlers can take [`Claims`], whose subject is the name, and whose issuer and audience are
/// `bearer-tokens`. For several tokens with names and scopes, use [`BearerTokens`].
#[derive(Clone)]
#[must_use]
pub struct BearerToken {
    name: String,
    hash: TokenHash,
    scopes: Arc<HashSet<String>>,
    mistake: Option<BearerTokenError>,
}

/// A mistake in bearer tokens. The message does not contain the tokens.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BearerTokenError {
    /// The environment variable is not set or not Unicode.
    #[error("the environment variable `{0}` is not set: it must contain bearer tokens")]
    Variable(String),
    /// The file can't be read.
    #[error("the bearer tokens can't be read from `{path}`: {error}")]
    File {
        /// The path of the file.
        path: String,
        /// The reason why it can't be read.
        error: String,
    },
    /// There is no token.
    #[error(
        "there are no bearer tokens: write one line for each, with a name, the token and its scopes"
    )]
    None,
    /// An entry is a name without a token. Entries are counted from 1.
    #[error(
        "entry {0} of the bearer tokens must be a name, a token and optional scopes, separated by \
         spaces"
    )]
    Entry(usize),
    /// A token is too short or contains characters that can't be sent.
    #[error(
        "the bearer token of `{0}` must have at least {MIN_BEARER_CHARS} letters, digits or \
         characters of `-._~+/=`: create one with `openssl rand -hex 32`"
    )]
    Token(String),
    /// A scope is not one word of printable ASCII.
    #[error("a scope of the bearer token of `{0}` is not one word of printable ASCII")]
    Scope(String),
    /// A name or scope of an entry is empty, or begins or ends with `#` or a quote, so a comment or
    /// quotes were probably mistaken for content. Entries are counted from 1.
    #[error(
        "entry {0} of the bearer tokens has an empty name, a comment or quotes: write comments in lines of \
         their own that begin with `#`, and names and scopes without quotes"
    )]
    Word(usize),
    /// The same token occurs twice.
    #[error("the bearer token of `{0}` occurs twice")]
    Twice(String),
}

impl BearerToken {
    /// Creates a token with the name `bearer` and without scopes.
    pub fn new(token: impl AsRef<str>) -> Self {
        let token = token.as_ref();
        let may_have = |it: u8| it.is_ascii_alphanumeric() || b"-._~+/=".contains(&it);
        let is_token = token.len() >= MIN_BEARER_CHARS && token.bytes().all(may_have);
        let name = "bearer".to_owned();
        Self {
            hash: sha256(token),
            scopes: Arc::default(),
            mistake: (!is_token).then(|| BearerTokenError::Token(name.clone())),
            name,
        }
    }

    /// Sets the name of the owner, which is the
    /// [`Principal`](mcp_runtime::transport::http::Principal) of the calls.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        if let Some(BearerTokenError::Token(of) | BearerTokenError::Scope(of)) = &mut self.mistake {
            of.clone_from(&self.name);
        }
        self
    }

    /// Sets the scopes of the calls, which tools can require (`#[tool(scopes("files:write"))]`).
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let scopes: HashSet<String> = scopes.into_iter().map(Into::into).collect();
        if scopes.iter().any(|scope| scopes::check(scope).is_err()) {
            let mistake = BearerTokenError::Scope(self.name.clone());
            self.mistake.get_or_insert(mistake);
        }
        self.scopes = Arc::new(scopes);
        self
    }

    fn grant(&self, request: &mut Parts) {
        let granted = Arc::clone(&self.scopes);
        let check = ScopeCheck::new(move |needed| {
            if needed.iter().all(|scope| granted.contains(*scope)) {
                Ok(())
            } else {
                Err(insufficient(&needed.join(" ")))
            }
        });
        request.extensions.insert(check);
        request.extensions.insert(Principal::new(&self.name));
        if let Some(claims) = self.claims() {
            request.extensions.insert(claims);
        }
    }

    /// Claims as an authorization server would issue them, so handlers work the same with and
    /// without an authorization server.
    fn claims(&self) -> Option<Claims> {
        let claims = json!({
            "iss": ISSUER,
            "sub": self.name,
            "aud": ISSUER,
            "exp": END,
            "scope": self.scopes.iter().collect::<Vec<_>>(),
        });
        Claims::new(claims.as_object()?.clone()).ok()
    }
}

/// Several [`BearerToken`]s, each with the name of its owner and its scopes.
///
/// ```
/// use mcp_auth::{BearerToken, BearerTokens};
///
/// let alice = BearerToken::new("3zBqNw8vXkT1mJ5dRf7a").name("alice");
/// let bob = BearerToken::new("Yc2Lp9hUe6sGo4iKtV0x").name("bob");
/// let tokens = BearerTokens::new([alice.scopes(["files:read", "files:write"]), bob]);
/// assert_eq!(tokens.check(), Ok(()));
/// ```
///
/// Tokens are compared by their SHA-256 hashes, in constant time.
///
/// In text form there is one entry per line, or several separated by `;`. An entry is the name, the
/// token and its scopes, separated by spaces. Lines that begin with `#` are comments. A comment
/// after an entry is an error, and so is a name or scope that begins with `#` or is quoted.
///
/// ```
/// use mcp_auth::server::{BearerTokenError, BearerTokens};
///
/// let text = "alice 3zBqNw8vXkT1mJ5dRf7a files:read files:write\nbob Yc2Lp9hUe6sGo4iKtV0x";
/// let tokens: BearerTokens = text.parse()?;
/// # drop(tokens);
/// # Ok::<(), BearerTokenError>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct BearerTokens(Vec<BearerToken>);

impl BearerTokens {
    /// Creates a policy that accepts these tokens.
    pub fn new(tokens: impl IntoIterator<Item = BearerToken>) -> Self {
        Self(tokens.into_iter().collect())
    }

    /// Reads the tokens from an environment variable, once.
    ///
    /// # Errors
    ///
    /// The first mistake in the tokens, or a missing variable.
    pub fn from_env(name: impl Into<String>) -> Result<Self, BearerTokenError> {
        let name = name.into();
        let text = env::var(&name);
        text.map_err(|_| BearerTokenError::Variable(name))?.parse()
    }

    /// Reads the tokens from a file, once.
    ///
    /// # Errors
    ///
    /// The first mistake in the tokens, or an unreadable file.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, BearerTokenError> {
        let path = path.as_ref();
        let error = |error: io::Error| BearerTokenError::File {
            path: path.display().to_string(),
            error: error.to_string(),
        };
        fs::read_to_string(path).map_err(error)?.parse()
    }

    /// Checks the tokens. If they contain a mistake, serving fails with the same error.
    ///
    /// # Errors
    ///
    /// The first mistake in the tokens.
    pub fn check(&self) -> Result<(), BearerTokenError> {
        if self.0.is_empty() {
            return Err(BearerTokenError::None);
        }
        let mut seen = HashSet::new();
        for (number, token) in (1..).zip(&self.0) {
            let mut words = token.scopes.iter().chain([&token.name]);
            if words.any(|it| it.is_empty() || it.starts_with(QUOTED) || it.ends_with(QUOTED)) {
                return Err(BearerTokenError::Word(number));
            }
            if let Some(mistake) = &token.mistake {
                return Err(mistake.clone());
            }
            if !seen.insert(&token.hash) {
                return Err(BearerTokenError::Twice(token.name.clone()));
            }
        }
        Ok(())
    }

    /// Finds the valid token with this hash, in constant time.
    fn find(&self, hash: &TokenHash) -> Option<&BearerToken> {
        let mut found = Choice::from(0);
        let mut number = 0;
        for (index, token) in (0_u64..).zip(&self.0) {
            let is_equal = token.hash.ct_eq(hash);
            number.conditional_assign(&index, is_equal);
            found |= is_equal;
        }
        let number = usize::try_from(number).ok().filter(|_| found.into());
        self.0.get(number?).filter(|it| it.mistake.is_none())
    }
}

impl std::str::FromStr for BearerTokens {
    type Err = BearerTokenError;

    fn from_str(text: &str) -> Result<Self, BearerTokenError> {
        // Some editors begin a file with a byte order mark.
        let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
        let lines = lines.filter(|line| !line.starts_with('#'));
        let entries = lines.flat_map(|line| line.split(';')).map(str::trim);
        let entries = entries.filter(|entry| !entry.is_empty());
        let tokens = (1..).zip(entries).map(|(number, entry)| {
            let mut words = entry.split_ascii_whitespace();
            let (Some(name), Some(token)) = (words.next(), words.next()) else {
                return Err(BearerTokenError::Entry(number));
            };
            Ok(BearerToken::new(token).name(name).scopes(words))
        });
        let tokens = Self(tokens.collect::<Result<_, _>>()?);
        tokens.check()?;
        Ok(tokens)
    }
}

impl AccessPolicy for BearerTokens {
    fn start(&self, _: Option<&str>) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(self.check()?)
    }

    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        let credentials = Credentials::take(request).map_err(|refusal| denied(&refusal))?;
        if credentials.scheme != Scheme::Bearer {
            return Err(denied(&Refusal::NoToken));
        }
        let token = credentials.checked_token();
        let token = token.map_err(|refusal| denied(&refusal))?;
        let found = self.find(&sha256(token));
        let unknown = Refusal::Token("the token is not known".into());
        found.ok_or_else(|| denied(&unknown))?.grant(request);
        Ok(())
    }
}

impl AccessPolicy for BearerToken {
    fn start(&self, path: Option<&str>) -> Result<(), Box<dyn Error + Send + Sync>> {
        BearerTokens::new([self.clone()]).start(path)
    }

    async fn admit(&self, request: &mut Parts) -> Result<(), AccessDenied> {
        BearerTokens::new([self.clone()]).admit(request).await
    }
}

/// The response to a request without a known token (RFC 6750 §3).
fn denied(refusal: &Refusal) -> AccessDenied {
    let (status, error, text) = match refusal {
        Refusal::Malformed(text) => (
            StatusCode::BAD_REQUEST,
            Some("invalid_request"),
            (*text).into(),
        ),
        Refusal::Token(text) => (
            StatusCode::UNAUTHORIZED,
            Some("invalid_token"),
            text.clone(),
        ),
        _ => (
            StatusCode::UNAUTHORIZED,
            None,
            "a bearer token is needed".into(),
        ),
    };
    let mut challenge = Challenge::bearer().with_realm(REALM);
    if let Some(error) = error {
        challenge = challenge.with_error(error).with_error_description(&*text);
    }
    let header: HeaderValue = challenge.to_header_value();
    AccessDenied::new(status)
        .message(text)
        .header(WWW_AUTHENTICATE, header)
}

/// The response to a call whose token lacks scopes (RFC 6750 §3.1).
fn insufficient(needed: &str) -> AccessDenied {
    let text = format!("the token must have the scopes: {needed}");
    let challenge = Challenge::bearer()
        .with_realm(REALM)
        .with_scope(needed)
        .with_error("insufficient_scope")
        .with_error_description(&*text);
    let denied = AccessDenied::forbidden().message(text);
    denied.header(WWW_AUTHENTICATE, challenge.to_header_value())
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BearerToken")
            .field("name", &self.name)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}
