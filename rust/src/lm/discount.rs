//! Discounts of modified Kneser-Ney from counts of counts (Chen and Goodman 1998, equation 26).

use crate::error::{Error, Result};

/// Counts for one order of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// N-grams seen.
    pub seen: u64,
    /// N-grams that remain after pruning.
    pub kept: u64,
    /// The number of n-grams with adjusted count 1, 2, 3 and 4, including pruned ones.
    pub count_of: [u64; 4],
}

impl Statistics {
    #[inline]
    pub fn add(&mut self, count: u64, pruned: bool) {
        self.seen += 1;
        self.kept += u64::from(!pruned);
        if let 1..=4 = count {
            self.count_of[count as usize - 1] += 1;
        }
    }

    /// Adds the counts of other n-grams of the same order.
    pub fn add_all(&mut self, other: &Statistics) {
        self.seen += other.seen;
        self.kept += other.kept;
        self.count_of.iter_mut().zip(other.count_of).for_each(|(mine, others)| *mine += others);
    }

    /// All counts as a list.
    pub fn numbers(&self) -> [u64; 6] {
        let [one, two, three, four] = self.count_of;
        [self.seen, self.kept, one, two, three, four]
    }

    pub fn from_numbers([seen, kept, one, two, three, four]: [u64; 6]) -> Self {
        Statistics { seen, kept, count_of: [one, two, three, four] }
    }
}

/// The discounts of counts of 1, of 2, and of 3 or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discount(pub [f64; 3]);

/// Used if counts of counts give no valid discount; the same as in lmplz.
pub const FALLBACK: Discount = Discount([0.5, 1.0, 1.5]);

impl Discount {
    #[inline]
    pub fn of(&self, count: u64) -> f64 {
        match count {
            0 => 0.0,
            1..=2 => self.0[count as usize - 1],
            _ => self.0[2],
        }
    }

    /// The discounts of an order, or the reason why there are none.
    pub fn estimate(statistics: &Statistics) -> std::result::Result<Discount, String> {
        let n = statistics.count_of;
        for (index, &number) in n[..3].iter().enumerate() {
            if number == 0 {
                return Err(format!("no n-gram has the count {}", index + 1));
            }
        }
        let y = n[0] as f64 / (n[0] as f64 + 2.0 * n[1] as f64);
        let mut amounts = [0.0; 3];
        for (index, amount) in amounts.iter_mut().enumerate() {
            let count = (index + 1) as f64;
            *amount = count - (count + 1.0) * y * n[index + 1] as f64 / n[index] as f64;
            if !(0.0..=count).contains(amount) {
                return Err(format!("the discount of the count {count} would be {amount:.3}"));
            }
        }
        Ok(Discount(amounts))
    }
}

/// Orders with fixed discounts, and the reason.
pub type Replaced = Vec<(usize, String)>;

/// The discounts of all orders.
pub fn discounts(statistics: &[Statistics], fallback: bool) -> Result<(Vec<Discount>, Replaced)> {
    let mut found = Vec::new();
    let mut replaced = Vec::new();
    for (index, order) in statistics.iter().enumerate() {
        found.push(match Discount::estimate(order) {
            Ok(discount) => discount,
            Err(why) if fallback => {
                replaced.push((index + 1, why));
                FALLBACK
            }
            Err(why) => {
                return Err(Error::input(format!(
                    "the discounts of order {} cannot be estimated: {why}; the text may be small, artificial or repetitive.",
                    index + 1
                ))
                .hint("Remove repeated lines, or allow fixed discounts with the option discount-fallback."))
            }
        });
    }
    Ok((found, replaced))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equation_26_by_hand() {
        // Y = 10 / (10 + 2 * 5) = 1/2; D1 = 1 - 2 Y 5/10; D2 = 2 - 3 Y 4/5; D3 = 3 - 4 Y 2/4.
        let statistics = Statistics { seen: 30, kept: 30, count_of: [10, 5, 4, 2] };
        let found = Discount::estimate(&statistics).unwrap();
        for (amount, expected) in found.0.iter().zip([0.5, 0.8, 2.0]) {
            assert!((amount - expected).abs() < 1e-12, "{found:?}");
        }
        assert_eq!([found.of(0), found.of(3), found.of(1000)], [0.0, found.0[2], found.0[2]]);
    }

    #[test]
    fn impossible_discounts_say_why() {
        let without = |count_of| Discount::estimate(&Statistics { seen: 1, kept: 1, count_of }).unwrap_err();
        assert!(without([5, 0, 1, 1]).contains("count 2"));
        assert!(without([10, 1, 9, 1]).contains("the discount of the count 2 would be -"));
    }
}
