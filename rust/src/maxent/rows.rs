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

    /// From a matrix with `width` columns, in its memory: after the first column, a 0 is no feature.
    pub fn of_matrix(mut matrix: Vec<u32>, width: usize) -> Self {
        let mut offsets = Vec::with_capacity(matrix.len() / width.max(1) + 1);
        offsets.push(0);
        let mut end = 0;
        for at in 0..matrix.len() {
            let (feature, column) = (matrix[at], at % width);
            if column == 0 || feature != 0 {
                matrix[end] = feature;
                end += 1;
            }
            if column == width - 1 {
                offsets.push(end as u64);
            }
        }
        matrix.truncate(end);
        Rows { offsets, features: matrix }
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

    #[inline]
    pub fn row(&self, row: usize) -> &[u32] {
        &self.features[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }
}
