//! A pizzeria that asks its guests: with questions as parameters, with forms made from types,
//! with a question that depends on a result, and with a web page for the payment. The same
//! functions serve clients of both eras.

use std::sync::atomic::{AtomicU32, Ordering};

use mcp_runtime::prelude::*;

#[derive(Default)]
struct Pizzeria {
    orders: AtomicU32,
}

#[derive(Deserialize, JsonSchema, Elicit)]
struct Order {
    /// The toppings.
    toppings: Vec<Topping>,
    /// The size of the pizza.
    size: Size,
    /// How many pizzas you want.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 9))]
    count: u32,
    /// A note for the kitchen.
    note: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Elicit)]
#[serde(rename_all = "lowercase")]
enum Topping {
    Ham,
    Mushrooms,
    Olives,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Elicit)]
#[serde(rename_all = "lowercase")]
enum Size {
    /// Small, 26 cm
    Small,
    /// Large, 32 cm
    Large,
}

fn one() -> u32 {
    1
}

#[mcp_server(name = "elicit")]
impl Pizzeria {
    /// Cancels an order.
    #[tool]
    fn cancel(
        &self,
        number: u32,
        // The question is asked before the function runs, so the function runs once in every era.
        #[elicit("Cancel order {number}?")] sure: Option<bool>,
    ) -> String {
        let outcome = if sure == Some(true) {
            "cancelled"
        } else {
            "kept"
        };
        format!("Order {number} is {outcome}.")
    }

    /// Takes an order, and asks the guest to confirm it.
    #[tool]
    async fn order(
        &self,
        #[elicit("What would you like?")] order: Order,
        cx: &Context,
    ) -> Result<String, ToolError> {
        // The question below contains the number, so it can't be a parameter. In the stateless
        // era the function runs again when the answer arrives, and `once` keeps the first number.
        let next = async { self.orders.fetch_add(1, Ordering::Relaxed) + 1 };
        let number = cx.once("number", next).await?;
        let question = format!(
            "{} {:?}, order {number}. All right?",
            order.count, order.size
        );
        match cx.elicit::<bool>(question).outcome().await? {
            Elicited::Accepted(true) => {}
            Elicited::Accepted(false) | Elicited::Declined => return Ok("Nothing, then.".into()),
            Elicited::Cancelled => return Ok("Come back any time.".into()),
        }
        let note = order.note.map(|note| format!(" ({note})"));
        let note = note.unwrap_or_default();
        Ok(format!("Order {number}: {:?}{note}", order.toppings))
    }

    /// Lets the guest pay.
    #[tool]
    async fn pay(&self, number: u32, cx: &Context) -> Result<String, ToolError> {
        let page = format!("https://pizza.example.com/pay/{number}");
        cx.elicit_url("Please pay for your order.", page).await?;
        Ok(format!("Order {number} is being paid for."))
    }
}

#[mcp_runtime::main]
async fn main() -> Result<(), ServeError> {
    Pizzeria::default().serve(stdio()).await
}
