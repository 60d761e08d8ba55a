//! Prompts of a mounted server.

use std::sync::Arc;

use super::{PromptCall, PromptRoute};
use crate::server::completions::Completers;
use crate::server::mount::Links;

impl PromptRoute {
    /// The prompt `inner` of a mounted server, as the one that mounts it has it.
    pub(in crate::server) fn mounted(inner: &Arc<Self>, links: &Arc<Links>) -> Self {
        let mut prompt = inner.prompt.clone();
        prompt.name = links.namespace.name(&prompt.name);
        let home = inner.home.clone().unwrap_or_else(|| links.server.clone());
        let (shown, visibility) = (Arc::clone(inner), Arc::clone(links.server.settings()));
        let (serving, at, links) = (Arc::clone(inner), home.clone(), Arc::clone(links));
        let mut route = Self::new(prompt, move |call: PromptCall<'_>| {
            call.context.serve_at(&at);
            let links = Arc::clone(&links);
            (serving.handler)(call).then(move |result| Ok(links.prompt_result(result)))
        });
        if !inner.completers.is_empty() {
            let inner = Arc::clone(inner);
            route.completers =
                Completers::delegate(move |params| inner.completers.complete(params, None));
        }
        if visibility.prompt_visibility.is_limited() || inner.visible.is_some() {
            route.visible = Some(Box::new(move |context| {
                let settings = &visibility.prompt_visibility;
                shown.is_visible(context) && settings.shows(&shown.prompt, context)
            }));
        }
        route.home = Some(home);
        route
    }
}
