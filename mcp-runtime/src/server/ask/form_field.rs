//! Which types the fields of a form can have, for `#[derive(Elicit)]`.

use std::collections::{BTreeSet, HashSet};

/// A type that a field of a form can have (2026-07-28, "Elicitation", section Requested Schema).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no field of a form",
    label = "neither text, nor a number, nor `bool`, nor a choice",
    note = "forms are flat: put the fields of a struct into the form itself, and `#[derive(Elicit)]` on an enum to make it a choice"
)]
pub trait FormField {}

/// A type whose values are a few words to choose from: an enum under `#[derive(Elicit)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no choice of a form",
    label = "not an enum under `#[derive(Elicit)]`",
    note = "a form can ask for several values only where there are a few to choose from"
)]
pub trait FormChoice {}

macro_rules! fields {
    ($($kind:ty),* $(,)?) => { $(impl FormField for $kind {})* };
}

fields! {
    String, char, bool, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize,
}

impl<T: FormField> FormField for Option<T> {}
impl<T: FormField> FormField for Box<T> {}
impl<T: FormChoice> FormField for Vec<T> {}
impl<T: FormChoice> FormField for BTreeSet<T> {}
impl<T: FormChoice, S> FormField for HashSet<T, S> {}

/// Does nothing but be refused for other types.
pub fn form_field<T: FormField>() {}
