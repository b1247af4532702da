//! Errors of this library. Each names its file or field. After an error of a write, the target file is unchanged.

use crate::json::parse_error::ParseError;
use std::path::{Path, PathBuf};
use std::{fmt, io};

#[derive(Debug)]
pub enum Error {
    /// The file does not exist.
    NotFound(PathBuf),
    /// The file does not contain JSON.
    InvalidJson(PathBuf, ParseError),
    /// An argument or a document is invalid.
    Rejected(Refusal),
    /// The file system reported an error.
    Io(PathBuf, io::Error),
}

/// The place of invalid data, and the problem.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A field or an argument, with the file or the object that contains it.
    pub place: String,
    pub problem: String,
}

impl Refusal {
    pub fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into() }
    }

    /// Returns the same refusal with an outer place before the field.
    pub fn inside(self, outer: &str) -> Self {
        Self { place: format!("{outer}{}", self.place), ..self }
    }
}

impl Error {
    pub fn io(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |error| Self::Io(path.to_owned(), error)
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Rejected(refusal)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound(path) => write!(formatter, "{}: the file does not exist", path.display()),
            Self::InvalidJson(path, ParseError { problem, line, column }) => {
                write!(formatter, "{}: not JSON: {problem} (line {line}, column {column})", path.display())
            }
            Self::Rejected(Refusal { place, problem }) => write!(formatter, "{place}: {problem}"),
            Self::Io(path, error) => write!(formatter, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Error {}
