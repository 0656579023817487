//! The words of a line.

/// Word separators: ASCII white space and NUL. Other Unicode spaces are part of words, as in other toolkits.
#[inline]
fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == 0 || (9..=13).contains(&byte)
}

/// The words of a line.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && is_space(bytes[at]) {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && !is_space(bytes[at]) {
            at += 1;
        }
        // Cut at ASCII bytes only, so both ends are character boundaries.
        (start < at).then(|| &line[start..at])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_at_ascii_space_only() {
        let found: Vec<&str> = words("  a\tb\u{a0}c \r d\u{2003}e\0f ").collect();
        assert_eq!(found, ["a", "b\u{a0}c", "d\u{2003}e", "f"]);
        assert_eq!(words(" \t ").count(), 0);
    }
}
