//! Errors in JSON text.

/// The reason why a text is not JSON, and its place. Lines and columns count from 1, columns in bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct ParseError {
    pub problem: &'static str,
    pub line: usize,
    pub column: usize,
}

impl ParseError {
    /// Makes an error at the byte `at`.
    pub(super) fn at(bytes: &[u8], at: usize, problem: &'static str) -> Self {
        let before = &bytes[..at];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|&&byte| byte != b'\n').count();
        Self { problem, line, column }
    }
}
