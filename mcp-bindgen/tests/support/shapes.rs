//! A program that uses the bindings of a server with unusual schemas.

mod budget;

use budget::{AddExpenseArguments, AddExpenseOutput, Category, FindArguments, FindOutput, PaymentCard, PaymentCash};
use serde_json::{Value, from_value, json, to_value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
        // A tag is written only once, and typed members next to it survive a round trip.
    let card = PaymentCard::new("4111").with_extra("fee", 1.5);
    let arguments = AddExpenseArguments::new(card.clone(), Category::Food, u64::MAX);
    let expected = json!({
        "amount": u64::MAX,
        "category": "food",
        "payment": {"kind": "card", "number": "4111", "fee": 1.5},
    });
    let text = serde_json::to_string(&arguments)?;
    assert_eq!(text.matches("kind").count(), 1, "{text}");
    assert_eq!(serde_json::from_str::<Value>(&text)?, expected);
    assert_eq!(from_value::<AddExpenseArguments>(expected)?, arguments);
    let cash = json!({"kind": "cash", "currency": "EUR", "note": "tip"});
    assert_eq!(to_value(from_value::<PaymentCash>(cash.clone())?)?, cash);

    let output = json!({"id": u64::MAX, "payment": {"kind": "card", "paid": true, "fee": 2.0}});
    assert_eq!(to_value(from_value::<AddExpenseOutput>(output.clone())?)?, output);
    let unknown = json!({"id": 1, "payment": {"kind": "shell", "count": 3}});
    assert_eq!(to_value(from_value::<AddExpenseOutput>(unknown.clone())?)?, unknown);

        // Open tuples may have more or fewer items, and members that match a pattern are kept.
    for open in [json!([]), json!(["a"]), json!(["a", 1, true])] {
        let output = json!({"open": open, "pair": ["b", 2], "x-a": "c"});
        let read: FindOutput = from_value(output.clone())?;
        assert_eq!(read.pair, ("b".to_owned(), 2));
        assert_eq!(to_value(read)?, output);
    }
    assert_eq!(to_value(FindArguments::new("text"))?, json!({"where": "text"}));
    Ok(())
}
