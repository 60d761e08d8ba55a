use mcp_runtime::prelude::*;
struct Library<D> {
    db: D,
}
/// Ask about books.
impl<D: Db> Library<D> {
    /// Finds books by title.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn find(&self, title: String, limit: u32) -> Result<Vec<Book>, DbError> {
        self.db.find(&title, limit).await
    }
    /// Summarises one book for a reader.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn summary(&self, title: String, tone: Option<Tone>) -> String {
        format!("Summarise {title} {tone:?}.")
    }
    /// One book, as JSON.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn book(&self, isbn: Isbn) -> Result<Json<Book>, NotFound> {
        self.db.book(isbn).await.map(Json).ok_or(NotFound)
    }
    async fn close(&self) {
        self.db.close().await;
    }
    async fn titles(&self, request: &CompletionRequest) -> Vec<String> {
        self.db.titles(request.value()).await
    }
    fn books() -> Vec<Resource> {
        Vec::new()
    }
}
const _: () = {
    use ::mcp_runtime::__private as __mcp;
    #[allow(unused_imports)]
    use __mcp::traits::*;
    #[allow(dead_code)]
    impl<D: Db> Library<D> {
        ///Builds the URI of the resource `book`.
        fn book_uri(isbn: impl ::core::fmt::Display) -> __mcp::ResourceUri {
            __mcp::resource_uri(
                "book://{isbn}",
                &[("isbn", ::core::option::Option::Some(&isbn))],
            )
        }
    }
    #[allow(deprecated)]
    impl<D: Db> __mcp::OneMcpServerBlockTheOthersAreGroups for Library<D>
    where
        Library<D>: ::core::marker::Send + ::core::marker::Sync + 'static,
    {
        fn register(self: __mcp::Arc<Self>, __server: &mut __mcp::ServerBuilder) {
            __server
                .info(
                    __mcp::implementation("library", ::core::env!("CARGO_PKG_VERSION"))
                        .with_website_url("https://example.com"),
                );
            __server.instructions("Ask about books.");
            __server
                .requires(
                    &__mcp::ClientCapabilities::new()
                        .with_sampling(::core::default::Default::default()),
                );
            __server.scopes(["books:read"]);
            __server.filter_by_scopes();
            const PAGE_SIZE: __mcp::NonZeroUsize = __mcp::page_size(50);
            __server.page_size(PAGE_SIZE);
            __server
                .tool({
                    let mut builder = __mcp::ToolBuilder::new("find")
                        .read_only(true)
                        .description("Finds books by title.");
                    let arg_title = builder
                        .argument(
                            __mcp::argument::<String>("title")
                                .description("Part of the title, in any case."),
                        );
                    let arg_limit = builder
                        .argument(
                            __mcp::argument::<u32>("limit")
                                .description("At most this many books.")
                                .default(|| 10)
                                .range(
                                    __mcp::Bound::Included(1),
                                    __mcp::Bound::Included(100),
                                ),
                        );
                    let convert = builder
                        .returns(
                            (&&&&&__mcp::Returned::<Result<Vec<Book>, DbError>>::new())
                                .output(),
                        );
                    let this = __mcp::Arc::clone(&self);
                    __mcp::tool_with(
                        __mcp::tool_with(
                            builder
                                .entry(move |call| {
                                    let mut arg_title = arg_title.slot();
                                    let mut arg_limit = arg_limit.slot();
                                    call.read(&mut [&mut arg_title, &mut arg_limit])?;
                                    let arg_title = arg_title.take()?;
                                    let arg_limit = arg_limit.take()?;
                                    let limit = call.limit(30000u64);
                                    let this = __mcp::Arc::clone(&this);
                                    limit
                                        .pending(
                                            convert,
                                            async move { Self::find(&this, arg_title, arg_limit).await },
                                        )
                                }),
                            Priced(3),
                        ),
                        Logged,
                    )
                });
            __server
                .prompt({
                    let mut builder = __mcp::PromptBuilder::new("summary")
                        .description("Summarises one book for a reader.");
                    let arg_title = builder
                        .argument(__mcp::Text::<String>::new().argument("title"));
                    let arg_tone = builder
                        .argument(__mcp::Text::<Option<Tone>>::new().argument("tone"));
                    builder
                        .complete(
                            "title",
                            {
                                let this = __mcp::Arc::clone(&self);
                                __mcp::completer(move |request| {
                                    let this = __mcp::Arc::clone(&this);
                                    async move {
                                        __mcp::MaybeAsync(Self::titles(&this, &request))
                                            .future()
                                            .await
                                    }
                                })
                            },
                        );
                    let convert = __mcp::prompt_output::<String>();
                    let this = __mcp::Arc::clone(&self);
                    builder
                        .entry(move |call| {
                            let mut arg_title = arg_title.slot();
                            let mut arg_tone = arg_tone.slot();
                            call.read(&mut [&mut arg_title, &mut arg_tone])?;
                            let arg_title = arg_title.take()?;
                            let arg_tone = arg_tone.take()?;
                            __mcp::ready(
                                convert,
                                Self::summary(&this, arg_title, arg_tone),
                            )
                        })
                        .scopes(["books:read", "books:quote"])
                });
            __server
                .resource({
                    let mut builder = __mcp::resource_builder("book", "book://{isbn}")
                        .mime("application/json")
                        .subscribable()
                        .description("One book, as JSON.");
                    let arg_isbn = builder
                        .argument(__mcp::Text::<Isbn>::new().argument("isbn"));
                    {
                        __mcp::list(
                            &mut builder,
                            move || {
                                async move {
                                    __mcp::MaybeAsync(Self::books()).future().await
                                }
                            },
                        )
                    }
                    builder
                        .complete(
                            "isbn",
                            {
                                __mcp::completer(move |request| {
                                    async move {
                                        __mcp::MaybeAsync(isbns(&request)).future().await
                                    }
                                })
                            },
                        );
                    let convert = __mcp::resource_output::<
                        Result<Json<Book>, NotFound>,
                    >();
                    let this = __mcp::Arc::clone(&self);
                    builder
                        .entry(move |call| {
                            let mut arg_isbn = arg_isbn.slot();
                            call.read(&mut [&mut arg_isbn])?;
                            let arg_isbn = arg_isbn.take()?;
                            let this = __mcp::Arc::clone(&this);
                            __mcp::pending(
                                convert,
                                async move { Self::book(&this, arg_isbn).await },
                            )
                        })
                });
            __server
                .on_shutdown({
                    let this = __mcp::Arc::clone(&self);
                    move || {
                        let this = __mcp::Arc::clone(&this);
                        async move {
                            __mcp::outcome::<
                                (),
                            >(__mcp::MaybeAsync(Self::close(&this)).future().await)
                        }
                    }
                });
        }
    }
};
