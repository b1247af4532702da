//! The rules for the fields of a pattern. Each returns the value in its own type, or an error that shows the value.

use crate::error::Refusal;
use crate::json::{write, Object, Text, Value};
use crate::timestamp::is_timestamp;

/// Checks a field with its rule; `None` if it is absent or null.
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
        _ => Err(unfit(place, "text", value)),
    }
}

/// The id of a pattern or an agent.
pub fn identifier(place: &str, value: &Value) -> Result<Text, Refusal> {
    match value {
        Value::Text(text) if is_identifier(text) => Ok(text.clone()),
        _ => Err(unfit(place, "an id that is not empty and contains neither NUL nor a lone surrogate", value)),
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
    integer.ok_or_else(|| unfit(place, "a 64-bit integer", value))
}

/// Returns a timestamp with `T` between date and time, even if another program wrote a space.
pub fn timestamp(place: &str, value: &Value) -> Result<Text, Refusal> {
    let text = if let Value::Text(text) = value { text.as_str() } else { None };
    text.filter(|text| is_timestamp(text))
        .map(|text| Text::from(text.replacen(' ', "T", 1).as_str()))
        .ok_or_else(|| unfit(place, "a timestamp YYYY-MM-DDTHH:MM:SS", value))
}

/// Makes a refusal that shows the value, shortened to 60 characters.
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
    fn shows_the_expected_type_and_the_value() {
        let Refusal { place, problem } = integer("usage_count", &Value::from("3")).unwrap_err();
        assert_eq!((place.as_str(), problem.as_str()), ("usage_count", "expected a 64-bit integer, got text: \"3\""));
    }

    #[test]
    fn refuses_an_empty_id_and_nul() {
        assert!(identifier("id", &Value::from("")).is_err());
        assert!(identifier("id", &Value::from("a\0b")).is_err());
        assert!(identifier("id", &Value::from("é")).is_ok());
    }
}
