//! Lossless JSON: numbers keep their digits, objects keep the order of their keys, and text keeps lone surrogates.

pub mod number;
pub mod parse;
pub mod parse_error;
mod quoted;
pub mod text;
pub mod value;
pub mod write;

pub use number::Number;
pub use text::Text;
pub use value::{Object, Value};
