//! The library that holds patterns.

use crate::error::Refusal;
use crate::json::Text;
use crate::pattern::Pattern;
use crate::pattern_fields::is_identifier;
use std::collections::HashMap;

/// Which patterns an agent contributed.
pub type Contributions = Vec<(Text, Vec<Text>)>;

/// Patterns in the order in which they came, each id once.
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

    /// Adds a pattern as its owner's contribution, or puts it in the place of the one with the same id.
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

    /// The same without noting a contribution; gives whether the id was new.
    pub fn put(&mut self, pattern: Pattern) -> bool {
        if let Some(&place) = self.places.get(&pattern.id) {
            self.patterns[place] = pattern;
            return false;
        }
        self.places.insert(pattern.id.clone(), self.patterns.len());
        self.patterns.push(pattern);
        true
    }

    /// What must hold before a library is saved: its fields are public, so that anything may stand in them.
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
                return Err(Refusal::new("agent_contributions", format!("{unfit:?} is no id")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_id_is_replaced_in_its_place() {
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
    fn what_json_cannot_hold_is_found_before_saving() {
        let mut library = PatternLibrary::default();
        library.contribute(Pattern { confidence: f64::NAN, ..Pattern::new("a", "agent", "t", "n") });
        assert_eq!(library.check().unwrap_err().place, "pattern \"a\", confidence");
    }
}
