//! Several servers that are offered as one.

use std::sync::Arc;

use mcp_types::{ErrorObject, RawJson, methods};

use super::answering::ProxyCall;
use super::asking::listen;
use super::caller::Caller;
use super::messages::with;
use super::server::{ProxyServer, waiting};
use super::{Failure, merge, names};
use crate::connection::join_all;
use crate::error::RequestError;
use crate::limits::MAX_PAGES;

impl ProxyServer {
    /// Answers `initialize` with what all servers say of themselves.
    ///
    /// # Errors
    ///
    /// When no server can be reached.
    pub(super) async fn introduce_several(
        &self,
        caller: &Arc<Caller>,
        own: RawJson,
    ) -> Result<RawJson, Failure> {
        let nothing = &RawJson::empty_object();
        let introduced = self.of_each(|index| self.introduce_one(caller, index, nothing));
        self.introduction(&own, introduced.await)
    }

    /// Joins what the servers say of themselves. A server that can't be reached now may offer
    /// anything later.
    fn introduction<E: Clone>(
        &self,
        own: &RawJson,
        parts: Vec<Result<RawJson, E>>,
    ) -> Result<RawJson, E> {
        if let Some(Err(error)) = parts.first()
            && parts.iter().all(Result::is_err)
        {
            return Err(error.clone());
        }
        let prefixes = self.pools.iter().map(|pool| pool.names.prefix());
        let missing = waiting(&RawJson::empty_object());
        let parts = prefixes.zip(parts);
        let parts = parts.map(|(prefix, part)| (prefix, part.unwrap_or(missing.clone())));
        let parts: Vec<_> = parts.collect();
        Ok(merge::introduction(own, &parts, &*self.proxy.left_out))
    }

    /// Serves a request to the server that it names, or to all of them.
    ///
    /// # Errors
    ///
    /// The error of a server, or the reason why there is no answer.
    pub(super) async fn call_several(&self, call: ProxyCall<'_>) -> Result<RawJson, ErrorObject> {
        let ask_each = || self.of_each(|index| self.call(ProxyCall { index, ..call }));
        match call.method {
            methods::PING => Ok(RawJson::empty_object()),
            methods::SERVER_DISCOVER => {
                let own = call.context.server().own_introduction();
                self.introduction(&own, ask_each().await)
            }
            methods::LOGGING_SET_LEVEL => {
                ask_each().await;
                Ok(RawJson::empty_object())
            }
            methods::SUBSCRIPTIONS_LISTEN => self.listen(call).await,
            method if merge::items(method).is_some() => self.list(call).await,
            method if names::address(method).is_some() => self.call_named(call).await,
            method => Err(RequestError::UnknownMethod(method.to_owned()).to_error()),
        }
    }

    /// Asks all servers concurrently.
    async fn of_each<T, F: Future<Output = T> + Send>(&self, ask: impl Fn(usize) -> F) -> Vec<T> {
        join_all((0..self.pools.len()).map(ask).map(Box::pin).collect()).await
    }

    /// Calls the server that the parameters name.
    async fn call_named(&self, call: ProxyCall<'_>) -> Result<RawJson, ErrorObject> {
        for (index, pool) in self.pools.iter().enumerate() {
            let Some(params) = pool.names.request(call.method, call.params) else {
                continue;
            };
            let params = &params;
            let call = ProxyCall { params, ..call };
            let result = self.call(ProxyCall { index, ..call }).await;
            let result = result.map_err(|error| pool.names.error(error))?;
            return Ok(pool.names.result(call.method, result));
        }
        let target = |name| call.params.as_raw().member(name)?.parse::<String>().ok();
        let error = match call.method {
            methods::TOOLS_CALL => RequestError::UnknownTool(target("name").unwrap_or_default()),
            methods::PROMPTS_GET => RequestError::UnknownPrompt(target("name").unwrap_or_default()),
            methods::RESOURCES_READ => RequestError::ResourceNotFound {
                uri: target("uri").unwrap_or_default(),
                code: crate::protocol::resource_not_found(call.context.revision()),
            },
            _ => RequestError::InvalidArguments(
                "Invalid params: they name nothing that a server has".to_owned(),
            ),
        };
        Err(error.to_error())
    }

    /// Joins the lists of all servers, with all their pages. A server without the list is left out.
    async fn list(&self, call: ProxyCall<'_>) -> Result<RawJson, ErrorObject> {
        let lists = self.of_each(|index| self.pages(ProxyCall { index, ..call }));
        let mut pages = Vec::new();
        let mut failed = None;
        for list in lists.await {
            match list {
                Ok(list) => pages.extend(list),
                Err(error) => {
                    tracing::debug!(%error, "a list of a server is left out");
                    failed.get_or_insert(error);
                }
            }
        }
        match failed {
            Some(error) if pages.is_empty() => Err(error),
            _ => Ok(merge::list(call.method, &pages)),
        }
    }

    async fn pages(&self, call: ProxyCall<'_>) -> Result<Vec<RawJson>, ErrorObject> {
        let names = &self.pools[call.index].names;
        let mut pages = Vec::new();
        let mut next = call.params.clone();
        while pages.len() < MAX_PAGES {
            let params = &next;
            let page = self.call(ProxyCall { params, ..call }).await;
            let page = page.map_err(|error| names.error(error))?;
            let cursor = page.as_raw().member("nextCursor").map(RawJson::from);
            pages.push(names.result(call.method, page));
            let Some(cursor) = cursor.filter(|cursor| cursor.get() != "null") else {
                break;
            };
            next = with(params, &["cursor"], cursor);
        }
        Ok(pages)
    }

    /// Serves `subscriptions/listen` with a subscription at each server, as soon as it can be reached.
    async fn listen(&self, call: ProxyCall<'_>) -> Result<RawJson, ErrorObject> {
        let leases = self.of_each(|index| self.pools[index].for_request(call.method, call.context));
        let servers = leases.await.into_iter().zip(&self.pools);
        let servers = servers.filter_map(|(lease, pool)| {
            let params = pool.names.request(call.method, call.params)?;
            Some((pool, lease, params))
        });
        listen(servers.collect(), call.context).await
    }
}
