//! Levenshtein distance between sequences of words.

use crate::work::interrupt;

/// The least number of words to insert, delete or replace that turns one sequence into the other.
pub fn edit_distance(a: &[u32], b: &[u32]) -> usize {
    let (a, b) = without_common_ends(a, b);
    if a.is_empty() || b.is_empty() {
        return a.len().max(b.len());
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, word) in a.iter().enumerate() {
        interrupt::point();
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(word != other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

fn without_common_ends<'a>(a: &'a [u32], b: &'a [u32]) -> (&'a [u32], &'a [u32]) {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (&a[..a.len() - end], &b[..b.len() - end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        let cases: [(&[u32], &[u32], usize); 7] = [
            (&[], &[], 0),
            (&[1, 2], &[], 2),
            (&[1, 2, 3], &[1, 3], 1),
            (&[1, 2, 3], &[1, 9, 3], 1),
            (&[1, 2, 3, 4], &[2, 3, 4, 1], 2),
            (&[1, 1, 1], &[1, 1], 1),
            (&[1, 2, 3], &[4, 5, 6, 7], 4),
        ];
        for (a, b, wanted) in cases {
            assert_eq!((edit_distance(a, b), edit_distance(b, a)), (wanted, wanted), "{a:?} {b:?}");
        }
    }
}
