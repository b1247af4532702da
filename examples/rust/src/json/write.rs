//! Values as JSON text.

use super::text::Piece;
use super::{Text, Value};
use std::fmt::Write;

/// Returns indented text, with two spaces for each level.
pub fn indented(value: &Value) -> String {
    let mut out = String::new();
    append(&mut out, value, Some(0));
    out
}

/// Returns text in one line.
pub fn compact(value: &Value) -> String {
    let mut out = String::new();
    append(&mut out, value, None);
    out
}

fn append(out: &mut String, value: &Value, depth: Option<usize>) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(number.text()),
        Value::Text(text) => append_text(out, text),
        Value::Array(items) => append_all(out, ['[', ']'], items, depth, append),
        Value::Object(object) => append_all(out, ['{', '}'], object.members(), depth, |out, (key, value), depth| {
            append_text(out, key);
            out.push_str(if depth.is_some() { ": " } else { ":" });
            append(out, value, depth);
        }),
    }
}

fn append_all<Item>(
    out: &mut String,
    [open, close]: [char; 2],
    items: &[Item],
    depth: Option<usize>,
    append_one: impl Fn(&mut String, &Item, Option<usize>),
) {
    let deeper = depth.map(|depth| depth + 1);
    out.push(open);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        new_line(out, deeper);
        append_one(out, item, deeper);
    }
    if !items.is_empty() {
        new_line(out, depth);
    }
    out.push(close);
}

fn new_line(out: &mut String, depth: Option<usize>) {
    if let Some(depth) = depth {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    }
}

/// Appends text in quotation marks. A lone surrogate becomes an escape, because UTF-8 cannot encode it.
pub(super) fn append_text(out: &mut String, text: &Text) {
    out.push('"');
    for piece in text.pieces() {
        match piece {
            Piece::Plain(plain) => plain.chars().for_each(|character| append_character(out, character)),
            Piece::Lone(unit) => append_escape(out, unit),
        }
    }
    out.push('"');
}

fn append_character(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{0}'..='\u{1F}' | '\u{7F}' => append_escape(out, character as u16),
        _ => out.push(character),
    }
}

fn append_escape(out: &mut String, unit: u16) {
    // Writing to a String cannot fail.
    let _ = write!(out, "\\u{unit:04x}");
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    #[test]
    fn keeps_the_digits_of_numbers_and_the_order_of_keys() {
        let text = r#"{"b":[1.50,-0,1e400,12345678901234567890],"a":{"":"\u0001\"\\\ud800é"},"c":[],"d":{}}"#;
        assert_eq!(compact(&parse(text.as_bytes()).unwrap()), text);
        assert_eq!(indented(&parse(b"{\"a\":[1,{}]}").unwrap()), "{\n  \"a\": [\n    1,\n    {}\n  ]\n}");
    }
}
