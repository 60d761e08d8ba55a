//! Default limits and times, each with its unit and reason.
//!
//! A value that is documented as the default of a setting can be changed with that setting; the
//! other values are fixed.

/// Bytes of a tenant name in an issuer URL. A UUID has 36.
pub(crate) const MAX_TENANT_BYTES: usize = 64;

/// Limits of both sides.
#[cfg(any(feature = "client", feature = "server"))]
pub(crate) mod both {
    use std::time::Duration;

    /// Lifetime of an assertion with which a client authenticates. It is short because the
    /// assertion is sent immediately.
    pub(crate) const ASSERTION_LIFETIME: Duration = Duration::from_secs(60);
}

/// Limits of clients.
#[cfg(feature = "client")]
pub(crate) mod client {
    use std::time::Duration;

    /// Authorization servers of one MCP server whose metadata is read; further servers are ignored.
    pub(crate) const MAX_ISSUERS: usize = 4;
    /// Time to find the authorization server, which takes about ten requests at most.
    pub(crate) const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(60);
    /// Redirects followed for one metadata request.
    pub(crate) const MAX_REDIRECTS: usize = 5;
    /// Time for a person to log in, including the second factor.
    pub(crate) const LOGIN_TIMEOUT: Duration = Duration::from_secs(5 * 60);
    /// Longest lifetime of an access token, in seconds. Longer ones are cut to this value to avoid
    /// overflows of the clock.
    pub(crate) const MAX_TOKEN_LIFETIME: u64 = 10 * 366 * 24 * 60 * 60;
    /// Longest time before its expiry at which a token is refreshed, in seconds. Short-lived tokens
    /// are refreshed in the last quarter of their lifetime.
    pub(crate) const MAX_EARLY_REFRESH: u64 = 60;
    /// Pause after an early refresh that failed. The token is still valid meanwhile.
    pub(crate) const EARLY_REFRESH_PAUSE: Duration = Duration::from_secs(30);

    /// Time for a call of a token store. It is longer than [`LOCK_TIMEOUT`], so that the lock's
    /// error is the one reported.
    pub(crate) const STORE_TIMEOUT: Duration = Duration::from_secs(70);
    /// Time to wait for the lock of a file, which another process holds while it refreshes a token.
    pub(crate) const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
    /// Time between two attempts to lock a file.
    pub(crate) const LOCK_INTERVAL: Duration = Duration::from_millis(50);

    /// Bytes of a request head that the loopback listener reads. The query contains the code.
    pub(crate) const MAX_LOOPBACK_HEAD_BYTES: usize = 16 * 1024;
    /// Connections that the loopback listener serves at the same time. Browsers open some
    /// connections that they never use.
    pub(crate) const MAX_LOOPBACK_CONNECTIONS: usize = 32;
    /// Time for a request to arrive at the loopback listener, and then for the response to be
    /// written.
    pub(crate) const LOOPBACK_TIMEOUT: Duration = Duration::from_secs(10);
    /// Pause after a connection could not be accepted, most likely for want of file descriptors.
    pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

    /// Origins whose DPoP nonces are kept. A client talks to few origins.
    pub(crate) const MAX_NONCE_ORIGINS: usize = 64;
    /// Bytes of a nonce. A longer nonce is ignored, because it would have to be sent in every
    /// header.
    pub(crate) const MAX_NONCE_BYTES: usize = 4096;
}

/// Limits of servers that accept access tokens.
#[cfg(feature = "server")]
pub(crate) mod server {
    use std::time::Duration;

