//! The adapter: requests of the suite, and what this library answers.

use crate::introduction::introduction;
use crate::wire::{from_wire, to_wire};
use agent_persistence::error::{Error, Refusal};
use agent_persistence::json::{parse::parse, write::compact, Object, Text, Value};
use agent_persistence::library_file::{self, contributions_object};
use agent_persistence::pattern_library::PatternLibrary;
use agent_persistence::{pattern::Pattern, pattern_fields as fields};
use std::collections::HashMap;
use std::path::PathBuf;

pub struct Adapter {
    spec_version: &'static str,
    kept: HashMap<Text, PatternLibrary>,
}

/// What a call comes to, when it is no error of the library.
enum Outcome {
    Value(Value),
    Library(PatternLibrary),
    /// A library that is kept, but is not what the operation gives back.
    Silent(PatternLibrary),
    Unsupported(String),
}

impl Adapter {
    pub fn of_line(line: &str) -> Option<Self> {
        let spec_version = match line {
            "15" => "15.0.0",
            "16" => "16.0.0",
            _ => return None,
        };
        Some(Self { spec_version, kept: HashMap::new() })
    }

    /// The answer to one line, and whether more lines are to come. A line that is no request ends the adapter.
    pub fn answer(&mut self, line: &[u8]) -> Result<(String, bool), String> {
        let Ok(Value::Object(request)) = parse(line) else { return Err("a line that is no JSON object".to_owned()) };
        let name =
            |key| request.get(key).and_then(|value| if let Value::Text(text) = value { Some(text) } else { None });
        let kind = name("type").and_then(Text::as_str).ok_or("a request without a type")?;
        let mut answer = match kind {
            "hello" => introduction(self.spec_version),
            "call" => {
                let op = name("op").and_then(Text::as_str).ok_or("a call without an operation")?;
                let outcome = self.call(op, request.get("args"), name("handle"));
                self.answer_to_call(outcome, name("keep"))
            }
            _ => {
                self.kept.clear();
                vec![("type", Value::from("ok"))]
            }
        };
        answer.push(("seq", request.get("seq").cloned().ok_or("a request without a number")?));
        let members = answer.into_iter().map(|(key, value)| (Text::from(key), value)).collect();
        Ok((compact(&Value::Object(Object::from_members(members))), kind != "bye"))
    }

    fn call(&self, op: &str, args: Option<&Value>, handle: Option<&Text>) -> Result<Outcome, Error> {
        let args = fields::object("arguments", &from_wire(args.cloned().unwrap_or(Value::Null))?)?;
        match op {
            "PatternLibrary" => library_of(&args).map(Outcome::Silent),
            "load_from_json" => library_file::load(&filepath(&args)?).map(Outcome::Library),
            "save_to_json" => {
                let library = handle.and_then(|handle| self.kept.get(handle));
                let library = library.ok_or_else(|| Refusal::new("library", "there is none of this name"))?;
                library_file::save(library, &filepath(&args)?).map(|()| Outcome::Value(Value::Null))
            }
            _ => Ok(Outcome::Unsupported(format!("there is no {op} here"))),
        }
    }

    fn answer_to_call(&mut self, outcome: Result<Outcome, Error>, keep: Option<&Text>) -> Vec<(&'static str, Value)> {
        let (value, library) = match outcome {
            Err(error) => return error_answer(&error),
            Ok(Outcome::Unsupported(reason)) => {
                return vec![("type", Value::from("unsupported")), ("reason", Value::from(reason.as_str()))];
            }
            Ok(Outcome::Value(value)) => (value, None),
            Ok(Outcome::Silent(library)) => (Value::Null, Some(library)),
            Ok(Outcome::Library(library)) => (to_wire(library_value(&library)), Some(library)),
        };
        if let (Some(name), Some(library)) = (keep, library) {
            self.kept.insert(name.clone(), library);
        }
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

fn filepath(args: &Object) -> Result<PathBuf, Refusal> {
    let path = args.get("filepath").ok_or_else(|| Refusal::new("filepath", "it is required and missing"))?;
    // What no id may hold, no path may hold.
    let path = fields::identifier("filepath", path)?;
    Ok(PathBuf::from(path.as_str().unwrap_or_default()))
}

/// A library of what the suite gives: each pattern is its owner's contribution, unless the data says who contributed what.
fn library_of(args: &Object) -> Result<PatternLibrary, Error> {
    let mut library = PatternLibrary::default();
    if let Some(Value::Array(items)) = args.get("patterns") {
        for item in items {
            library.contribute(Pattern::from_object(&fields::object("pattern", item)?)?);
        }
    }
    if let Some(given) = args.get("agent_contributions") {
        library.contributions = fields::object("agent_contributions", given)?
            .members()
            .iter()
            .map(|(agent, ids)| Ok((agent.clone(), fields::texts("agent_contributions", ids)?)))
            .collect::<Result<_, Refusal>>()?;
    }
    Ok(library)
}

fn library_value(library: &PatternLibrary) -> Value {
    let patterns = library.patterns().iter().map(|pattern| Value::Object(pattern.to_object())).collect();
    let contributions = contributions_object(&library.contributions);
    Value::Object(Object::of([
        ("patterns", Value::Array(patterns)),
        ("agent_contributions", Value::Object(contributions)),
    ]))
}
