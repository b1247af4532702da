//! The rules for the fields of a pattern. Each gives the value in its own type, or says what was expected and found.

use crate::error::Refusal;
use crate::json::{write, Object, Text, Value};
use crate::timestamp::is_timestamp;

/// The field by its rule; `None` where it is absent or null.
pub fn optional<T>(
    object: &Object,
    key: &str,
    rule: fn(&str, &Value) -> Result<T, Refusal>,
) -> Result<Option<T>, Refusal> {
    object.get(key).map(|value| rule(key, value)).transpose()
}

pub fn text(place: &str, value: &Value) -> Result<Text, Refusal> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        _ => Err(unfit(place, "a text", value)),
    }
}

/// The id of a pattern or an agent.
pub fn identifier(place: &str, value: &Value) -> Result<Text, Refusal> {
    match value {
        Value::Text(text) if is_identifier(text) => Ok(text.clone()),
        _ => Err(unfit(place, "an id that is not empty and holds neither a NUL nor half a character", value)),
    }
}

pub fn is_identifier(text: &Text) -> bool {
    text.as_str().is_some_and(|plain| !plain.is_empty() && !plain.contains('\0'))
}

pub fn object(place: &str, value: &Value) -> Result<Object, Refusal> {
    match value {
        Value::Object(object) => Ok(object.clone()),
        _ => Err(unfit(place, "an object", value)),
    }
}

pub fn texts(place: &str, value: &Value) -> Result<Vec<Text>, Refusal> {
    match value {
        Value::Array(items) => items.iter().map(|item| text(place, item)).collect(),
        _ => Err(unfit(place, "an array of texts", value)),
    }
}

pub fn real(place: &str, value: &Value) -> Result<f64, Refusal> {
    let double = if let Value::Number(number) = value { number.as_f64() } else { None };
    double.ok_or_else(|| unfit(place, "a finite number", value))
}

pub fn integer(place: &str, value: &Value) -> Result<i64, Refusal> {
    let integer = if let Value::Number(number) = value { number.as_i64() } else { None };
    integer.ok_or_else(|| unfit(place, "an integer of 64 bits", value))
}

/// A timestamp with its `T`, also where another program wrote a blank.
pub fn timestamp(place: &str, value: &Value) -> Result<Text, Refusal> {
    let text = if let Value::Text(text) = value { text.as_str() } else { None };
    text.filter(|text| is_timestamp(text))
        .map(|text| Text::from(text.replacen(' ', "T", 1).as_str()))
        .ok_or_else(|| unfit(place, "a timestamp YYYY-MM-DDTHH:MM:SS", value))
}

/// A refusal with as much of the value as fits into a message.
pub fn unfit(place: &str, wanted: &str, value: &Value) -> Refusal {
    let shown = write::compact(value);
    let cut = shown.char_indices().nth(60).map_or(shown.as_str(), |(end, _)| &shown[..end]);
    let dots = if cut.len() < shown.len() { "…" } else { "" };
    Refusal::new(place, format!("expected {wanted}, got {}: {cut}{dots}", value.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_was_expected_and_what_came() {
        let Refusal { place, problem } = integer("usage_count", &Value::from("3")).unwrap_err();
        assert_eq!(
            (place.as_str(), problem.as_str()),
            ("usage_count", "expected an integer of 64 bits, got a text: \"3\"")
        );
    }

    #[test]
    fn an_id_is_not_empty() {
        assert!(identifier("id", &Value::from("")).is_err());
        assert!(identifier("id", &Value::from("a\0b")).is_err());
        assert!(identifier("id", &Value::from("é")).is_ok());
    }
}
