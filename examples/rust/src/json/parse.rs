//! Reads JSON text (RFC 8259), and reports the place of an error.

use super::number::length_at_start;
use super::parse_error::ParseError;
use super::quoted::quoted;
use super::{Number, Object, Text, Value};

/// Deepest nesting. Each level needs space on the stack. Parsers of other languages stop at about 1,000 levels.
const DEEPEST: usize = 2_000;

/// Returns the value of a JSON text in UTF-8; a byte order mark is skipped.
pub fn parse(bytes: &[u8]) -> Result<Value, ParseError> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| ParseError::at(bytes, error.valid_up_to(), "not UTF-8"))?;
    let mut parser = Parser { text, at: 0 };
    let whole = parser.value(0).and_then(|value| {
        parser.skip_blanks();
        if parser.at < text.len() {
            Err("unexpected text after the end of the value")
        } else {
            Ok(value)
        }
    });
    whole.map_err(|problem| ParseError::at(bytes, parser.at, problem))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

type Parsed<T> = Result<T, &'static str>;

impl Parser<'_> {
    fn value(&mut self, depth: usize) -> Parsed<Value> {
        self.skip_blanks();
        match self.peek() {
            Some(b'{') => self.nested(depth, Self::object),
            Some(b'[') => self.nested(depth, Self::array),
            Some(b'"') => self.text().map(Value::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => self.word(),
            None => Err("expected a value, but the text ends here"),
        }
    }

    fn nested(&mut self, depth: usize, inner: fn(&mut Self, usize) -> Parsed<Value>) -> Parsed<Value> {
        if depth == DEEPEST {
            return Err("nested more than 2,000 levels deep");
        }
        self.at += 1;
        inner(self, depth + 1)
    }

    fn object(&mut self, depth: usize) -> Parsed<Value> {
        let mut members = Vec::new();
        self.list(b'}', "expected a comma or the end of the object", |parser| {
            if parser.peek() != Some(b'"') {
                return Err("expected a key in quotation marks");
            }
            let key = parser.text()?;
            parser.skip_blanks();
            parser.expect(b':', "expected a colon after the key")?;
            members.push((key, parser.value(depth)?));
            Ok(())
        })?;
        Ok(Value::Object(Object::from_members(members)))
    }

    fn array(&mut self, depth: usize) -> Parsed<Value> {
        let mut items = Vec::new();
        self.list(b']', "expected a comma or the end of the array", |parser| {
            items.push(parser.value(depth)?);
            Ok(())
        })?;
        Ok(Value::Array(items))
    }

    /// Reads items that are separated by commas, up to `end`. A comma after the last item is an error.
    fn list(&mut self, end: u8, wanted: &'static str, mut one: impl FnMut(&mut Self) -> Parsed<()>) -> Parsed<()> {
        self.skip_blanks();
        if self.peek() == Some(end) {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.skip_blanks();
            one(self)?;
            self.skip_blanks();
            if self.peek() != Some(b',') {
                return self.expect(end, wanted);
            }
            self.at += 1;
        }
    }

    fn text(&mut self) -> Parsed<Text> {
        let (text, length, problem) = quoted(&self.text[self.at..]);
        self.at += length;
        problem.map_or(Ok(text), Err)
    }

    fn number(&mut self) -> Parsed<Value> {
        let rest = &self.text[self.at..];
        let length = length_at_start(rest.as_bytes()).ok_or("not a valid number")?;
        self.at += length;
        Number::from_text(&rest[..length]).map(Value::Number).ok_or("not a valid number")
    }

    fn word(&mut self) -> Parsed<Value> {
        let words = [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))];
        let found = words.into_iter().find(|(word, _)| self.text[self.at..].starts_with(word));
        let (word, value) = found.ok_or("expected a value")?;
        self.at += word.len();
        Ok(value)
    }

    fn expect(&mut self, byte: u8, problem: &'static str) -> Parsed<()> {
        if self.peek() != Some(byte) {
            return Err(problem);
        }
        self.at += 1;
        Ok(())
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_text_that_is_not_json_and_reports_the_place() {
        for text in ["", "nul", "[1,]", "{\"a\"}", "{a:1}", "[1 2]", "\"\n\"", "\"\\x\"", "\"\\u12g4\"", "1 1", "NaN"] {
            assert!(parse(text.as_bytes()).is_err(), "{text:?}");
        }
        let fault = parse(b"{\n  \"a\": 01\n}").unwrap_err();
        assert_eq!((fault.line, fault.column), (2, 9));
        assert_eq!(parse(b"\"\xFF\"").unwrap_err().problem, "not UTF-8");
    }

    #[test]
    fn refuses_deep_nesting_before_the_stack_overflows() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(parse(deep(DEEPEST).as_bytes()).is_ok());
        assert!(parse(deep(DEEPEST + 1).as_bytes()).is_err());
        assert!(parse("[".repeat(1_000_000).as_bytes()).is_err());
    }
}
