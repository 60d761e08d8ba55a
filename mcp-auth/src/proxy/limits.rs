//! Limits and times. Each is listed in `docs/authorization.md`.

use std::time::Duration;

/// Lifetime of an access token, in seconds.
pub(super) const ACCESS_LIFETIME: u64 = 10 * 60;
/// Lifetime of a code, in seconds.
pub(super) const CODE_LIFETIME: u64 = 60;
/// Time for the consent page, and then for the login at the provider, in seconds each.
pub(super) const PAGE_LIFETIME: u64 = 10 * 60;
/// Time after which a person logs in again, in seconds; refresh tokens work no longer.
pub(super) const LOGIN_LIFETIME: u64 = 90 * 24 * 60 * 60;

/// Logins that are kept of one person; a further one ends the oldest of the same person.
pub(super) const MAX_LOGINS_OF_PERSON: usize = 32;
/// Logins that are kept in each of 256 parts, which are chosen by a hash of the person.
pub(super) const MAX_LOGINS_OF_PART: usize = 512;

/// Redirect URIs of one client.
pub(super) const MAX_REDIRECT_URIS: usize = 16;
/// Bytes of a redirect URI, and of the URL of a client.
pub(super) const MAX_URI: usize = 1024;
/// Bytes of all redirect URIs of a client: its registered identifier contains them.
pub(super) const MAX_REDIRECT_URI_BYTES: usize = 2048;
/// Characters of a client's name.
pub(super) const MAX_NAME: usize = 80;
/// Bytes of a request for authorization, which a cookie contains.
pub(super) const MAX_ASKED: usize = 2560;

/// Bytes of a client's metadata document.
pub(super) const MAX_DOCUMENT: usize = 16 * 1024;
/// Documents that are remembered.
pub(super) const MAX_DOCUMENTS: usize = 1024;
/// Longest time for which a document is remembered, in seconds.
pub(super) const MAX_DOCUMENT_LIFETIME: u64 = 60 * 60;
/// Documents that are being fetched at the same time.
pub(super) const MAX_FETCHES: usize = 16;
/// Documents of one host that are being fetched at the same time.
pub(super) const MAX_FETCHES_OF_HOST: usize = 2;
/// Documents that are being fetched at the same time for callers with one address.
pub(super) const MAX_FETCHES_OF_CALLER: usize = 8;
/// The time after which a fetch is ended to make room for another fetch.
pub(super) const FETCH_PATIENCE: Duration = Duration::from_secs(1);
/// How long a document that can't be used is not fetched again.
pub(super) const FAILED_LIFETIME: Duration = Duration::from_secs(30);
/// Time for a document.
pub(super) const FETCH_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for all requests to the provider that one request of a client takes; below that of an access
/// policy.
pub(super) const PROVIDER_TIMEOUT: Duration = Duration::from_secs(8);
/// Time after which a request is given up that its client waits for no longer: a store may never answer.
pub(super) const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
