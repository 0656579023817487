//! The counts of target sides as bytes, for exchange between the parts of a table.
//!
//! Each entry has the key of a target side (eight bytes), its total, and its numbers of rules. Numbers take seven bits a
//! byte, the lowest first; totals are doubled, and odd ones are fractions in units of 1 / [`ONE`].

use super::smooth::SideCounts;
use crate::error::{Error, Result};
use crate::store::runs::ONE;

/// Appends an entry.
pub fn put(out: &mut Vec<u8>, key: u64, counts: &SideCounts) {
    out.extend_from_slice(&key.to_be_bytes());
    if counts.total % ONE == 0 {
        put_number(out, counts.total / ONE * 2);
    } else {
        put_number(out, 1);
        out.extend_from_slice(&counts.total.to_be_bytes());
    }
    counts.rules.iter().for_each(|&n| put_number(out, u64::from(n)));
}

fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Passes every entry to `take`.
pub fn each(mut bytes: &[u8], mut take: impl FnMut(u64, SideCounts) -> Result<()>) -> Result<()> {
    while !bytes.is_empty() {
        let (key, counts) =
            next(&mut bytes).ok_or_else(|| Error::internal("damaged counts of target sides."))?;
        take(key, counts)?;
    }
    Ok(())
}

fn next(bytes: &mut &[u8]) -> Option<(u64, SideCounts)> {
    let key = eight(bytes)?;
    let doubled = number(bytes)?;
    let total = if doubled & 1 == 0 { (doubled / 2).checked_mul(ONE)? } else { eight(bytes)? };
    let mut rules = [0; 3];
    for n in &mut rules {
        *n = u32::try_from(number(bytes)?).ok()?;
    }
    Some((key, SideCounts { total, rules }))
}

fn eight(bytes: &mut &[u8]) -> Option<u64> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u64::from_be_bytes(*first))
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut found = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        found |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(found);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_as_written_and_damage_is_noticed() {
        let sides = [
            (0, 0, [0, 0, 0]),
            (7, 3 * ONE, [1, 128, u32::MAX]),
            (u64::MAX, 5 * ONE / 3, [300, 0, 2]),
            (9, u64::MAX / ONE * ONE, [0, 16_384, 0]),
        ];
        let mut bytes = Vec::new();
        for (key, total, rules) in sides {
            put(&mut bytes, key, &SideCounts { total, rules });
        }
        let mut found = Vec::new();
        let mut keep = |key, counts: SideCounts| {
            found.push((key, counts.total, counts.rules));
            Ok(())
        };
        each(&bytes, &mut keep).unwrap();
        assert_eq!(found, sides);
        assert!(each(&bytes[..bytes.len() - 1], |_, _| Ok(())).is_err());
        assert!(each(&[0xff; 30], |_, _| Ok(())).is_err());
    }
}
