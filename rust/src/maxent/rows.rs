//! The features of many examples, one row each.

/// The feature numbers of each row; 4 bytes for each feature and 8 for each row.
#[derive(Clone, Debug)]
pub struct Rows {
    offsets: Vec<u64>,
    features: Vec<u32>,
}

impl Default for Rows {
    fn default() -> Self {
        Rows { offsets: vec![0], features: Vec::new() }
    }
}

impl Rows {
    /// `offsets` are the starts of rows in `features`, and the end of the last; `None` if they are invalid or a feature
    /// is not below `number`.
    pub fn new(offsets: Vec<u64>, features: Vec<u32>, number: usize) -> Option<Self> {
        let fits = offsets.first() == Some(&0)
            && offsets.last() == Some(&(features.len() as u64))
            && offsets.windows(2).all(|pair| pair[0] <= pair[1])
            && features.iter().all(|&feature| (feature as usize) < number);
        fits.then_some(Rows { offsets, features })
    }

    /// No rows yet, with room for so many rows and features.
    pub fn with_capacity(rows: usize, features: usize) -> Self {
        let mut offsets = Vec::with_capacity(rows + 1);
        offsets.push(0);
        Rows { offsets, features: Vec::with_capacity(features) }
    }

    pub fn push(&mut self, features: impl IntoIterator<Item = u32>) {
        self.features.extend(features);
        self.offsets.push(self.features.len() as u64);
    }

    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// For each of `number` features the number of its examples, given the number of examples of each row.
    pub fn occurrences(&self, number: usize, examples: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut made = vec![0.0; number];
        for row in 0..self.len() {
            let examples = examples(row);
            self.row(row).iter().for_each(|&feature| made[feature as usize] += examples);
        }
        made
    }

    #[inline]
    pub fn row(&self, row: usize) -> &[u32] {
        &self.features[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }
}
