//! The introduction of the adapter: its name, its capabilities and its choices.

use agent_persistence::json::{Number, Object, Text, Value};

/// The open questions that this library answers as the rulings do.
const RULED: [&str; 19] = [
    "U-save-existing",
    "U-json-shape",
    "U-format-version",
    "U-optional",
    "U-contributions",
    "U-timestamps",
    "U-saved-at-zone",
    "U-text",
    "U-nonfinite",
    "U-read-what-can-be-read",
    "U-order",
    "U-numbers",
    "U-pattern-type",
    "U-library-attributes",
    "U-missing-directory",
    "U-authentication",
    "U-events",
    "U-lifecycle",
    "U-limits",
];

/// More of them in the pre-16 line.
const RULED_OF_15: [&str; 5] =
    ["U-state-dir", "U-state-corrupt", "U-state-user-mismatch", "U-state-extra", "U-state-field-keys"];

const STATE_FILE: &str = "ids are percent-encoded in the names of files, those of more than 200 bytes are refused; \
    files that older programs named otherwise are not found";

/// The answer to `hello`.
pub fn introduction(line: &str) -> Vec<(&'static str, Value)> {
    let implementation =
        [("name", "agent-persistence-rust"), ("version", env!("CARGO_PKG_VERSION")), ("language", "Rust")];
    let has_states = line == "15";
    let groups: &[&str] =
        if has_states { &["patterns_json", "state", "working_directory"] } else { &["patterns_json"] };
    let mut choices: Vec<(Text, Value)> = RULED.map(|question| (Text::from(question), Value::from("ruled"))).to_vec();
    if has_states {
        choices.extend(RULED_OF_15.map(|question| (Text::from(question), Value::from("ruled"))));
        choices.push((Text::from("U-state-file"), Value::from(STATE_FILE)));
    }
    vec![
        ("type", Value::from("ok")),
        ("protocol", Value::Number(Number::from(1))),
        ("spec_version", Value::from(format!("{line}.0.0").as_str())),
        ("implementation", Value::Object(Object::of(implementation.map(|(key, text)| (key, Value::from(text)))))),
        ("capabilities", Value::Array(groups.iter().copied().map(Value::from).collect())),
        ("choices", Value::Object(Object::from_members(choices))),
    ]
}
