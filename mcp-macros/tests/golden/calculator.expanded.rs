use mcp_runtime::prelude::*;
struct Calculator;
/// Whole numbers only.
impl Calculator {
    /// Adds two whole numbers.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn add(&self, a: i64, b: i64) -> i64 {
        a + b
    }
    /// Divides one whole number by another.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        clippy::unused_async,
        clippy::unused_self
    )]
    fn divide(&self, a: i64, b: i64) -> Result<i64, &'static str> {
        a.checked_div(b).ok_or("division by zero")
    }
    /// Rounds to so many digits, if the user agrees.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn round(
        &self,
        value: f64,
        digits: u32,
        agrees: Option<bool>,
        way: Way,
    ) -> f64 {
        way.round(value, digits, agrees)
    }
    /// Gives back what it gets.
    #[allow(
        clippy::needless_pass_by_value,
        clippy::too_many_arguments,
        clippy::unused_async,
        clippy::unused_self
    )]
    async fn echo(&self, text: String, cx: &Context) -> String {
        drop(cx);
        text
    }
}
const _: () = {
    use ::mcp_runtime::__private as __mcp;
    #[allow(unused_imports)]
    use __mcp::traits::*;
    #[allow(deprecated)]
    impl __mcp::OneMcpServerBlockTheOthersAreGroups for Calculator
    where
        Calculator: ::core::marker::Send + ::core::marker::Sync + 'static,
    {
        fn register(self: __mcp::Arc<Self>, __server: &mut __mcp::ServerBuilder) {
            __server
                .info(
                    __mcp::implementation(
                        ::core::env!("CARGO_PKG_NAME"),
                        ::core::env!("CARGO_PKG_VERSION"),
                    ),
                );
            __server.instructions("Whole numbers only.");
            __server
                .tool({
                    let mut builder = __mcp::ToolBuilder::new("add")
                        .read_only(true)
                        .description("Adds two whole numbers.");
                    let arg_a = builder.argument(__mcp::argument::<i64>("a"));
                    let arg_b = builder.argument(__mcp::argument::<i64>("b"));
                    let convert = builder
                        .returns((&&&&&__mcp::Returned::<i64>::new()).output());
                    let this = __mcp::Arc::clone(&self);
                    builder
                        .entry(move |call| {
                            let mut arg_a = arg_a.slot();
                            let mut arg_b = arg_b.slot();
                            call.read(&mut [&mut arg_a, &mut arg_b])?;
                            let arg_a = arg_a.take()?;
                            let arg_b = arg_b.take()?;
                            __mcp::ready(convert, Self::add(&this, arg_a, arg_b))
                        })
                });
            __server
                .tool({
                    let mut builder = __mcp::ToolBuilder::new("divide")
                        .description("Divides one whole number by another.");
                    let arg_a = builder.argument(__mcp::argument::<i64>("a"));
                    let arg_b = builder
                        .argument(
                            __mcp::argument::<i64>("b").description("Anything but zero."),
                        );
                    let convert = builder
                        .returns(
                            (&&&&&__mcp::Returned::<Result<i64, &'static str>>::new())
                                .output(),
                        );
                    let this = __mcp::Arc::clone(&self);
                    builder
                        .entry(move |call| {
                            let mut arg_a = arg_a.slot();
                            let mut arg_b = arg_b.slot();
                            call.read(&mut [&mut arg_a, &mut arg_b])?;
                            let arg_a = arg_a.take()?;
                            let arg_b = arg_b.take()?;
                            __mcp::ready(convert, Self::divide(&this, arg_a, arg_b))
                        })
                });
            __server
                .tool({
                    let mut builder = __mcp::ToolBuilder::new("round")
                        .description("Rounds to so many digits, if the user agrees.");
                    let arg_value = builder.argument(__mcp::argument::<f64>("value"));
                    let arg_digits = builder.argument(__mcp::argument::<u32>("digits"));
                    let convert = builder
                        .returns((&&&&&__mcp::Returned::<f64>::new()).output());
                    let this = __mcp::Arc::clone(&self);
                    builder
                        .entry(move |call| {
                            let mut arg_value = arg_value.slot();
                            let mut arg_digits = arg_digits.slot();
                            call.read(&mut [&mut arg_value, &mut arg_digits])?;
                            let arg_value = arg_value.take()?;
                            let arg_digits = arg_digits.take()?;
                            let limit = call.limit(60000u64);
                            let this = __mcp::Arc::clone(&this);
                            let cx = call.context::<__mcp::Context>()?;
                            __mcp::ask(
                                call.context,
                                async move {
                                    let questions = (
                                        __mcp::question::<
                                            Option<bool>,
                                        >(
                                            &cx,
                                            "agrees",
                                            ::core::format_args!(
                                                "Round {value} to {digits:>2} digits?", value = arg_value,
                                                digits = arg_digits
                                            ),
                                        ),
                                        __mcp::question::<
                                            Way,
                                        >(&cx, "way", ::core::format_args!("Which way?",)),
                                    );
                                    __mcp::ParameterQuestions {
                                        questions,
                                        enter: move |(answer_agrees, answer_way)| {
                                            limit
                                                .pending(
                                                    convert,
                                                    async move {
                                                        Self::round(
                                                                &this,
                                                                arg_value,
                                                                arg_digits,
                                                                answer_agrees,
                                                                answer_way,
                                                            )
                                                            .await
                                                    },
                                                )
                                        },
                                    }
                                },
                            )
                        })
                        .asking()
                });
            __server
                .tool({
                    let mut builder = __mcp::ToolBuilder::new("echo")
                        .description("Gives back what it gets.");
                    let arg_text = builder.argument(__mcp::argument::<String>("text"));
                    let convert = builder
                        .returns((&&&&&__mcp::Returned::<String>::new()).output());
                    let this = __mcp::Arc::clone(&self);
                    builder
                        .entry(move |call| {
                            let mut arg_text = arg_text.slot();
                            call.read(&mut [&mut arg_text])?;
                            let arg_text = arg_text.take()?;
                            let context_1 = call.context::<Context>()?;
                            let this = __mcp::Arc::clone(&this);
                            __mcp::pending(
                                convert,
                                async move { Self::echo(&this, arg_text, &context_1).await },
                            )
                        })
                });
        }
    }
};
fn main() -> ::std::process::ExitCode {
    #[allow(unused_imports)]
    use ::mcp_runtime::__private::main_error::{
        ByError as _, ByPointer as _, ByTermination as _, ByText as _,
    };
    async fn main() -> Result<(), ServeError> {
        Calculator.serve(stdio()).await
    }
    let ended = ::mcp_runtime::__private::block_on(main());
    #[allow(clippy::needless_borrow)]
    let code = (&&&&::mcp_runtime::__private::main_error::Ended::new(ended)).report();
    code
}
