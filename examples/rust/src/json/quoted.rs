//! Text in quotation marks, with its escapes.

use super::Text;

/// Reads the text at the beginning of `rest`. Returns it, the number of bytes read, and the error after them, if any.
pub(super) fn quoted(rest: &str) -> (Text, usize, Option<&'static str>) {
    let mut text = Text::default();
    let mut at = 1;
    let problem = loop {
        let plain = rest[at..].find(|character| matches!(character, '"' | '\\' | '\0'..='\x1F'));
        let Some(plain) = plain else { break Some("missing closing quotation mark") };
        text.push_str(&rest[at..at + plain]);
        at += plain;
        match rest.as_bytes()[at] {
            b'"' => {
                at += 1;
                break None;
            }
            b'\\' => match escape(&rest.as_bytes()[at + 1..], &mut text) {
                Ok(length) => at += 1 + length,
                Err(problem) => break Some(problem),
            },
            _ => break Some("a control character inside quotation marks"),
        }
    };
    (text, at, problem)
}

/// Adds the character of an escape to `text`; returns the number of bytes after the backslash.
fn escape(rest: &[u8], text: &mut Text) -> Result<usize, &'static str> {
    let plain = match rest.first() {
        Some(b'u') => {
            let digits = rest.get(1..5).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
            let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
            let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
            text.push_unit(unit.ok_or("expected four hexadecimal digits after \\u")?);
            return Ok(5);
        }
        Some(b'n') => "\n",
        Some(b'r') => "\r",
        Some(b't') => "\t",
        Some(b'b') => "\u{8}",
        Some(b'f') => "\u{C}",
        Some(b'"') => "\"",
        Some(b'\\') => "\\",
        Some(b'/') => "/",
        _ => return Err("unknown escape"),
    };
    text.push_str(plain);
    Ok(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_escapes() {
        let (text, length, problem) = quoted(r#""\u0041\n\/\ud83d\ude00é" rest"#);
        assert_eq!((text.as_str(), length, problem), (Some("A\n/😀é"), 26, None));
    }

    #[test]
    fn reports_an_error_with_the_number_of_bytes_before_it() {
        for (rest, at) in [("\"ab", 1), ("\"ab\\x\"", 3), ("\"\t\"", 1), ("\"\\u00g0\"", 1)] {
            let (_, length, problem) = quoted(rest);
            assert!(problem.is_some() && length == at, "{rest:?}: {length} {problem:?}");
        }
    }
}
