//! Default limits and times, each with its unit and reason.
//!
//! A value that is documented as the default of a setting can be changed with that setting; the
//! other values are fixed.

/// Maximum length of a tenant in an issuer URL, in bytes. A UUID has 36.
pub(crate) const MAX_TENANT_BYTES: usize = 64;

/// Limits of clients and servers.
#[cfg(any(feature = "client", feature = "server"))]
pub(crate) mod both {
    use std::time::Duration;

    /// Lifetime of a client's assertion. It is short because the assertion is sent immediately.
    pub(crate) const ASSERTION_LIFETIME: Duration = Duration::from_secs(60);
}

#[cfg(feature = "client")]
pub(crate) mod client {
    use std::time::Duration;

    /// Maximum number of authorization servers of one MCP server whose metadata is read.
    pub(crate) const MAX_ISSUERS: usize = 4;
    /// Time limit for finding the authorization server, which takes about ten requests at most.
    pub(crate) const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(60);
    /// Maximum number of redirects that one metadata request follows.
    pub(crate) const MAX_REDIRECTS: usize = 5;
    /// Default time limit for a login, including the second factor.
    pub(crate) const LOGIN_TIMEOUT: Duration = Duration::from_secs(5 * 60);
    /// Maximum lifetime of an access token, in seconds. Longer lifetimes are shortened to it, so
    /// that no time computation overflows.
    pub(crate) const MAX_TOKEN_LIFETIME: u64 = 10 * 366 * 24 * 60 * 60;
    /// Maximum time before the expiry of a token at which it is refreshed, in seconds. Short-lived
    /// tokens are refreshed in the last quarter of their lifetime.
    pub(crate) const MAX_EARLY_REFRESH: u64 = 60;
    /// Pause after a failed early refresh. The token is still valid meanwhile.
    pub(crate) const EARLY_REFRESH_PAUSE: Duration = Duration::from_secs(30);

    /// Time limit for a call of a token store. It is longer than [`LOCK_TIMEOUT`], so the store
    /// reports its own error first.
    pub(crate) const STORE_TIMEOUT: Duration = Duration::from_secs(70);
    /// Time limit for locking a file, which another process holds while it refreshes a token.
    pub(crate) const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
    pub(crate) const LOCK_INTERVAL: Duration = Duration::from_millis(50);
    /// Maximum time between two attempts to take a lock in a shared store. Each attempt is a request
    /// to the store.
    pub(crate) const MAX_LOCK_INTERVAL: Duration = Duration::from_millis(500);
    /// Time after which the lock of a killed process is free in a shared store.
    pub(crate) const LOCK_LIFETIME: Duration = Duration::from_secs(60);
    /// How often a lock in a shared store is renewed while it is held. Two renewals may fail.
    pub(crate) const LOCK_RENEWAL: Duration = Duration::from_secs(20);
    /// How long a shared store keeps a secret that was saved without a time.
    pub(crate) const UNUSED_LIFETIME: Duration = Duration::from_secs(366 * 24 * 60 * 60);
    /// Minimum time for which a store keeps tokens that expire, in seconds. Processes that use the
    /// tokens can read them meanwhile.
    pub(crate) const MIN_TOKEN_TTL: u64 = 60;
    /// How much longer than two logins a process waits for the login of another process. That
    /// process may ask the person twice, and its requests take time as well.
    pub(crate) const LOGIN_TURN_MARGIN: Duration = Duration::from_secs(120);
    /// How often a waiting process looks for the page of another process's login.
    pub(crate) const LOGIN_PAGE_INTERVAL: Duration = Duration::from_secs(1);

    /// Maximum size of a request head that the loopback listener reads, in bytes. The query
    /// contains the code.
    pub(crate) const MAX_LOOPBACK_HEAD_BYTES: usize = 16 * 1024;
    /// Maximum number of connections that the loopback listener serves at the same time. Browsers
    /// open some connections that they never use.
    pub(crate) const MAX_LOOPBACK_CONNECTIONS: usize = 32;
    /// Time limit for receiving a request on the loopback listener, and again for writing the
    /// response.
    pub(crate) const LOOPBACK_TIMEOUT: Duration = Duration::from_secs(10);
    /// Pause after a connection could not be accepted, most likely because no file descriptor was
    /// free.
    pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

    /// Maximum number of origins whose DPoP nonces are kept. A client talks to few origins.
    pub(crate) const MAX_NONCE_ORIGINS: usize = 64;
    /// Maximum size of a nonce in bytes. Larger nonces are ignored, because they would have to be
    /// sent in every header.
    pub(crate) const MAX_NONCE_BYTES: usize = 4096;
}

