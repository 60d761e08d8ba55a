//! How many arguments a tuple has at most.

/// Hands the types and names of each tuple, up to eight, to the macro `$implement`.
macro_rules! for_each_arity {
    ($implement:ident) => {
        $implement! {
            ();
            (A a);
            (A a, B b);
            (A a, B b, C c);
            (A a, B b, C c, D d);
            (A a, B b, C c, D d, E e);
            (A a, B b, C c, D d, E e, F f);
            (A a, B b, C c, D d, E e, F f, G g);
            (A a, B b, C c, D d, E e, F f, G g, H h);
        }
    };
}

pub(crate) use for_each_arity;
