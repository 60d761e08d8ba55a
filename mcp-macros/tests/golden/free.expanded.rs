use mcp_runtime::prelude::*;
/// Adds two whole numbers.
#[allow(non_camel_case_types)]
#[derive(Clone, Copy, Debug)]
pub struct add;
const _: () = {
    use framework::__private as __mcp;
    #[allow(unused_imports)]
    use __mcp::traits::*;
    /// Adds two whole numbers.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        clippy::unused_async,
        clippy::unused_self
    )]
    pub async fn add(cx: &Context, a: i64, b: i64) -> i64 {
        a + b
    }
    #[allow(deprecated)]
    impl ::core::ops::Deref for add {
        type Target = for<'__mcp> fn(
            &'__mcp Context,
            i64,
            i64,
        ) -> __mcp::Pin<
            __mcp::Box<dyn ::core::future::Future<Output = i64> + Send + '__mcp>,
        >;
        fn deref(&self) -> &Self::Target {
            const FUNCTION: for<'__mcp> fn(
                &'__mcp Context,
                i64,
                i64,
            ) -> __mcp::Pin<
                __mcp::Box<dyn ::core::future::Future<Output = i64> + Send + '__mcp>,
            > = |value_0, value_1, value_2| __mcp::Box::pin(
                add(value_0, value_1, value_2),
            );
            &FUNCTION
        }
    }
    #[allow(deprecated)]
    impl __mcp::IntoTool for add {
        fn into_tool(self) -> __mcp::ToolEntry {
            let mut builder = __mcp::ToolBuilder::new("add")
                .description("Adds two whole numbers.");
            let arg_a = builder.argument(__mcp::argument::<i64>("a"));
            let arg_b = builder.argument(__mcp::argument::<i64>("b"));
            let convert = builder.returns((&&&&&__mcp::Returned::<i64>::new()).output());
            builder
                .entry(move |call| {
                    let mut arg_a = arg_a.slot();
                    let mut arg_b = arg_b.slot();
                    call.read(&mut [&mut arg_a, &mut arg_b])?;
                    let context_0 = call.context::<Context>()?;
                    let arg_a = arg_a.take()?;
                    let arg_b = arg_b.take()?;
                    __mcp::pending(
                        convert,
                        async move { add(&context_0, arg_a, arg_b).await },
                    )
                })
        }
    }
};
/// Greets.
mod greeter {
    /// Repeats a word.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn repeat(times: u32, word: Word) -> String {
        word.repeat(times)
    }
    /// Greets one person.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn greet(person: Person) -> String {
        person.greeting()
    }
    /// The server that offers the functions of this module.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Server;
    const _: () = {
        use ::mcp_runtime::__private as __mcp;
        #[allow(unused_imports)]
        use __mcp::traits::*;
        #[allow(deprecated)]
        impl __mcp::OneMcpServerBlockTheOthersAreGroups for Server
        where
            Server: ::core::marker::Send + ::core::marker::Sync + 'static,
        {
            fn register(self: __mcp::Arc<Self>, __server: &mut __mcp::ServerBuilder) {
                __server
                    .info(
                        __mcp::implementation(
                            "greeter",
                            ::core::env!("CARGO_PKG_VERSION"),
                        ),
                    );
                __server.instructions("Greets.");
                const REVISIONS: __mcp::Revisions = __mcp::revisions("2025-06-18..");
                __server.revisions(REVISIONS);
                __server
                    .cache(__mcp::milliseconds(300000u64), __mcp::CacheScope::Public);
                __server
                    .tool({
                        let mut builder = __mcp::ToolBuilder::new("repeat")
                            .description("Repeats a word.");
                        let arg_times = builder
                            .argument(__mcp::argument::<u32>("times").lenient());
                        let arg_word = builder.argument(__mcp::argument::<Word>("word"));
                        let convert = builder
                            .returns((&&&&&__mcp::Returned::<String>::new()).output());
                        builder
                            .entry(move |call| {
                                let mut arg_times = arg_times.slot();
                                let mut arg_word = arg_word.slot();
                                call.read(&mut [&mut arg_times, &mut arg_word])?;
                                let arg_times = arg_times.take()?;
                                let arg_word = arg_word.take()?;
                                __mcp::pending(
                                    convert,
                                    __mcp::blocking(move || repeat(arg_times, arg_word)),
                                )
                            })
                    });
                __server
                    .tool({
                        let mut builder = __mcp::ToolBuilder::new("greet")
                            .description("Greets one person.");
                        let arguments = builder.flatten(__mcp::argument::<Person>(""));
                        let convert = builder
                            .returns((&&&&&__mcp::Returned::<String>::new()).output());
                        builder
                            .entry(move |call| {
                                let arguments = call.flatten(&arguments)?;
                                __mcp::pending(
                                    convert,
                                    __mcp::blocking(move || greet(arguments)),
                                )
                            })
                    });
            }
        }
    };
}
impl Library {
    /// A shelf.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn shelf(&self, id: String) -> String {
        id
    }
    fn shelves() -> Vec<Resource> {
        Vec::new()
    }
    async fn ids(&self, request: &CompletionRequest) -> Vec<String> {
        vec![request.value().to_owned()]
    }
    #[allow(
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn close(&self, user: &User, witness: Option<&Principal>) {}
}
const _: () = {
    use ::mcp_runtime::__private as __mcp;
    #[allow(unused_imports)]
    use __mcp::traits::*;
    const _: () = {
        #[deprecated(
            note = "the tool has no description for models to choose it by: write a doc comment, or `#[mcp_server(undocumented = \"allow\")]`"
        )]
        macro_rules! close {
            () => {};
        }
        close!();
    };
    #[allow(dead_code, non_upper_case_globals)]
    impl Library {
        #[doc(hidden)]
        const a_resource_under_shelf____id__e7b21f98f03ed7a2_exists_already__rename_one_of_them: () = ();
        #[doc(hidden)]
        const a_tool_called_close_exists_already__rename_one_of_them: () = ();
    }
    #[allow(dead_code)]
    impl Library {
        ///Builds the URI of the resource `shelf`.
        fn shelf_uri(id: impl ::core::fmt::Display) -> __mcp::ResourceUri {
            __mcp::resource_uri(
                "shelf://{id}",
                &[("id", ::core::option::Option::Some(&id))],
            )
        }
    }
    #[allow(deprecated)]
    impl Library
    where
        Library: ::core::marker::Send + ::core::marker::Sync + 'static,
    {
        #[doc(hidden)]
        #[deny(dead_code)]
        pub(crate) fn group_admin_listed_in_groups_of_mcp_server(
            self: &__mcp::Arc<Self>,
            __server: &mut __mcp::ServerBuilder,
        ) {
            __server
                .resource({
                    let mut builder = __mcp::resource_builder("shelf", "shelf://{id}")
                        .description("A shelf.");
                    let arg_id = builder
                        .argument(__mcp::Text::<String>::new().argument("id"));
                    {
                        __mcp::list(
                            &mut builder,
                            move || { __mcp::blocking(move || Self::shelves()) },
                        )
                    }
                    builder
                        .complete(
                            "id",
                            {
                                let this = __mcp::Arc::clone(&self);
                                __mcp::completer(move |request| {
                                    let this = __mcp::Arc::clone(&this);
                                    async move {
                                        __mcp::MaybeAsync(Self::ids(&this, &request)).future().await
                                    }
                                })
                            },
                        );
                    let convert = __mcp::resource_output::<String>();
                    let this = __mcp::Arc::clone(&self);
                    builder
                        .entry(move |call| {
                            let mut arg_id = arg_id.slot();
                            call.read(&mut [&mut arg_id])?;
                            let arg_id = arg_id.take()?;
                            let this = __mcp::Arc::clone(&this);
                            __mcp::pending(
                                convert,
                                __mcp::blocking(move || Self::shelf(&this, arg_id)),
                            )
                        })
                });
            __server
                .tool({
                    let mut builder = __mcp::ToolBuilder::new("close");
                    let convert = builder
                        .returns((&&&&&__mcp::Returned::<()>::new()).output());
                    let this = __mcp::Arc::clone(&self);
                    builder
                        .entry(move |call| {
                            let context_0 = call.context::<User>()?;
                            let context_1 = call.optional::<Principal>()?;
                            let this = __mcp::Arc::clone(&this);
                            __mcp::pending(
                                convert,
                                __mcp::blocking(move || Self::close(
                                    &this,
                                    &context_0,
                                    context_1.as_deref(),
                                )),
                            )
                        })
                });
        }
    }
};
#[derive(Clone, FromContext)]
#[from_context(identity)]
struct User;
const _: () = {
    use ::mcp_runtime::__private as __mcp;
    impl __mcp::FromContext for User {
        fn from_context(
            cx: &__mcp::Context,
        ) -> ::core::result::Result<Self, __mcp::ProtocolError> {
            __mcp::identity::<Self>(cx).ok_or_else(__mcp::no_identity)
        }
    }
    impl __mcp::OptionalFromContext for User {
        fn optional(
            cx: &__mcp::Context,
        ) -> ::core::result::Result<
            ::core::option::Option<__mcp::ContextValue<Self>>,
            __mcp::ProtocolError,
        > {
            ::core::result::Result::Ok(
                __mcp::identity::<Self>(cx).map(__mcp::ContextValue::made),
            )
        }
    }
};
