//! File names for user ids. A name cannot point outside the folder. Two ids have different names even on a file system
//! that ignores case.

/// Longest name without its extension; many file systems allow at most 255 bytes.
const LONGEST: usize = 200;

/// Returns the name of a user's file, without its extension; `None` if it would be too long.
pub fn encode(user_id: &str) -> Option<String> {
    let bytes = user_id.as_bytes();
    let mut name = String::new();
    for (at, &byte) in bytes.iter().enumerate() {
        // Some systems treat a dot or a space at either end specially, and reserve the names of devices.
        let at_end = (at == 0 && is_device(user_id)) || ((at == 0 || at + 1 == bytes.len()) && b". ".contains(&byte));
        if is_safe(byte) && !at_end {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02x}"));
        }
    }
    (name.len() <= LONGEST).then_some(name)
}

/// Returns the user id of a name made by [`encode`]; `None` for any other name.
pub fn decode(name: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let [first, after @ ..] = rest {
        (rest, _) = match (first, after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok())) {
            (b'%', Some(digits)) => (&after[2..], bytes.push(u8::from_str_radix(digits, 16).ok()?)),
            _ => (after, bytes.push(*first)),
        };
    }
    String::from_utf8(bytes).ok().filter(|user_id| !user_id.is_empty() && encode(user_id).as_deref() == Some(name))
}

fn is_safe(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-.@+=,~ ".contains(&byte)
}

fn is_device(user_id: &str) -> bool {
    let stem = user_id.split('.').next().unwrap_or_default();
    let numbered =
        |name| stem.strip_prefix(name).is_some_and(|rest| rest.len() == 1 && rest.as_bytes()[0].is_ascii_digit());
    ["con", "prn", "aux", "nul"].contains(&stem) || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_a_plain_id_and_decodes_what_it_encoded() {
        assert_eq!(encode("alice@example.org").as_deref(), Some("alice@example.org"));
        let names = ["Alice", "../x", "nul", "nul.txt", "com1", ".", " a ", "é", "a/b", "100%", "%41"].map(|user_id| {
            let name = encode(user_id).expect(user_id);
            assert_eq!(decode(&name).as_deref(), Some(user_id));
            assert!(!name.contains(['/', '\\']) && name != user_id, "{user_id}");
            name
        });
        assert_eq!(names[..4], ["%41lice", "%2e.%2fx", "%6eul", "%6eul.txt"]);
    }

    #[test]
    fn does_not_decode_a_name_that_it_did_not_make() {
        for name in ["", "Alice", "%4", "%zz", "%41lice%", "%61lice", "nul"] {
            assert_eq!(decode(name), None, "{name}");
        }
        assert_eq!(encode(&"x".repeat(201)), None);
    }
}
