//! Numbers with all their digits. A number is converted to a double only for a field that is a double.

/// A JSON number with all its digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(String);

impl Number {
    /// Makes a number from text; `None` if the text is not a number in the grammar of JSON.
    pub fn from_text(text: &str) -> Option<Self> {
        (length_at_start(text.as_bytes()) == Some(text.len())).then(|| Self(text.to_owned()))
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns the nearest double; `None` if that is infinity.
    pub fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok().filter(|double: &f64| double.is_finite())
    }

    /// Returns the number as an integer, also if it is written `3.0` or `3e0`; `None` if it is not a 64-bit integer.
    pub fn as_i64(&self) -> Option<i64> {
        let Decimal { negative, digits, exponent } = self.decimal()?;
        let zeros = usize::try_from(exponent).ok().filter(|&zeros| zeros < 20)?;
        format!("{}{digits}{}", if negative { "-" } else { "" }, "0".repeat(zeros)).parse().ok()
    }

    /// True if a program that reads JSON numbers as doubles would not change the number.
    pub fn is_double(&self) -> bool {
        let nearest = self.as_f64().map(Self::from);
        nearest.is_some_and(|nearest| self.decimal().is_some() && nearest.decimal() == self.decimal())
    }

    fn decimal(&self) -> Option<Decimal> {
        let (negative, unsigned) = match self.0.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, self.0.as_str()),
        };
        let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let written = format!("{whole}{fraction}");
        let digits = written.trim_end_matches('0');
        if digits.is_empty() {
            return Some(Decimal { negative, digits: "0".to_owned(), exponent: 0 });
        }
        let dropped = i64::try_from(written.len() - digits.len()).ok()?;
        let power = power.parse::<i64>().ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        let digits = digits.trim_start_matches('0').to_owned();
        Some(Decimal { negative, digits, exponent: power.checked_add(dropped)? })
    }
}

/// A normalized number: all spellings of one number have the same form.
#[derive(PartialEq)]
struct Decimal {
    negative: bool,
    /// Digits without leading or trailing zeros; zero is `0`.
    digits: String,
    exponent: i64,
}

/// Writes the shortest text that reads as this double. The double must be finite.
impl From<f64> for Number {
    fn from(double: f64) -> Self {
        Self(format!("{double:?}"))
    }
}

impl From<i64> for Number {
    fn from(integer: i64) -> Self {
        Self(integer.to_string())
    }
}

/// Returns the length of the number at the beginning, in bytes; `None` if there is no number.
pub(super) fn length_at_start(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = usize::from(bytes.first() == Some(&b'-'));
    let mut end = match bytes.get(whole)? {
        b'0' => whole + 1,
        b'1'..=b'9' => whole + digits(whole),
        _ => return None,
    };
    if bytes.get(end) == Some(&b'.') {
        end += 1 + Some(digits(end + 1)).filter(|&count| count > 0)?;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end += 1 + sign + Some(digits(end + 1 + sign)).filter(|&count| count > 0)?;
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        Number::from_text(text).expect(text)
    }

    #[test]
    fn refuses_what_the_grammar_of_json_does_not_allow() {
        for text in ["", "-", "01", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "1 "] {
            assert_eq!(Number::from_text(text), None, "{text:?}");
        }
    }

    #[test]
    fn finds_numbers_that_a_double_would_change() {
        for text in ["0", "-0", "0.1", "1e300", "1.50", "9007199254740992", "5e-324"] {
            assert!(number(text).is_double(), "{text}");
        }
        for text in ["9007199254740993", "0.1000000000000000055", "1e400", "1e-400", "1e99999999999999999999"] {
            assert!(!number(text).is_double(), "{text}");
        }
    }

    #[test]
    fn reads_an_integer_that_is_written_as_a_real() {
        assert_eq!(["3", "3.0", "30e-1", "-0.003e3"].map(|text| number(text).as_i64()), [3, 3, 3, -3].map(Some));
        assert_eq!(["0.5", "9223372036854775808", "1e30"].map(|text| number(text).as_i64()), [None; 3]);
    }
}
