//! One pattern record.

use crate::error::Refusal;
use crate::json::{Number, Object, Text, Value};
use crate::pattern_fields as fields;

/// One pattern record. Timestamps are text, so that the digits of a fraction are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    pub id: Text,
    pub agent_id: Text,
    pub pattern_type: Text,
    pub name: Text,
    pub description: Option<Text>,
    pub context: Option<Object>,
    pub code: Option<Text>,
    pub confidence: f64,
    pub usage_count: i64,
    pub success_count: i64,
    pub failure_count: i64,
    pub tags: Option<Vec<Text>>,
    pub discovered_at: Option<Text>,
    pub last_used: Option<Text>,
}

impl Pattern {
    /// Makes a pattern from the four required fields.
    pub fn new(id: &str, agent_id: &str, pattern_type: &str, name: &str) -> Self {
        let [id, agent_id, pattern_type, name] = [id, agent_id, pattern_type, name].map(Text::from);
        Self {
            id,
            agent_id,
            pattern_type,
            name,
            description: None,
            context: None,
            code: None,
            confidence: 0.5,
            usage_count: 0,
            success_count: 0,
            failure_count: 0,
            tags: None,
            discovered_at: None,
            last_used: None,
        }
    }

    /// Makes a pattern from an object. Null means the same as absence; other keys are ignored.
    pub fn from_object(object: &Object) -> Result<Self, Refusal> {
        let required = |key| object.get(key).ok_or_else(|| Refusal::new(key, "it is required and missing"));
        let count = |key| fields::optional(object, key, fields::integer).map(|count| count.unwrap_or(0));
        Ok(Self {
            id: fields::identifier("id", required("id")?)?,
            agent_id: fields::identifier("agent_id", required("agent_id")?)?,
            pattern_type: fields::text("pattern_type", required("pattern_type")?)?,
            name: fields::text("name", required("name")?)?,
            description: fields::optional(object, "description", fields::text)?,
            context: fields::optional(object, "context", fields::object)?,
            code: fields::optional(object, "code", fields::text)?,
            confidence: fields::optional(object, "confidence", fields::real)?.unwrap_or(0.5),
            usage_count: count("usage_count")?,
            success_count: count("success_count")?,
            failure_count: count("failure_count")?,
            tags: fields::optional(object, "tags", fields::texts)?,
            discovered_at: fields::optional(object, "discovered_at", fields::timestamp)?,
            last_used: fields::optional(object, "last_used", fields::timestamp)?,
        })
    }

    /// Returns an object with all fourteen keys, in the order of the specification.
    pub fn to_object(&self) -> Object {
        let text = |text: &Text| Value::Text(text.clone());
        let optional = |value: &Option<Text>| value.as_ref().map_or(Value::Null, text);
        let tags = self.tags.as_ref().map(|tags| Value::Array(tags.iter().map(text).collect()));
        Object::of([
            ("id", text(&self.id)),
            ("agent_id", text(&self.agent_id)),
            ("pattern_type", text(&self.pattern_type)),
            ("name", text(&self.name)),
            ("description", optional(&self.description)),
            ("context", self.context.clone().map_or(Value::Null, Value::Object)),
            ("code", optional(&self.code)),
            ("confidence", Value::Number(Number::from(self.confidence))),
            ("usage_count", Value::Number(Number::from(self.usage_count))),
            ("success_count", Value::Number(Number::from(self.success_count))),
            ("failure_count", Value::Number(Number::from(self.failure_count))),
            ("tags", tags.unwrap_or(Value::Null)),
            ("discovered_at", optional(&self.discovered_at)),
            ("last_used", optional(&self.last_used)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn survives_the_conversion_to_an_object() {
        let pattern = Pattern { tags: Some(vec![]), confidence: -0.0, ..Pattern::new("p", "a", "t", "n") };
        assert_eq!(Pattern::from_object(&pattern.to_object()), Ok(pattern));
    }

    #[test]
    fn names_a_missing_field() {
        let refusal = Pattern::from_object(&Object::of([("id", Value::from("p"))])).unwrap_err();
        assert_eq!(refusal.place, "agent_id");
    }
}
