//! Values of the protocol: a number that a double would change is sent as text.

use agent_persistence::error::Refusal;
use agent_persistence::json::{Number, Object, Text, Value};

/// Converts a value of the protocol to a value of this library.
pub fn from_wire(value: Value) -> Result<Value, Refusal> {
    match value {
        Value::Array(items) => Ok(Value::Array(items.into_iter().map(from_wire).collect::<Result<_, _>>()?)),
        Value::Object(object) => {
            if let Some(text) = tagged_number(&object) {
                let number = Number::from_text(text).map(Value::Number);
                return number.ok_or_else(|| Refusal::new("number", format!("{text} is not a JSON number")));
            }
            let members = object.into_members().into_iter().map(|(key, value)| Ok((key, from_wire(value)?)));
            Ok(Value::Object(Object::from_members(members.collect::<Result<_, _>>()?)))
        }
        _ => Ok(value),
    }
}

fn tagged_number(object: &Object) -> Option<&str> {
    match object.members() {
        [(key, Value::Text(text))] if key == "$int" || key == "$number" => text.as_str(),
        _ => None,
    }
}

/// Converts a value of this library to a value of the protocol.
pub fn to_wire(value: Value) -> Value {
    match value {
        Value::Number(number) if !number.is_double() => {
            let integer = number.text().trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
            Value::Object(Object::of([(if integer { "$int" } else { "$number" }, Value::from(number.text()))]))
        }
        Value::Array(items) => Value::Array(items.into_iter().map(to_wire).collect()),
        Value::Object(object) => {
            let members = object.into_members().into_iter().map(|(key, value): (Text, Value)| (key, to_wire(value)));
            Value::Object(Object::from_members(members.collect()))
        }
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_persistence::json::{parse::parse, write::compact};

    #[test]
    fn sends_exact_numbers_as_text_and_reads_them() {
        let sent = r#"[{"$int":"12345678901234567890"},{"$number":"1e400"},0.5,{"$int":5}]"#;
        let value = from_wire(parse(sent.as_bytes()).unwrap()).unwrap();
        assert_eq!(compact(&value), r#"[12345678901234567890,1e400,0.5,{"$int":5}]"#);
        assert_eq!(compact(&to_wire(value)), sent);
        assert!(from_wire(parse(br#"{"$number":"NaN"}"#).unwrap()).is_err());
    }
}
