//! Values of JSON.

use super::{Number, Text};

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Number(Number),
    Text(Text),
    Array(Vec<Value>),
    Object(Object),
}

impl Value {
    /// Names the type of the value, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(Text::from(text))
    }
}

/// Members in the order of the text, each key once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    members: Vec<(Text, Value)>,
}

impl Object {
    /// Makes an object from members. If a key occurs more than once, the last value counts.
    pub fn from_members(members: Vec<(Text, Value)>) -> Self {
        let mut places = std::collections::HashMap::with_capacity(members.len());
        let mut unique: Vec<(Text, Value)> = Vec::with_capacity(members.len());
        for (key, value) in members {
            if let Some(&place) = places.get(&key) {
                let earlier: &mut (Text, Value) = &mut unique[place];
                earlier.1 = value;
            } else {
                places.insert(key.clone(), unique.len());
                unique.push((key, value));
            }
        }
        Self { members: unique }
    }

    /// Makes an object from members whose keys are all different.
    pub fn of<const N: usize>(members: [(&str, Value); N]) -> Self {
        Self { members: members.into_iter().map(|(key, value)| (Text::from(key), value)).collect() }
    }

    /// Returns the value of a key; `None` if it is absent or null, which mean the same to this library.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let (_, value) = self.members.iter().find(|(name, _)| name == key)?;
        (value != &Value::Null).then_some(value)
    }

    pub fn members(&self) -> &[(Text, Value)] {
        &self.members
    }

    pub fn into_members(self) -> Vec<(Text, Value)> {
        self.members
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_value_of_a_key_at_its_first_position() {
        let object = Object::from_members(vec![
            (Text::from("a"), Value::Bool(false)),
            (Text::from("b"), Value::Null),
            (Text::from("a"), Value::Bool(true)),
        ]);
        assert_eq!(object.members().len(), 2);
        assert_eq!(object.get("a"), Some(&Value::Bool(true)));
        assert_eq!(object.get("b"), None);
    }
}
