//! Every error of this library says which file or field it is about; whatever was to be written is then unchanged.

use crate::json::parse_error::ParseError;
use std::path::{Path, PathBuf};
use std::{fmt, io};

#[derive(Debug)]
pub enum Error {
    /// There is no such file: nothing was saved yet.
    NotFound(PathBuf),
    /// The file holds no JSON.
    InvalidJson(PathBuf, ParseError),
    /// It is JSON or an argument, but breaks a rule.
    Rejected(Refusal),
    /// The file system refused.
    Io(PathBuf, io::Error),
}

/// Where data breaks a rule, and which.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    /// A field or an argument, with what it lies in.
    pub place: String,
    pub problem: String,
}

impl Refusal {
    pub fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into() }
    }

    /// The same refusal seen from further out.
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
            Self::NotFound(path) => write!(formatter, "{}: there is no such file", path.display()),
            Self::InvalidJson(path, ParseError { problem, line, column }) => {
                write!(formatter, "{}: no JSON: {problem} (line {line}, column {column})", path.display())
            }
            Self::Rejected(Refusal { place, problem }) => write!(formatter, "{place}: {problem}"),
            Self::Io(path, error) => write!(formatter, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Error {}
