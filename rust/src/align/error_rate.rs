//! Precision, recall and alignment error rate (Och & Ney 2003, section 6.1).

use crate::error::{Error, Result};

use crate::corpus::links::Links;

/// The counts behind the three figures: links over a whole corpus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// |A|: links of the evaluated alignment.
    pub found: u64,
    /// |S|: sure gold links.
    pub sure: u64,
    /// |P|: all gold links, including the sure ones.
    pub possible: u64,
    /// |A ∩ S|
    pub found_sure: u64,
    /// |A ∩ P|
    pub found_possible: u64,
}

/// Counts links of `found` that are in `gold`. Possible links are distinguished only in `gold`.
pub fn count(gold: &Links, found: &Links) -> Result<Counts> {
    if gold.len() != found.len() {
        return Err(Error::input(format!(
            "the gold alignment has {} sentences and the other has {}; both must be of the same text.",
            gold.len(),
            found.len()
        )));
    }
    let mut counts =
        Counts { found: found.total() as u64, possible: gold.total() as u64, ..Counts::default() };
    for number in 0..gold.len() {
        let mut links = found.sentence(number).map(|link| (link.source, link.target)).peekable();
        for known in gold.sentence(number) {
            counts.sure += u64::from(!known.possible);
            let pair = (known.source, known.target);
            while links.next_if(|link| *link < pair).is_some() {}
            if links.next_if_eq(&pair).is_some() {
                counts.found_possible += 1;
                counts.found_sure += u64::from(!known.possible);
            }
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::links::Link;

    fn links(pairs: &[(u16, u16, bool)]) -> Links {
        let mut links = Links::default();
        links.push(
            &mut pairs.iter().map(|&(s, t, possible)| Link { source: s, target: t, possible }).collect(),
        );
        links
    }

    #[test]
    fn counts_by_hand() {
        let gold = links(&[(0, 0, false), (1, 1, false), (1, 2, true), (2, 3, true)]);
        let found = links(&[(0, 0, false), (1, 2, false), (2, 2, false), (3, 3, false)]);
        let counts = count(&gold, &found).unwrap();
        assert_eq!(counts, Counts { found: 4, sure: 2, possible: 4, found_sure: 1, found_possible: 2 });
    }
}
