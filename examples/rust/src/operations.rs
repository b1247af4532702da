//! The operations of the protocol, as calls to this library.

use crate::wire::to_wire;
use agent_persistence::error::{Error, Refusal};
use agent_persistence::json::{Object, Value};
use agent_persistence::library_file::{self, contributions_object};
use agent_persistence::pattern_library::PatternLibrary;
use agent_persistence::state_manager::StateManager;
use agent_persistence::{pattern::Pattern, pattern_fields as fields};
use std::path::PathBuf;

/// An object that the suite keeps under a handle.
pub enum Kept {
    Library(PatternLibrary),
    States(StateManager),
}

/// The result of a call that did not fail.
pub enum Outcome {
    Value(Value),
    /// A value, and an object that the suite may keep.
    Object(Value, Kept),
    Unsupported,
}

/// Executes an operation on the object of its handle. Only the pre-16 line `has_states`.
pub fn call(op: &str, args: &Object, subject: Option<&Kept>, has_states: bool) -> Result<Outcome, Error> {
    match (op, subject) {
        ("PatternLibrary", _) => Ok(Outcome::Object(Value::Null, Kept::Library(library_of(args)?))),
        ("load_from_json", _) => {
            let library = library_file::load(&path(args, "filepath")?)?;
            Ok(Outcome::Object(to_wire(library_value(&library)), Kept::Library(library)))
        }
        ("save_to_json", Some(Kept::Library(library))) => {
            library_file::save(library, &path(args, "filepath")?).map(|()| Outcome::Value(Value::Null))
        }
        ("StateManager", _) if has_states => {
            let folder =
                if args.get("state_dir").is_some() { path(args, "state_dir")? } else { PathBuf::from("state") };
            Ok(Outcome::Object(Value::Null, Kept::States(StateManager::new(&folder))))
        }
        (_, Some(Kept::States(states))) => call_on_states(op, args, states),
        _ => Ok(Outcome::Unsupported),
    }
}

fn call_on_states(op: &str, args: &Object, states: &StateManager) -> Result<Outcome, Error> {
    let user_id = || fields::text("user_id", required(args, "user_id")?);
    Ok(Outcome::Value(match op {
        "save_state" => {
            states.save(&user_id()?, &fields::object("state", required(args, "state")?)?)?;
            Value::Null
        }
        "load_state" => states.load(&user_id()?)?.map_or(Value::Null, |state| to_wire(Value::Object(state))),
        "list_users" => Value::Array(states.users()?.iter().map(|user| Value::from(user.as_str())).collect()),
        "delete_state" => Value::Bool(states.delete(&user_id()?)?),
        _ => return Ok(Outcome::Unsupported),
    }))
}

fn required<'a>(args: &'a Object, name: &str) -> Result<&'a Value, Refusal> {
    args.get(name).ok_or_else(|| Refusal::new(name, "it is required and missing"))
}

fn path(args: &Object, name: &str) -> Result<PathBuf, Refusal> {
    // The rules of an id (not empty, no NUL) hold for a path, too.
    let path = fields::identifier(name, required(args, name)?)?;
    Ok(PathBuf::from(path.as_str().unwrap_or_default()))
}

/// Makes a library from the arguments. Without `agent_contributions`, each pattern is a contribution of its owner.
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
