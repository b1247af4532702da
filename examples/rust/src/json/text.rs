//! Text of JSON: UTF-16 units, which may contain lone surrogates. `String` cannot hold those.

use std::fmt;

/// Text in WTF-8: UTF-8 in which a lone surrogate is encoded in three bytes, like a character.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Text(Vec<u8>);

/// A part of a text.
pub enum Piece<'a> {
    Plain(&'a str),
    /// A surrogate that is not part of a pair.
    Lone(u16),
}

impl Text {
    /// Returns the text as `str`; `None` if it contains a lone surrogate.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    pub fn push_str(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Adds one UTF-16 unit. A low surrogate after a high one completes their character.
    pub fn push_unit(&mut self, unit: u16) {
        if let (0xDC00..=0xDFFF, Some(high)) = (unit, self.last_high_surrogate()) {
            self.0.truncate(self.0.len() - 3);
            let code = 0x10000 + ((u32::from(high) - 0xD800) << 10) + (u32::from(unit) - 0xDC00);
            self.push_str(char::from_u32(code).unwrap_or('\u{FFFD}').encode_utf8(&mut [0; 4]));
        } else if let Some(character) = char::from_u32(u32::from(unit)) {
            self.push_str(character.encode_utf8(&mut [0; 4]));
        } else {
            let [high, low] = [(unit >> 6) as u8 & 0x3F, unit as u8 & 0x3F];
            self.0.extend([0xED, 0x80 | high, 0x80 | low]);
        }
    }

    /// Returns the parts of the text, in order.
    pub fn pieces(&self) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        let mut rest = self.0.as_slice();
        while !rest.is_empty() {
            let plain = rest.utf8_length();
            if plain > 0 {
                pieces.push(Piece::Plain(std::str::from_utf8(&rest[..plain]).unwrap_or_default()));
            }
            rest = &rest[plain..];
            if let [_, high, low, after @ ..] = rest {
                pieces.push(Piece::Lone(surrogate(*high, *low)));
                rest = after;
            }
        }
        pieces
    }

    fn last_high_surrogate(&self) -> Option<u16> {
        match self.0.as_slice() {
            // In UTF-8, no character begins with ED followed by A0 or above.
            [.., 0xED, high @ 0xA0..=0xAF, low @ 0x80..=0xBF] => Some(surrogate(*high, *low)),
            _ => None,
        }
    }
}

fn surrogate(high: u8, low: u8) -> u16 {
    0xD000 | u16::from(high & 0x3F) << 6 | u16::from(low & 0x3F)
}

trait Utf8Length {
    /// Returns the number of bytes at the beginning that are UTF-8.
    fn utf8_length(&self) -> usize;
}

impl Utf8Length for [u8] {
    fn utf8_length(&self) -> usize {
        std::str::from_utf8(self).map_or_else(|error| error.valid_up_to(), str::len)
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

/// Shows the text in messages as in JSON: quoted, with escapes for characters that cannot be shown.
impl fmt::Debug for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = String::new();
        super::write::append_text(&mut shown, self);
        formatter.write_str(&shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_a_surrogate_pair_and_keeps_a_lone_surrogate() {
        let mut text = Text::default();
        text.push_unit(0xD83D);
        assert_eq!(text.as_str(), None);
        text.push_unit(0xDE00);
        assert_eq!(text.as_str(), Some("😀"));
        text.push_unit(0xDE00);
        text.push_str("!");
        assert_eq!(format!("{text:?}"), "\"😀\\ude00!\"");
    }
}
