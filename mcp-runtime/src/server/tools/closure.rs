//! Tools made of closures.

use super::argument::Argument;
use super::call::Call;
use super::result::IntoToolResult;
use super::route::ToolRoute;
use super::spec::ToolSpec;
use crate::server::handler::arity::for_each_arity;
use crate::server::handler::run::Rejection;
use crate::server::{Context, Reply};

/// A tool whose arguments are known, and that waits for its function.
///
/// ```
/// use mcp_runtime::Server;
/// use mcp_runtime::server::tools::{ToolSpec, argument};
///
/// let mut server = Server::builder();
/// server.tool(
///     ToolSpec::new("add")
///         .description("Adds two whole numbers.")
///         .arguments((argument::<i64>("a"), argument::<i64>("b")))
///         .call(|(a, b), _| a + b),
/// );
/// # drop(server.build());
/// ```
#[derive(Debug)]
pub struct ToolClosure<A> {
    spec: ToolSpec,
    arguments: A,
}

/// The arguments of a tool: a tuple of up to eight [`Argument`]s.
pub trait Arguments: Send + Sync + 'static {
    /// The values that a call has for them, as a tuple.
    type Values: Send + 'static;

    #[doc(hidden)]
    fn declare(self, spec: &mut ToolSpec) -> Self;

    #[doc(hidden)]
    fn read(&self, call: &Call<'_>) -> Result<Self::Values, Rejection>;
}

impl ToolSpec {
    /// Adds arguments; the order is the one that `tools/list` shows.
    pub fn arguments<A: Arguments>(mut self, arguments: A) -> ToolClosure<A> {
        let arguments = arguments.declare(&mut self);
        ToolClosure {
            spec: self,
            arguments,
        }
    }
}

impl<A: Arguments> ToolClosure<A> {
    /// Serves each call by a function that answers at once.
    pub fn call<R: IntoToolResult>(
        mut self,
        function: impl Fn(A::Values, &Context) -> R + Send + Sync + 'static,
    ) -> ToolRoute {
        self.spec.returns_schema(R::output_schema());
        self.spec.context_route(move |call| {
            let values = self.arguments.read(&call)?;
            Ok(Reply::Ready(
                function(values, call.incoming.context).into_tool_result(),
            ))
        })
    }

    /// Serves each call by a function that answers later.
    pub fn call_async<F>(
        mut self,
        function: impl Fn(A::Values, Context) -> F + Send + Sync + 'static,
    ) -> ToolRoute
    where
        F: Future<Output: IntoToolResult> + Send + 'static,
    {
        self.spec.returns_schema(F::Output::output_schema());
        self.spec.context_route(move |call| {
            let values = self.arguments.read(&call)?;
            let future = function(values, call.incoming.context.clone());
            Ok(Reply::Pending(Box::pin(async move {
                future.await.into_tool_result()
            })))
        })
    }
}

macro_rules! tuples {
    ($(($($kind:ident $name:ident),*);)*) => {$(
        impl<$($kind: Send + 'static),*> Arguments for ($(Argument<$kind>,)*) {
            type Values = ($($kind,)*);

            #[allow(unused_variables, clippy::unused_unit)]
            fn declare(self, spec: &mut ToolSpec) -> Self {
                let ($($name,)*) = self;
                ($(spec.argument($name),)*)
            }

            fn read(&self, call: &Call<'_>) -> Result<Self::Values, Rejection> {
                let ($($name,)*) = self;
                $(let mut $name = $name.slot();)*
                call.read(&mut [$(&mut $name),*])?;
                Ok(($($name.take()?,)*))
            }
        }
    )*};
}

for_each_arity!(tuples);
