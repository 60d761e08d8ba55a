//! Resources made of closures.

use super::contents::IntoContents;
use super::route::ResourceRoute;
use super::spec::ResourceSpec;
use crate::server::handler::text::{TextArgument, TextCall};
use crate::server::handler::tuple::{Declares, TextArguments};
use crate::server::{Context, Reply};

/// A resource whose variables are known, and that waits for its function.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::server::resources::{ResourceSpec, UriTemplate, variable};
///
/// let uri = UriTemplate::parse("book://{isbn}")?;
/// let mut server = Server::builder();
/// server.resource(
///     ResourceSpec::new("book", uri)
///         .mime("text/plain")
///         .variables((variable::<u64>("isbn"),))
///         .call(|(isbn,), _| (isbn == 978).then_some("Emma")),
/// );
/// # drop(server.build());
/// # Ok::<(), mcp_runtime::resources::TemplateError>(())
/// ```
#[derive(Debug)]
pub struct ResourceClosure<A> {
    spec: ResourceSpec,
    variables: A,
}

impl Declares for ResourceSpec {
    fn argument<T>(&mut self, argument: TextArgument<T>) -> TextArgument<T> {
        Self::argument(self, argument)
    }
}

impl ResourceSpec {
    /// Reads the variables of the template; each has to be one that it has.
    pub fn variables<A: TextArguments>(mut self, variables: A) -> ResourceClosure<A> {
        let variables = variables.declare(&mut self);
        ResourceClosure {
            spec: self,
            variables,
        }
    }
}

impl<A: TextArguments> ResourceClosure<A> {
    /// Serves each request by a function that answers at once.
    pub fn call<R: IntoContents>(
        self,
        function: impl Fn(A::Values, &Context) -> R + Send + Sync + 'static,
    ) -> ResourceRoute {
        self.spec.route(move |call: TextCall<'_>| {
            let values = self.variables.read(&call)?;
            Ok(Reply::Ready(function(values, call.context).into_contents()))
        })
    }

    /// Serves each request by a function that answers later.
    pub fn call_async<F>(
        self,
        function: impl Fn(A::Values, Context) -> F + Send + Sync + 'static,
    ) -> ResourceRoute
    where
        F: Future<Output: IntoContents> + Send + 'static,
    {
        self.spec.route(move |call: TextCall<'_>| {
            let values = self.variables.read(&call)?;
            let future = function(values, call.context.clone());
            Ok(Reply::Pending(Box::pin(async move {
                future.await.into_contents()
            })))
        })
    }
}
