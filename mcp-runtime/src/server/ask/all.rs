//! Several questions in one round.

use std::future::IntoFuture;

use super::AskError;
use super::common::Ask;

/// Several questions: a tuple of two to six.
pub trait AskAll {
    /// Their answers, as a tuple.
    type Answers;

    #[doc(hidden)]
    fn ask_all(self) -> impl Future<Output = Result<Self::Answers, AskError>> + Send;
}

macro_rules! tuples {
    ($(($($kind:ident $name:ident),*);)*) => {$(
        impl<$($kind),*> AskAll for ($($kind,)*)
        where
            $($kind: Ask + IntoFuture<
                Output = Result<<$kind as Ask>::Answer, AskError>,
                IntoFuture: Send,
            >,)*
        {
            type Answers = ($($kind::Answer,)*);

            async fn ask_all(self) -> Result<Self::Answers, AskError> {
                let ($($name,)*) = self;
                // All are polled before one is waited for: that makes it one round.
                tokio::try_join!($($name.into_future()),*)
            }
        }
    )*};
}

tuples! {
    (A a, B b);
    (A a, B b, C c);
    (A a, B b, C c, D d);
    (A a, B b, C c, D d, E e);
    (A a, B b, C c, D d, E e, F f);
}
