//! Who this adapter says it is.

use agent_persistence::json::{Number, Object, Value};

/// The open questions that are answered as the rulings do.
const RULED: [&str; 16] = [
    "U-save-existing",
    "U-json-shape",
    "U-format-version",
    "U-optional",
    "U-contributions",
    "U-timestamps",
    "U-text",
    "U-order",
    "U-numbers",
    "U-pattern-type",
    "U-library-attributes",
    "U-missing-directory",
    "U-authentication",
    "U-events",
    "U-lifecycle",
    "U-limits",
];

/// The answer to `hello`.
pub fn introduction(spec_version: &str) -> Vec<(&'static str, Value)> {
    let implementation =
        [("name", "agent-persistence-rust"), ("version", env!("CARGO_PKG_VERSION")), ("language", "Rust")];
    vec![
        ("type", Value::from("ok")),
        ("protocol", Value::Number(Number::from(1))),
        ("spec_version", Value::from(spec_version)),
        ("implementation", Value::Object(Object::of(implementation.map(|(key, text)| (key, Value::from(text)))))),
        ("capabilities", Value::Array(vec![Value::from("patterns_json")])),
        ("choices", Value::Object(Object::of(RULED.map(|question| (question, Value::from("ruled")))))),
    ]
}