    /// Bytes of a token. Longer tokens are rejected unread.
    pub(crate) const MAX_TOKEN_BYTES: usize = 16 * 1024;
    /// Characters of a bearer token that the user chooses. Shorter tokens could be guessed.
    pub(crate) const MIN_BEARER_CHARS: usize = 16;
    /// Characters of a string from a token that are logged.
    pub(crate) const MAX_QUOTED_CHARS: usize = 200;
    /// Keys that are tried for a token without `kid`. Each attempt costs a signature verification.
    pub(crate) const MAX_TRIED_KEYS: usize = 8;
    /// Accepted difference between the clocks of an issuer and of this server.
    pub(crate) const CLOCK_LEEWAY: Duration = Duration::from_secs(60);
    /// Tokens in each of the two halves of a token cache.
    pub(crate) const CACHE_HALF: usize = 4096;
    /// Time after which a token is verified again. An introspected token is looked up again with
    /// the next request, and any token is rechecked for the streams that it has opened.
    pub(crate) const TOKEN_LIFETIME: Duration = Duration::from_secs(60);
    /// Time for which an invalid token is remembered. It is short because the token may become
    /// valid.
    pub(crate) const REFUSED_LIFETIME: Duration = Duration::from_secs(5);

    /// Time to fetch keys (including the metadata) or to look up a token. It is shorter than the
    /// time limit of an access policy.
    pub(crate) const ISSUER_TIMEOUT: Duration = Duration::from_secs(8);
    /// Pause after a failed lookup or key fetch when there is no older result to use.
    pub(crate) const ISSUER_PAUSE: Duration = Duration::from_secs(1);
    /// Longest pause that a 429 response can impose with `Retry-After`.
    pub(crate) const MAX_ISSUER_PAUSE: Duration = Duration::from_secs(60);
    /// Consecutive tokens whose lookup fails with an error about the token before all lookups
    /// pause. After so many failures the cause is probably not the tokens.
    pub(crate) const MAX_FAILED_LOOKUPS: usize = 3;
    /// Concurrent lookups at one issuer.
    pub(crate) const MAX_LOOKUPS: usize = 1024;
    /// Lifetime of the claims of GitHub tokens, whose expiry GitHub does not report.
    pub(crate) const GITHUB_LIFETIME: Duration = Duration::from_secs(3600);

    /// Time for which metadata is used before it is fetched again.
    pub(crate) const METADATA_LIFETIME: Duration = Duration::from_secs(3600);
    /// Pause after a failed metadata fetch. Requests that wait for the fetch fail together.
    pub(crate) const METADATA_PAUSE: Duration = Duration::from_millis(500);
    /// Age at which keys are fetched again in the background, while the old keys are still used.
    pub(crate) const KEYS_REFRESH: Duration = Duration::from_secs(300);
    /// Age after which keys are fetched again before they are used. Keys get this old only while no
    /// requests arrive. If the fetch fails, the keys are used until [`KEYS_MAX_AGE`].
    pub(crate) const KEYS_IDLE: Duration = Duration::from_secs(600);
    /// Age after which keys are no longer used.
    pub(crate) const KEYS_MAX_AGE: Duration = Duration::from_secs(24 * 3600);
    /// Minimum time between key fetches that an unknown key causes, and after a failed fetch while
    /// there are keys. Anybody can send a token with an unknown key.
    pub(crate) const KEYS_PAUSE: Duration = Duration::from_secs(30);

    /// Accepted difference between the `iat` of a proof and this server's clock.
    pub(crate) const PROOF_WINDOW: Duration = Duration::from_secs(60);
    /// Time for which a proof is remembered. After it, the proof is rejected because its `iat`
    /// (which may be in the future) or its nonce is too old.
    pub(crate) const PROOF_LIFETIME: Duration = Duration::from_secs(120);
    /// Time for which a nonce is handed out. The nonce is accepted for the same time again.
    pub(crate) const NONCE_PERIOD: Duration = Duration::from_secs(60);
    /// Bytes of the `jti` of a proof.
    pub(crate) const MAX_JTI_BYTES: usize = 256;
    /// Remembered proofs of one key: 136 per second.
    pub(crate) const MAX_PROOFS_OF_KEY: usize = 16 * 1024;
    /// Number of remembered proofs above which each key is limited to its share.
    pub(crate) const MAX_SHARED_PROOFS: usize = 256 * 1024;
    /// Proofs guaranteed to each key, which is one proof every two seconds. Proofs of other keys
    /// take this room only if more than 4096 keys use theirs.
    pub(crate) const PROOFS_SHARE: usize = 64;
    /// Remembered proofs of all keys.
    pub(crate) const MAX_PROOFS: usize = 512 * 1024;
    /// Minimum time between two removals of expired proofs while there is no room for more.
    pub(crate) const SWEEP_PAUSE: Duration = Duration::from_secs(1);
    /// `Retry-After` of the response to a proof for which there is no room.
    pub(crate) const PROOFS_FULL_PAUSE: Duration = Duration::from_secs(10);
}