#[cfg(feature = "server")]
pub(crate) mod server {
    use std::time::Duration;

    /// Maximum size of a token in bytes. Larger tokens are rejected without parsing.
    pub(crate) const MAX_TOKEN_BYTES: usize = 16 * 1024;
    /// Minimum length of a bearer token that the user chooses, in characters. Shorter tokens could
    /// be guessed.
    pub(crate) const MIN_BEARER_CHARS: usize = 16;
    /// Maximum number of characters of a token's string that are logged.
    pub(crate) const MAX_QUOTED_CHARS: usize = 200;
    /// Maximum number of keys that are tried for a token without `kid`. Each attempt costs a
    /// signature verification.
    pub(crate) const MAX_TRIED_KEYS: usize = 8;
    /// Tolerated difference between the clocks of an issuer and of this server.
    pub(crate) const CLOCK_LEEWAY: Duration = Duration::from_secs(60);
    /// Capacity of each of the two halves of a token cache.
    pub(crate) const CACHE_HALF: usize = 4096;
    /// Time after which a token is verified again. An introspected token is looked up again with
    /// the next request, and any token is rechecked for the streams that it has opened.
    pub(crate) const TOKEN_LIFETIME: Duration = Duration::from_secs(60);
    /// Time for which an invalid token is cached. It is short because the token may become valid.
    pub(crate) const REFUSED_LIFETIME: Duration = Duration::from_secs(5);

    /// Time limit for fetching keys and metadata, or for looking up a token. It is shorter than the
    /// time limit of an access policy.
    pub(crate) const ISSUER_TIMEOUT: Duration = Duration::from_secs(8);
    /// Pause after a failed lookup or key fetch when there is no older result to use.
    pub(crate) const ISSUER_PAUSE: Duration = Duration::from_secs(1);
    /// Maximum pause that a 429 response can impose with `Retry-After`.
    pub(crate) const MAX_ISSUER_PAUSE: Duration = Duration::from_secs(60);
    /// Number of consecutive failed lookups, each with an error about its token, after which all
    /// lookups pause. The cause is then probably not the tokens.
    pub(crate) const MAX_FAILED_LOOKUPS: usize = 3;
    /// Maximum number of concurrent lookups at one issuer.
    pub(crate) const MAX_LOOKUPS: usize = 1024;
    /// Lifetime of the claims of GitHub tokens, because GitHub does not report their expiry.
    pub(crate) const GITHUB_LIFETIME: Duration = Duration::from_secs(3600);

    pub(crate) const METADATA_LIFETIME: Duration = Duration::from_secs(3600);
    /// Pause after a failed metadata fetch. Requests that wait for the fetch fail together.
    pub(crate) const METADATA_PAUSE: Duration = Duration::from_millis(500);
    /// Age at which keys are fetched again in the background, while the old keys are still used.
    pub(crate) const KEYS_REFRESH: Duration = Duration::from_secs(300);
    /// Age after which keys are fetched again before they are used. Keys get this old only while no
    /// requests arrive. If the fetch fails, the keys are used until [`KEYS_MAX_AGE`].
    pub(crate) const KEYS_IDLE: Duration = Duration::from_secs(600);
    pub(crate) const KEYS_MAX_AGE: Duration = Duration::from_secs(24 * 3600);
    /// Minimum time between two key fetches for unknown keys, and pause after a failed fetch while
    /// older keys are available. Anybody can send a token with an unknown key.
    pub(crate) const KEYS_PAUSE: Duration = Duration::from_secs(30);

