//! Stored logins. Each is one sealed record that contains the provider's tokens.

use std::sync::Arc;
use std::time::Duration;
use std::{io, mem};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::keys::Sealer;
use super::upstream::Granted;
use crate::client::store::{StoreLock, TokenStore};
use crate::limits::proxy::{
    CODE_LIFETIME, LOGIN_LIFETIME, MAX_LOGINS_OF_PART, MAX_LOGINS_OF_PERSON,
};
use crate::util::{StoreFailed, StoreLog, hash_text, random_text, sha256, unix_now};

/// The login of a person with one client. All refresh tokens of a login form one family.
#[derive(Serialize, Deserialize)]
pub(super) struct Login {
    /// The generation of the only valid code (0) or refresh token (above 0).
    pub(super) generation: u64,
    /// The client that redeemed the code.
    pub(super) client_id: String,
    pub(super) scopes: Vec<String>,
    pub(super) granted: Granted,
    /// In seconds since 1970.
    pub(super) ends_at: u64,
}

/// An entry in a list of logins: the hash of the person, the identifier of the login, and its end.
type Entry = (String, String, u64);

pub(super) struct Logins {
    pub(super) store: Arc<dyn TokenStore>,
    pub(super) sealer: Sealer,
    pub(super) log: StoreLog,
}

type StoreResult<T> = Result<T, StoreFailed>;

impl Logins {
    /// Loads the login with this identifier, if it has not ended.
    pub(super) async fn load(&self, id: &str) -> StoreResult<Option<Login>> {
        self.opened(&self.key("login", id)).await
    }

    pub(super) async fn save(&self, id: &str, login: &Login) -> StoreResult<()> {
        self.sealed(&self.key("login", id), login.ends_at, login)
            .await
    }

    pub(super) async fn remove(&self, id: &str) -> StoreResult<()> {
        self.log
            .checked(self.store.remove(&self.key("login", id)).await)
    }

    /// Locks a login before it is changed. Stores may keep locks forever, so all logins share 256
    /// locks.
    pub(super) async fn lock(&self, id: &str) -> StoreResult<StoreLock> {
        self.log
            .checked(self.store.lock(&self.key("lock", &part(id))).await)
    }

    /// Stores a new login and returns its identifier. If the person has too many logins, the
    /// person's oldest login ends. Logins of other people are never ended.
    ///
    /// # Errors
    ///
    /// Fails if the store fails, or if there are too many logins in total.
    pub(super) async fn add(&self, granted: Granted, scopes: Vec<String>) -> StoreResult<String> {
        let person = granted.person.get("sub").map(ToString::to_string);
        let person = hash_text(&person.unwrap_or_default());
        let key = self.key("people", &part(&person));
        let _lock = self.log.checked(self.store.lock(&key).await)?;
        let entries: Option<Vec<Entry>> = self.opened(&key).await?;
        let now = unix_now();
        let (mut kept, mut ended): (Vec<_>, Vec<_>) = entries
            .into_iter()
            .flatten()
            .partition(|(.., ends_at)| now < *ends_at);
        let is_own = |it: &&Entry| it.0 == person;
        let is_full = kept.len() >= MAX_LOGINS_OF_PART;
        if is_full || kept.iter().filter(is_own).count() >= MAX_LOGINS_OF_PERSON {
            // Remove revoked logins first. Other people's logins are checked only if the whole part
            // is full.
            for entry in mem::take(&mut kept) {
                let is_checked = is_full || entry.0 == person;
                if !is_checked || self.load(&entry.1).await?.is_some() {
                    kept.push(entry);
                }
            }
        }
        while kept.iter().filter(is_own).count() >= MAX_LOGINS_OF_PERSON {
            let oldest = kept.iter().position(|it| it.0 == person);
            ended.extend(oldest.map(|oldest| kept.remove(oldest)));
        }
        for (_, login, _) in ended {
            let _lock = self.lock(&login).await?;
            self.remove(&login).await?;
        }
        if kept.len() >= MAX_LOGINS_OF_PART {
            let text = "the limit of stored logins is reached";
            return self
                .log
                .checked(Err(io::Error::new(io::ErrorKind::StorageFull, text)));
        }
        let id = self.log.checked(random_text())?;
        let ends_at = now + LOGIN_LIFETIME;
        kept.push((person, id.clone(), ends_at));
        // Save the list first, because a login that is not listed would be stored forever.
        self.sealed(&key, ends_at, &kept).await?;
        let login = Login {
            generation: 0,
            client_id: String::new(),
            scopes,
            granted,
            ends_at,
        };
        // A login whose code is not redeemed in time is of no use.
        let key = self.key("login", &id);
        self.sealed(&key, now + CODE_LIFETIME, &login).await?;
        Ok(id)
    }

