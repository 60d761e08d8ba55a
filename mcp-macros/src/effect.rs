//! Finds effects that precede a question in a function's body. When the question is answered, the
//! function runs again from the start, and repeats these effects.

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Stmt};

/// The methods of `Context` that ask the client.
const ASKING: [&str; 5] = ["ask_all", "elicit", "elicit_url", "roots", "sample"];

/// Finds methods of `self`, or of its fields, whose result is discarded before the last question.
/// Such methods are probably called for their effect.
///
/// Looks only at the top-level statements of the function, not into nested blocks.
pub(crate) fn before_questions(body: &Block) -> Vec<Ident> {
    let question = body.stmts.iter().rposition(asks);
    let before = &body.stmts[..question.unwrap_or(0)];
    before.iter().filter_map(effect).collect()
}

/// The method called by a statement that discards the result.
fn effect(statement: &Stmt) -> Option<Ident> {
    let Stmt::Expr(expr, Some(_)) = statement else {
        return None;
    };
    let mut called = None;
    let mut expr = expr;
    loop {
        expr = match expr {
            Expr::Await(awaited) => &awaited.base,
            Expr::Try(tried) => &tried.expr,
            Expr::Field(field) => &field.base,
            Expr::MethodCall(call) => {
                let is_conversion = ["expect", "map_err", "ok", "unwrap"];
                if !is_conversion.iter().any(|name| call.method == name) {
                    called.get_or_insert(&call.method);
                }
                &call.receiver
            }
            Expr::Path(root) if root.path.is_ident("self") => return called.cloned(),
            _ => return None,
        }
    }
}

/// Whether the statement calls a method in `ASKING` on `cx`.
fn asks(statement: &Stmt) -> bool {
    struct Asks(bool);
    impl<'a> Visit<'a> for Asks {
        fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
            let is_context =
                matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("cx"));
            self.0 |= is_context && ASKING.iter().any(|name| call.method == name);
            visit::visit_expr_method_call(self, call);
        }
    }
    let mut asks = Asks(false);
    asks.visit_stmt(statement);
    asks.0
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::before_questions;

    #[test]
    fn what_is_called_for_its_effect_before_a_question_is_found() {
        let found = before_questions(&parse_quote!({
            self.charge(amount);
            self.db.lock().unwrap().execute("INSERT")?;
            self.notify(&shop).await.map_err(ToolError::new)?;
            let sure: bool = cx.elicit("Really?").await?;
            self.log("behind it");
            Ok(sure)
        }));
        assert_eq!(found, ["charge", "execute", "notify"]);
    }

    #[test]
    fn what_has_no_effect_or_happens_once_is_not() {
        for body in [
            parse_quote!({
                let price = self.price(film)?;
                let () = self.check(price)?;
                cx.once("charge", self.charge(price)).await?;
                cx.progress(1.0);
                messages.push(price);
                println!("asks");
                if price > 9 {
                    return Err(dear());
                }
                if cx.elicit("Pay?").await? {
                    self.send()
                }
            }),
            parse_quote!({
                self.charge(1);
                Ok(())
            }),
            parse_quote!({
                cx.elicit::<bool>("Pay?").await?;
                self.charge(1);
            }),
        ] {
            assert_eq!(before_questions(&body), Vec::<proc_macro2::Ident>::new());
        }
    }
}
