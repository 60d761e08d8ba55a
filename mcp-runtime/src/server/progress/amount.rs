//! Numbers that say how far something has come.

/// A number of any kind.
pub trait Amount {
    /// The number. What is too large for 53 bits is rounded.
    fn amount(self) -> f64;
}

/// Where progress will end, if that is known: a number, or `None`.
pub trait Total {
    /// The number, if it is known.
    fn total(self) -> Option<f64>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Amount for $number {
            fn amount(self) -> f64 {
                self as f64
            }
        }

        impl Total for $number {
            fn total(self) -> Option<f64> {
                Some(self as f64)
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64);

impl Total for Option<f64> {
    fn total(self) -> Option<f64> {
        self
    }
}
