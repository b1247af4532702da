//! Collaboration state of the pre-16 line: one JSON file for each user.

use crate::error::{Error, Refusal};
use crate::json::{parse, write, Object, Text, Value};
use crate::{atomic_file, pattern_fields as fields, state_name};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const COUNTS: [&str; 5] = ["current_level", "target_level", "interaction_count", "success_count", "failure_count"];
const TIMES: [&str; 2] = ["last_interaction", "created_at"];

/// Fields with the keys that older programs used for them.
const OLDER_KEYS: [(&str, &str); 5] = [
    ("interaction_count", "total_interactions"),
    ("success_count", "successful_interventions"),
    ("failure_count", "failed_interventions"),
    ("last_interaction", "saved_at"),
    ("created_at", "session_start"),
];

/// Stores states in a folder, which is created at the first save.
pub struct StateManager {
    folder: PathBuf,
}

impl StateManager {
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Saves a state and replaces the user's earlier one. Unknown keys are kept.
    pub fn save(&self, user_id: &Text, state: &Object) -> Result<(), Error> {
        let path = self.path(user_id)?;
        check(state)?;
        if state.get("user_id") != Some(&Value::Text(user_id.clone())) {
            return Err(Refusal::new("state/user_id", format!("expected {user_id:?}, as in the argument")).into());
        }
        fs::create_dir_all(&self.folder).map_err(Error::io(&self.folder))?;
        atomic_file::replace(&path, (write::indented(&Value::Object(state.clone())) + "\n").as_bytes())
    }

    /// Returns the state of a user; `None` for an unknown user. An invalid file is an error, and is not changed.
    pub fn load(&self, user_id: &Text) -> Result<Option<Object>, Error> {
        let path = self.path(user_id)?;
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(Error::io(&path))?,
        };
        let refuse = |refusal: Refusal| refusal.inside(&format!("{}: ", path.display()));
        let value = parse::parse(&bytes).map_err(|fault| {
            refuse(Refusal::new("state", format!("not JSON: {} (line {})", fault.problem, fault.line)))
        })?;
        let state = with_described_keys(fields::object("state", &value).map_err(refuse)?);
        check(&state).map_err(refuse)?;
        Ok(Some(state))
    }

    /// Returns all users with a saved state, sorted. Files that are not states are left out.
    pub fn users(&self) -> Result<Vec<String>, Error> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(Error::io(&self.folder))?,
        };
        let mut users = Vec::new();
        for entry in entries {
            let name = entry.map_err(Error::io(&self.folder))?.file_name();
            users.extend(name.to_str().and_then(|name| name.strip_suffix(".json")).and_then(state_name::decode));
        }
        users.sort();
        Ok(users)
    }

    /// Deletes a state; false if the user has none.
    pub fn delete(&self, user_id: &Text) -> Result<bool, Error> {
        let path = self.path(user_id)?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            removed => removed.map(|()| true).map_err(Error::io(&path)),
        }
    }

    fn path(&self, user_id: &Text) -> Result<PathBuf, Refusal> {
        fields::identifier("user_id", &Value::Text(user_id.clone()))?;
        let name = user_id.as_str().and_then(state_name::encode);
        let name = name.ok_or_else(|| Refusal::new("user_id", "it is too long for a file name"))?;
        Ok(self.folder.join(name + ".json"))
    }
}

/// Fills absent fields from valid values under the keys of older programs. Those keys are kept.
fn with_described_keys(state: Object) -> Object {
    let is_there = |field: &str| state.members().iter().any(|(name, _)| name == field);
    let absent = OLDER_KEYS.iter().filter(|(field, _)| !is_there(field));
    let found: Vec<_> = absent
        .filter_map(|(field, key)| Some((*field, state.get(key)?.clone())))
        .filter(|(field, value)| check_field(field, value).is_ok())
        .map(|(field, value)| (Text::from(field), value))
        .collect();
    Object::from_members(state.into_members().into_iter().chain(found).collect())
}

/// Checks a state. A user and a trust level are required; the other fields must have the right type.
fn check(state: &Object) -> Result<(), Refusal> {
    let required =
        |key| state.get(key).ok_or_else(|| Refusal::new(format!("state/{key}"), "it is required and missing"));
    fields::identifier("state/user_id", required("user_id")?)?;
    let trust = fields::real("state/trust_level", required("trust_level")?)?;
    if !(0.0..=1.0).contains(&trust) {
        return Err(Refusal::new("state/trust_level", format!("expected a number from 0 to 1, got {trust}")));
    }
    state.members().iter().try_for_each(|(key, value)| key.as_str().map_or(Ok(()), |key| check_field(key, value)))
}

/// Checks one field: a count is an integer, and a time is text or null. Other keys may have any value.
fn check_field(key: &str, value: &Value) -> Result<(), Refusal> {
    let place = format!("state/{key}");
    match value {
        Value::Null if TIMES.contains(&key) => Ok(()),
        _ if TIMES.contains(&key) => fields::text(&place, value).map(drop),
        _ if COUNTS.contains(&key) => fields::integer(&place, value).map(drop),
        _ => Ok(()),
    }
}
