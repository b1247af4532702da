//! The pattern library file.

use crate::error::{Error, Refusal};
use crate::json::{parse, write, Number, Object, Text, Value};
use crate::pattern::Pattern;
use crate::pattern_fields as fields;
use crate::pattern_library::{Contributions, PatternLibrary};
use crate::{atomic_file, timestamp};
use std::io::ErrorKind;
use std::path::Path;

const FORMAT_VERSION: &str = "1.0";

/// Checks the library, writes the file atomically, and replaces an older file.
pub fn save(library: &PatternLibrary, path: &Path) -> Result<(), Error> {
    library.check()?;
    let mut text = write::indented(&document(library));
    text.push('\n');
    atomic_file::replace(path, text.as_bytes())
}

fn document(library: &PatternLibrary) -> Value {
    let patterns = library.patterns();
    let count = i64::try_from(patterns.len()).unwrap_or(i64::MAX);
    Value::Object(Object::of([
        ("patterns", Value::Array(patterns.iter().map(|pattern| Value::Object(pattern.to_object())).collect())),
        ("agent_contributions", Value::Object(contributions_object(&library.contributions))),
        (
            "metadata",
            Value::Object(Object::of([
                ("saved_at", Value::from(timestamp::now().as_str())),
                ("pattern_count", Value::Number(Number::from(count))),
                ("version", Value::from(FORMAT_VERSION)),
            ])),
        ),
    ]))
}

pub fn contributions_object(contributions: &Contributions) -> Object {
    let ids = |ids: &[Text]| Value::Array(ids.iter().cloned().map(Value::Text).collect());
    Object::from_members(contributions.iter().map(|(agent, all)| (agent.clone(), ids(all))).collect())
}

/// Reads a file that this program or another one wrote.
pub fn load(path: &Path) -> Result<PatternLibrary, Error> {
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::NotFound(path.to_owned()),
        _ => Error::io(path)(error),
    })?;
    let document = parse::parse(&bytes).map_err(|error| Error::InvalidJson(path.to_owned(), error))?;
    library_of(&document).map_err(|refusal| refusal.inside(&format!("{}: ", path.display())).into())
}

fn library_of(document: &Value) -> Result<PatternLibrary, Refusal> {
    let document = fields::object("document", document)?;
    if let Some(metadata) = document.get("metadata") {
        check_version(&fields::object("/metadata", metadata)?)?;
    }
    let contributions = document.get("agent_contributions").map(contributions_of).transpose()?;
    let Some(Value::Array(items)) = document.get("patterns") else {
        return Err(Refusal::new("/patterns", "expected an array of patterns"));
    };
    let mut library = PatternLibrary::default();
    for (index, item) in items.iter().enumerate() {
        let place = format!("/patterns/{index}");
        let object = fields::object(&place, item)?;
        let pattern = Pattern::from_object(&object).map_err(|refusal| refusal.inside(&format!("{place}/")))?;
        if pattern.id.as_str().is_some_and(|id| library.get(id).is_some()) {
            return Err(Refusal::new(
                format!("{place}/id"),
                format!("an earlier pattern has the same id {:?}", pattern.id),
            ));
        }
        if contributions.is_none() {
            library.contribute(pattern);
        } else {
            library.put(pattern);
        }
    }
    library.contributions = contributions.unwrap_or(library.contributions);
    Ok(library)
}

/// Accepts every version 1.x. A file without a version counts as 1.0.
fn check_version(metadata: &Object) -> Result<(), Refusal> {
    let Some(value) = metadata.get("version") else { return Ok(()) };
    let version = fields::text("/metadata/version", value)?;
    let minor = version.as_str().and_then(|version| version.strip_prefix("1."));
    if minor.is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|byte| byte.is_ascii_digit())) {
        return Ok(());
    }
    Err(Refusal::new("/metadata/version", format!("the format version is {version:?}; this program reads 1.x")))
}

/// Reads the contributions of a file.
pub fn contributions_of(value: &Value) -> Result<Contributions, Refusal> {
    let agents = fields::object("/agent_contributions", value)?;
    let all = agents.members().iter().map(|(agent, ids)| {
        let place = format!("/agent_contributions/{agent:?}");
        fields::identifier(&place, &Value::Text(agent.clone()))?;
        let Value::Array(items) = ids else { return Err(fields::unfit(&place, "an array of ids", ids)) };
        let ids = items.iter().map(|id| fields::identifier(&place, id)).collect::<Result<_, _>>()?;
        Ok((agent.clone(), ids))
    });
    all.collect()
}
