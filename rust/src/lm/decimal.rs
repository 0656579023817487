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
/// The numbers that are written here; there are few others in a model.
const COMMON: std::ops::Range<f32> = 1e-3..1e3;

/// Appends the shortest decimal that reads back as the same number.
pub fn write(value: f32, out: &mut Vec<u8>) {
    // The backoff of all n-grams that are no context.
    if value.to_bits() == 0 {
        out.push(b'0');
        return;
    }
    let size = value.abs();
    match COMMON.contains(&size).then(|| shortest(size)).flatten() {
        Some((number, digits)) => write_digits(value < 0.0, number, digits, out),
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
    // A decimal with so many digits is within half a gap; most numbers need all of them or all but one.
    let exponent = (bits >> 23) as usize - EXPONENTS.start;
    let mut found = nearest(ENOUGH[exponent])?;
    while let Some(shorter) = found.1.checked_sub(1).and_then(nearest) {
        found = shorter;
    }
    Some(found)
}

/// The exponents of common numbers, as they are in the bits of a float: from 2^-10 to 2^9.
const EXPONENTS: std::ops::Range<usize> = 117..137;

/// For each of them, the lowest number of digits after the point such that half of a last digit is less than half of the
/// gap between floats.
const ENOUGH: [usize; 20] = {
    let mut enough = [0; 20];
    let mut at = 0;
    while at < enough.len() {
        // The gap is 2^-shift, and 10^-digits must be less.
        let shift = 33 - at as u32;
        let mut digits = 0;
        while POWERS[digits] <= 1 << shift {
            digits += 1;
        }
        enough[at] = digits;
        at += 1;
    }
    enough
};

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

/// The longest text: a sign, three digits, the point, twelve digits; and room to copy it as a block.
const TEXT: usize = 17;

fn write_digits(is_negative: bool, number: u64, digits: usize, out: &mut Vec<u8>) {
    // The text ends in the middle, so that a block of fixed length from its start, which needs no loop, is in range.
    let mut text = [b'0'; 2 * TEXT + 2];
    let end = TEXT + 2;
    // First the digits without the point.
    let (mut at, mut rest) = (end, number);
    while rest > 0 {
        at -= 2;
        text[at..at + 2].copy_from_slice(&PAIRS[(rest % 100) as usize]);
        rest /= 100;
    }
    // A leading zero of the last pair goes, but a digit remains before the point.
    at += usize::from(text[at] == b'0' && at < end);
    let point = end - digits;
    at = at.min(point - 1);
    if digits > 0 {
        // At most three digits: a loop is faster than a copy of any length.
        for digit in at..point {
            text[digit - 1] = text[digit];
        }
        text[point - 1] = b'.';
        at -= 1;
    }
    if is_negative {
        at -= 1;
        text[at] = b'-';
    }
    out.extend_from_slice(text[at..].first_chunk::<TEXT>().expect("the text ends in the middle"));
    out.truncate(out.len() - (TEXT - (end - at)));
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
