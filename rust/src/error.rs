//! One error type for the core: what was seen, where, and what to do. Python shows it as `graphmt.errors.*`.

use std::fmt;
use std::path::{Path, PathBuf};

pub type Result<T> = std::result::Result<T, Error>;

/// Which Python exception the error becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file or value that cannot be used as it is.
    Input,
    /// An option with an impossible value.
    Option,
    /// A defect of the core itself.
    Internal,
}

#[derive(Debug)]
pub struct Error {
    pub kind: Kind,
    pub message: String,
    pub file: Option<PathBuf>,
    /// Counted from 1.
    pub line: Option<u64>,
    pub hint: Option<String>,
}

impl Error {
    fn new(kind: Kind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), file: None, line: None, hint: None }
    }

    pub fn input(message: impl Into<String>) -> Self {
        Self::new(Kind::Input, message)
    }

    pub fn option(message: impl Into<String>) -> Self {
        Self::new(Kind::Option, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Kind::Internal, message)
    }

    /// An operating-system error on `path`, in plain words.
    pub fn io(path: &Path, error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        let message = match error.kind() {
            ErrorKind::NotFound => "no such file or folder.".to_owned(),
            ErrorKind::PermissionDenied => "permission denied.".to_owned(),
            ErrorKind::StorageFull => "no space left on device.".to_owned(),
            ErrorKind::UnexpectedEof => "the file ends too early; it may be truncated.".to_owned(),
            _ => format!("{error}."),
        };
        Self::input(message).at(path, None)
    }

    /// An error on temporary files in `folder`, with a hint how to choose another folder.
    pub fn temporary(folder: &Path, error: &std::io::Error) -> Self {
        Self::io(folder, error).hint("This folder is for temporary files; set TMPDIR to use another.")
    }

    pub fn at(mut self, file: &Path, line: Option<u64>) -> Self {
        self.file = Some(file.to_owned());
        self.line = line;
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}", file.display())?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
            }
            write!(f, ": ")?;
        }
        write!(f, "{}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, " {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
