//! Writes numbers as decimals, as [`std::fmt::Display`] does and several times as fast.

use std::io::Write;

/// 10^0 to 10^12. The product of a float and one of these has at most 53 bits, so that it is exact as a double.
const POWERS: [i64; 13] = {
    let mut powers = [1; 13];
    let mut digits = 1;
    while digits < powers.len() {
        powers[digits] = powers[digits - 1] * 10;
        digits += 1;
    }
    powers
};
/// Digits after the point of the first attempt. Most numbers need more.
const FIRST: usize = 5;
/// The numbers that are written here; there are few others in a model.
const COMMON: std::ops::Range<f32> = 1e-3..1e3;

/// Appends the shortest decimal that reads back as the same number.
pub fn write(value: f32, out: &mut Vec<u8>) {
    let size = value.abs();
    match COMMON.contains(&size).then(|| shortest(size)).flatten() {
        Some((number, digits)) => {
            if value < 0.0 {
                out.push(b'-');
            }
            write_digits(number, digits, out);
        }
        None => write!(out, "{value}").expect("writing to memory cannot fail"),
    }
}

/// The shortest decimal as a whole number and its digits after the point. `None` where the decision is not clear.
fn shortest(size: f32) -> Option<(u64, usize)> {
    let bits = size.to_bits();
    // Below a power of two, floats are closer to each other than above it.
    if bits & 0x7f_ffff == 0 {
        return None;
    }
    let half_gap = (f64::from(f32::from_bits(bits + 1)) - f64::from(size)) / 2.0;
    let nearest = |digits: usize| {
        let power = POWERS[digits] as f64;
        let (exact, room) = (f64::from(size) * power, half_gap * power);
        // Signed, because doubles are not converted to unsigned numbers by one instruction.
        let below = exact as i64;
        let more = exact - below as f64;
        let (number, distance) = if more >= 0.5 { (below + 1, 1.0 - more) } else { (below, more) };
        (distance < room).then_some((number as u64, digits))
    };
    let mut found = (FIRST..POWERS.len()).find_map(nearest)?;
    if found.1 == FIRST {
        while let Some(shorter) = found.1.checked_sub(1).and_then(nearest) {
            found = shorter;
        }
    }
    Some(found)
}

/// The digits of 0 to 99, two each.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < pairs.len() {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

fn write_digits(number: u64, digits: usize, out: &mut Vec<u8>) {
    let mut text = [b'0'; 20];
    let (mut at, mut rest) = (text.len(), number);
    while rest > 0 {
        at -= 2;
        text[at..at + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
        rest /= 100;
    }
    // A leading zero of the last pair goes, but a digit remains before the point.
    at += usize::from(text.get(at) == Some(&b'0'));
    let point = text.len() - digits;
    out.extend_from_slice(&text[at.min(point - 1)..point]);
    if digits > 0 {
        out.push(b'.');
        out.extend_from_slice(&text[point..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::hashing::mix;

    fn written(value: f32) -> String {
        let mut out = Vec::new();
        write(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn it_is_what_display_writes() {
        let mut random = 1;
        let any = (0..400_000).map(|_| {
            random = mix(random, 1);
            f32::from_bits((random >> 32) as u32)
        });
        // Logarithms of probabilities, and decimals with few digits.
        let common =
            (1..200_000u32).flat_map(|n| [-(n as f32) * 4.1e-5, n as f32 / 1000.0, -(n as f32) / 1e5]);
        let near_powers = (-30..30).flat_map(|n| {
            let bits = 2f32.powi(n).to_bits();
            [bits - 1, bits, bits + 1].map(f32::from_bits)
        });
        for value in any.chain(common).chain(near_powers).chain([0.0, -0.0, 1e3, 999.99994]) {
            assert_eq!(written(value), value.to_string());
        }
    }
}
