//! The library of patterns.

use crate::error::Refusal;
use crate::json::Text;
use crate::pattern::Pattern;
use crate::pattern_fields::is_identifier;
use std::collections::HashMap;

/// Agents, each with the ids of the patterns that it contributed.
pub type Contributions = Vec<(Text, Vec<Text>)>;

/// Patterns in the order in which they were added, each id once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PatternLibrary {
    patterns: Vec<Pattern>,
    places: HashMap<Text, usize>,
    pub contributions: Contributions,
}

impl PatternLibrary {
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    pub fn get(&self, id: &str) -> Option<&Pattern> {
        self.places.get(&Text::from(id)).map(|&place| &self.patterns[place])
    }

    /// Adds a pattern as a contribution of its owner, or replaces the one with the same id.
    pub fn contribute(&mut self, pattern: Pattern) {
        let (agent, id) = (pattern.agent_id.clone(), pattern.id.clone());
        self.put(pattern);
        let place = self.contributions.iter().position(|(name, _)| name == &agent).unwrap_or_else(|| {
            self.contributions.push((agent, Vec::new()));
            self.contributions.len() - 1
        });
        let ids = &mut self.contributions[place].1;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }

    /// Adds or replaces a pattern without recording a contribution; true if the id was new.
    pub fn put(&mut self, pattern: Pattern) -> bool {
        if let Some(&place) = self.places.get(&pattern.id) {
            self.patterns[place] = pattern;
            return false;
        }
        self.places.insert(pattern.id.clone(), self.patterns.len());
        self.patterns.push(pattern);
        true
    }

    /// Checks the library before it is saved, because its public fields may contain invalid values.
    pub fn check(&self) -> Result<(), Refusal> {
        for pattern in &self.patterns {
            Pattern::from_object(&pattern.to_object())
                .map_err(|refusal| refusal.inside(&format!("pattern {:?}, ", pattern.id)))?;
            if !pattern.confidence.is_finite() {
                let place = format!("pattern {:?}, confidence", pattern.id);
                return Err(Refusal::new(place, format!("expected a finite number, got {}", pattern.confidence)));
            }
        }
        for (agent, ids) in &self.contributions {
            if let Some(unfit) = std::iter::once(agent).chain(ids).find(|id| !is_identifier(id)) {
                return Err(Refusal::new("agent_contributions", format!("{unfit:?} is not a valid id")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_a_known_id_at_its_position() {
        let mut library = PatternLibrary::default();
        for name in ["first", "second"] {
            library.contribute(Pattern::new("a", "agent", "t", name));
            library.contribute(Pattern::new("b", "agent", "t", name));
        }
        assert_eq!(
            library.patterns().iter().map(|pattern| &pattern.id).collect::<Vec<_>>(),
            [&Text::from("a"), &Text::from("b")]
        );
        assert_eq!(library.get("a").unwrap().name, Text::from("second"));
        assert_eq!(library.contributions, [(Text::from("agent"), vec![Text::from("a"), Text::from("b")])]);
    }

    #[test]
    fn refuses_a_number_that_json_does_not_have() {
        let mut library = PatternLibrary::default();
        library.contribute(Pattern { confidence: f64::NAN, ..Pattern::new("a", "agent", "t", "n") });
        assert_eq!(library.check().unwrap_err().place, "pattern \"a\", confidence");
    }
}