    /// Tolerated difference between the `iat` of a proof and this server's clock.
    pub(crate) const PROOF_WINDOW: Duration = Duration::from_secs(60);
    /// Time for which a used proof is remembered. Afterwards its `iat`, which may lie in the
    /// future, or its nonce is too old.
    pub(crate) const PROOF_LIFETIME: Duration = Duration::from_secs(120);
    /// Time after which a nonce is replaced.
    pub(crate) const NONCE_PERIOD: Duration = Duration::from_secs(60);
    /// Time for which a nonce is accepted.
    pub(crate) const NONCE_LIFETIME: Duration = Duration::from_secs(120);
    /// Time for which the nonce is not read from the store again. A nonce may be handed out that
    /// much longer, and is accepted long after that.
    pub(crate) const NONCE_CACHE: Duration = Duration::from_secs(10);
    /// Maximum size of the `jti` of a proof, in bytes.
    pub(crate) const MAX_JTI_BYTES: usize = 256;
    /// Maximum number of remembered proofs per key, which allows 136 proofs per second.
    pub(crate) const MAX_PROOFS_OF_KEY: usize = 16 * 1024;
    /// Number of remembered proofs above which each key is limited to its share.
    pub(crate) const MAX_SHARED_PROOFS: usize = 256 * 1024;
    /// Number of remembered proofs that is guaranteed to each key, which allows one proof every two
    /// seconds. It holds as long as no more than 4096 keys use their share.
    pub(crate) const PROOFS_SHARE: usize = 64;
    /// Maximum number of remembered proofs of all keys.
    pub(crate) const MAX_PROOFS: usize = 512 * 1024;
    /// Minimum time between two removals of expired proofs while there is no room for more.
    pub(crate) const SWEEP_PAUSE: Duration = Duration::from_secs(1);
    /// `Retry-After` of the response if there is no room to remember a proof.
    pub(crate) const PROOFS_FULL_PAUSE: Duration = Duration::from_secs(10);
    /// `Retry-After` of the response if the store of proofs or of logins is unavailable.
    pub(crate) const STORE_PAUSE: Duration = Duration::from_secs(5);
}

/// Limits of the proxy. All of them are listed in `docs/authorization.md`.
#[cfg(feature = "proxy")]
pub(crate) mod proxy {
    use std::time::Duration;

    /// Lifetime of an access token, in seconds.
    pub(crate) const ACCESS_LIFETIME: u64 = 10 * 60;
    /// Lifetime of an authorization code, in seconds.
    pub(crate) const CODE_LIFETIME: u64 = 60;
    /// Time limit for the consent page, and again for the login at the provider, in seconds.
    pub(crate) const PAGE_LIFETIME: u64 = 10 * 60;
    /// Time after which a person has to log in again, in seconds. Refresh tokens stop working then.
    pub(crate) const LOGIN_LIFETIME: u64 = 90 * 24 * 60 * 60;

    /// Maximum number of logins kept per person. One more login ends the person's oldest one.
    pub(crate) const MAX_LOGINS_OF_PERSON: usize = 32;
    /// Maximum number of logins in each of the 256 parts. A hash of the person selects the part.
    pub(crate) const MAX_LOGINS_OF_PART: usize = 512;

    pub(crate) const MAX_REDIRECT_URIS: usize = 16;
    /// Maximum size of a redirect URI or of a client's URL, in bytes.
    pub(crate) const MAX_URI: usize = 1024;
    /// Maximum size of all redirect URIs of a client together, in bytes. The identifier of a
    /// registered client contains them.
    pub(crate) const MAX_REDIRECT_URI_BYTES: usize = 2048;
    /// Maximum number of characters of a client's name.
    pub(crate) const MAX_NAME: usize = 80;
    /// Maximum size of an authorization request in bytes. A cookie has to hold the request.
    pub(crate) const MAX_ASKED: usize = 2560;

    /// Maximum size of a client's metadata document in bytes.
    pub(crate) const MAX_DOCUMENT: usize = 16 * 1024;
    pub(crate) const MAX_DOCUMENTS: usize = 1024;
    /// Maximum time for which a document is cached, in seconds.
    pub(crate) const MAX_DOCUMENT_LIFETIME: u64 = 60 * 60;
    pub(crate) const MAX_FETCHES: usize = 16;
    /// Maximum number of concurrent document fetches from one host.
    pub(crate) const MAX_FETCHES_OF_HOST: usize = 2;
    /// Maximum number of concurrent document fetches for callers with the same address.
    pub(crate) const MAX_FETCHES_OF_CALLER: usize = 8;
    /// Time after which a fetch may be aborted to make room for another fetch.
    pub(crate) const FETCH_PATIENCE: Duration = Duration::from_secs(1);
    /// Time for which a document that could not be used is not fetched again.
    pub(crate) const FAILED_LIFETIME: Duration = Duration::from_secs(30);
    pub(crate) const FETCH_TIMEOUT: Duration = Duration::from_secs(5);
    /// Time limit for all provider requests that one client request causes. It is shorter than the
    /// time limit of an access policy.
    pub(crate) const PROVIDER_TIMEOUT: Duration = Duration::from_secs(8);
    /// Time limit for work on a request whose client has disconnected. Without it, a store that
    /// never answers would keep the work forever.
    pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
}