    async fn opened<T: DeserializeOwned>(&self, key: &str) -> StoreResult<Option<T>> {
        let sealed = self.log.checked(self.store.load(key).await)?;
        Ok(sealed.and_then(|sealed| self.sealer.open(key, &sealed)))
    }

    async fn sealed(&self, key: &str, ends_at: u64, value: &impl Serialize) -> StoreResult<()> {
        let sealed = self.log.checked(self.sealer.seal(key, ends_at, value))?;
        let ttl = Duration::from_secs(ends_at.saturating_sub(unix_now()).max(1));
        self.log
            .checked(self.store.save(key, &sealed, Some(ttl)).await)
    }

    fn key(&self, kind: &str, name: &str) -> String {
        format!("proxy {} {kind} {name}", self.sealer.resource)
    }
}

/// One of 256 parts, chosen by a hash.
fn part(text: &str) -> String {
    format!("{:02x}", sha256(text)[0])
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::time::advance;

    use super::*;
    use crate::client::store::MemoryStore;
    use crate::proxy::ProxyKeys;

    fn logins() -> Logins {
        Logins {
            store: Arc::new(MemoryStore::new()),
            sealer: Sealer {
                keys: Arc::new(ProxyKeys::generate().unwrap()),
                resource: "r".to_owned(),
            },
            log: StoreLog::default(),
        }
    }

    /// People whose logins are in the same list.
    fn people() -> impl Iterator<Item = String> {
        let of = |number| format!("person {number}");
        let list = |person: &String| part(&hash_text(&json!(person).to_string()));
        let first = list(&of(0));
        (0..).map(of).filter(move |person| list(person) == first)
    }

    async fn add(logins: &Logins, person: &str) -> StoreResult<String> {
        let mut granted = Granted::default();
        granted.person.insert("sub".to_owned(), json!(person));
        logins.add(granted, Vec::new()).await
    }

    async fn lasts(logins: &Logins, id: &str) -> bool {
        logins.load(id).await.unwrap().is_some()
    }

    #[tokio::test]
    async fn too_many_logins_of_a_person_end_that_persons_oldest_one() {
        let logins = logins();
        let [one, other] = people().take(2).collect::<Vec<_>>().try_into().unwrap();
        let others = add(&logins, &other).await.unwrap();
        let mut own = Vec::new();
        for _ in 0..=MAX_LOGINS_OF_PERSON {
            own.push(add(&logins, &one).await.unwrap());
        }
        assert!(!lasts(&logins, &own[0]).await);
        assert!(lasts(&logins, &own[1]).await);
        assert!(lasts(&logins, &others).await);
    }

    #[tokio::test]
    async fn too_many_logins_in_all_end_none() {
        let logins = logins();
        let mut people = people();
        let mut kept = Vec::new();
        while kept.len() < MAX_LOGINS_OF_PART {
            let person = people.next().unwrap();
            for _ in 0..MAX_LOGINS_OF_PERSON {
                kept.push(add(&logins, &person).await.unwrap());
            }
        }
        add(&logins, &people.next().unwrap()).await.unwrap_err();
        for id in [&kept[0], &kept[MAX_LOGINS_OF_PART - 1]] {
            assert!(lasts(&logins, id).await);
        }
        // The logins of one person make room for each other.
        add(&logins, "person 0").await.unwrap();
        assert!(!lasts(&logins, &kept[0]).await);
    }

    #[tokio::test]
    async fn logins_that_were_revoked_take_no_room_of_others() {
        let logins = logins();
        let mut people = people();
        for _ in 0..MAX_LOGINS_OF_PART / MAX_LOGINS_OF_PERSON {
            let person = people.next().unwrap();
            for _ in 0..MAX_LOGINS_OF_PERSON {
                let id = add(&logins, &person).await.unwrap();
                logins.remove(&id).await.unwrap();
            }
        }
        add(&logins, &people.next().unwrap()).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn the_store_keeps_logins_until_their_end_and_unfinished_ones_for_a_minute() {
        let logins = logins();
        let unfinished = add(&logins, "a").await.unwrap();
        let id = add(&logins, "b").await.unwrap();
        let mut login = logins.load(&id).await.unwrap().unwrap();
        login.generation = 1;
        logins.save(&id, &login).await.unwrap();
        assert!(lasts(&logins, &unfinished).await);
        advance(Duration::from_secs(CODE_LIFETIME)).await;
        assert!(!lasts(&logins, &unfinished).await);
        let rest = LOGIN_LIFETIME - CODE_LIFETIME;
        advance(Duration::from_secs(rest - 60)).await;
        assert!(lasts(&logins, &id).await);
        advance(Duration::from_secs(60)).await;
        assert!(!lasts(&logins, &id).await);
        let list = logins.key("people", &part(&hash_text(&json!("b").to_string())));
        assert_eq!(logins.store.load(&list).await.unwrap(), None);
    }
}
