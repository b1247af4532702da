//! Pattern libraries and collaboration states of AI agents in JSON files, with the standard library only.
//!
//! ```
//! use agent_persistence::{library_file, pattern::Pattern, pattern_library::PatternLibrary};
//!
//! let mut library = PatternLibrary::default();
//! library.contribute(Pattern::new("retry", "agent-1", "sequential", "Retry once"));
//! let path = std::env::temp_dir().join(format!("patterns-{}.json", std::process::id()));
//! library_file::save(&library, &path).unwrap();
//! assert_eq!(library_file::load(&path).unwrap().patterns()[0].confidence, 0.5);
//! # std::fs::remove_file(&path).unwrap();
//! ```

pub mod atomic_file;
pub mod error;
pub mod json;
pub mod library_file;
pub mod pattern;
pub mod pattern_fields;
pub mod pattern_library;
pub mod state_manager;
pub mod state_name;
pub mod timestamp;
