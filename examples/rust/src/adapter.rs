//! The adapter: answers the requests of the suite with this library.

use crate::introduction::introduction;
use crate::operations::{self, Kept, Outcome};
use crate::wire::from_wire;
use agent_persistence::error::Error;
use agent_persistence::json::{parse::parse, write::compact, Object, Text, Value};
use agent_persistence::pattern_fields as fields;
use std::collections::HashMap;

pub struct Adapter {
    line: String,
    kept: HashMap<Text, Kept>,
}

impl Adapter {
    pub fn of_line(line: &str) -> Option<Self> {
        ["15", "16"].contains(&line).then(|| Self { line: line.to_owned(), kept: HashMap::new() })
    }

    /// Returns the answer to one line, and true if more lines follow. A line that is not a request ends the adapter.
    pub fn answer(&mut self, line: &[u8]) -> Result<(String, bool), String> {
        let Ok(Value::Object(request)) = parse(line) else { return Err("a line that is not a JSON object".to_owned()) };
        let name =
            |key| request.get(key).and_then(|value| if let Value::Text(text) = value { Some(text) } else { None });
        let kind = name("type").and_then(Text::as_str).ok_or("a request without a type")?;
        let mut answer = match kind {
            "hello" => introduction(&self.line),
            "call" => {
                let op = name("op").and_then(Text::as_str).ok_or("a call without an operation")?;
                let outcome = self.call(op, request.get("args"), name("handle"));
                self.answer_to_call(outcome, name("keep"))
            }
            _ => {
                self.kept.clear();
                if let Some(directory) = name("directory").and_then(Text::as_str) {
                    // A state manager without a given folder uses one in the working directory.
                    std::env::set_current_dir(directory).map_err(|error| format!("{directory}: {error}"))?;
                }
                vec![("type", Value::from("ok"))]
            }
        };
        answer.push(("seq", request.get("seq").cloned().ok_or("a request without a sequence number")?));
        let members = answer.into_iter().map(|(key, value)| (Text::from(key), value)).collect();
        Ok((compact(&Value::Object(Object::from_members(members))), kind != "bye"))
    }

    fn call(&self, op: &str, args: Option<&Value>, handle: Option<&Text>) -> Result<Outcome, Error> {
        let args = fields::object("arguments", &from_wire(args.cloned().unwrap_or(Value::Null))?)?;
        operations::call(op, &args, handle.and_then(|handle| self.kept.get(handle)), self.line == "15")
    }

    fn answer_to_call(&mut self, outcome: Result<Outcome, Error>, keep: Option<&Text>) -> Vec<(&'static str, Value)> {
        let value = match outcome {
            Err(error) => return error_answer(&error),
            Ok(Outcome::Unsupported) => {
                return vec![("type", Value::from("unsupported")), ("reason", Value::from("not implemented"))];
            }
            Ok(Outcome::Value(value)) => value,
            Ok(Outcome::Object(value, object)) => {
                keep.map(|name| self.kept.insert(name.clone(), object));
                value
            }
        };
        vec![("type", Value::from("ok")), ("value", value)]
    }
}

fn error_answer(error: &Error) -> Vec<(&'static str, Value)> {
    let (kind, native) = match error {
        Error::NotFound(_) => ("not_found", "Error::NotFound"),
        Error::InvalidJson(..) => ("invalid_json", "Error::InvalidJson"),
        Error::Rejected(_) => ("rejected", "Error::Rejected"),
        Error::Io(..) => ("other", "Error::Io"),
    };
    let message = error.to_string();
    let texts = [("type", "error"), ("kind", kind), ("native", native), ("message", message.as_str())];
    texts.map(|(key, text)| (key, Value::from(text))).to_vec()
}