/// Limits of the proxy, all of which are listed in `docs/authorization.md`.
#[cfg(feature = "proxy")]
pub(crate) mod proxy {
    use std::time::Duration;

    /// Lifetime of an access token, in seconds.
    pub(crate) const ACCESS_LIFETIME: u64 = 10 * 60;
    /// Lifetime of an authorization code, in seconds.
    pub(crate) const CODE_LIFETIME: u64 = 60;
    /// Time for the consent page, and again for the login at the provider, in seconds.
    pub(crate) const PAGE_LIFETIME: u64 = 10 * 60;
    /// Time after which a person has to log in again, in seconds. Refresh tokens stop working then.
    pub(crate) const LOGIN_LIFETIME: u64 = 90 * 24 * 60 * 60;

    /// Logins that are kept for one person. Another login ends the person's oldest one.
    pub(crate) const MAX_LOGINS_OF_PERSON: usize = 32;
    /// Logins that are kept in each of the 256 parts. A hash of the person selects the part.
    pub(crate) const MAX_LOGINS_OF_PART: usize = 512;

    /// Redirect URIs of one client.
    pub(crate) const MAX_REDIRECT_URIS: usize = 16;
    /// Bytes of a redirect URI or of a client's URL.
    pub(crate) const MAX_URI: usize = 1024;
    /// Bytes of all redirect URIs of a client together. The identifier of a registered client
    /// contains them.
    pub(crate) const MAX_REDIRECT_URI_BYTES: usize = 2048;
    /// Characters of a client's name.
    pub(crate) const MAX_NAME: usize = 80;
    /// Bytes of an authorization request, which is kept in a cookie.
    pub(crate) const MAX_ASKED: usize = 2560;

    /// Bytes of a client's metadata document.
    pub(crate) const MAX_DOCUMENT: usize = 16 * 1024;
    /// Documents that are cached.
    pub(crate) const MAX_DOCUMENTS: usize = 1024;
    /// Longest time for which a document is cached, in seconds.
    pub(crate) const MAX_DOCUMENT_LIFETIME: u64 = 60 * 60;
    /// Documents that are fetched at the same time.
    pub(crate) const MAX_FETCHES: usize = 16;
    /// Documents of one host that are fetched at the same time.
    pub(crate) const MAX_FETCHES_OF_HOST: usize = 2;
    /// Documents that are fetched at the same time for callers with the same address.
    pub(crate) const MAX_FETCHES_OF_CALLER: usize = 8;
    /// Time after which a fetch may be aborted to make room for another fetch.
    pub(crate) const FETCH_PATIENCE: Duration = Duration::from_secs(1);
    /// Time for which a document that could not be used is not fetched again.
    pub(crate) const FAILED_LIFETIME: Duration = Duration::from_secs(30);
    /// Time to fetch a document.
    pub(crate) const FETCH_TIMEOUT: Duration = Duration::from_secs(5);
    /// Time for all provider requests that one client request causes. It is shorter than the time
    /// limit of an access policy.
    pub(crate) const PROVIDER_TIMEOUT: Duration = Duration::from_secs(8);
    /// Time after which work for a request is abandoned although its client has already gone.
    /// Without it, a store that never answers would keep the work forever.
    pub(crate) const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
    /// Pause after the logins could not be read from the store.
    pub(crate) const STORE_PAUSE: Duration = Duration::from_secs(5);
}
