//! Short lists of small values: the first few are held in place, so that most lists need no memory of their own.

use std::ops::Deref;

/// A list that holds up to `N` values in place.
#[derive(Debug)]
pub enum Short<T, const N: usize> {
    /// The number of values, and their places.
    Held(u8, [T; N]),
    Long(Vec<T>),
}

impl<T: Copy + Default, const N: usize> Short<T, N> {
    pub fn new() -> Self {
        const { assert!(N < 256) };
        Short::Held(0, [T::default(); N])
    }

    pub fn clear(&mut self) {
        match self {
            Short::Held(length, _) => *length = 0,
            Short::Long(list) => list.clear(),
        }
    }

    #[inline]
    pub fn push(&mut self, value: T) {
        match self {
            Short::Held(length, places) if usize::from(*length) < N => {
                places[usize::from(*length)] = value;
                *length += 1;
            }
            Short::Held(_, places) => {
                let mut list = Vec::with_capacity(2 * N);
                list.extend_from_slice(places);
                list.push(value);
                *self = Short::Long(list);
            }
            Short::Long(list) => list.push(value),
        }
    }

    /// Becomes equal to `values` and reuses its own memory.
    pub fn set(&mut self, values: &[T]) {
        match self {
            Short::Held(length, places) if values.len() <= N => {
                places[..values.len()].copy_from_slice(values);
                *length = values.len() as u8;
            }
            Short::Held(..) => *self = Short::Long(values.to_vec()),
            Short::Long(list) => {
                list.clear();
                list.extend_from_slice(values);
            }
        }
    }
}

/// A copy is held in place if it is short enough, wherever the original is.
impl<T: Copy + Default, const N: usize> Clone for Short<T, N> {
    fn clone(&self) -> Self {
        Short::from(&**self)
    }
}

impl<T: Copy + Default, const N: usize> Default for Short<T, N> {
    fn default() -> Self {
        Short::new()
    }
}

impl<T, const N: usize> Deref for Short<T, N> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Short::Held(length, places) => &places[..usize::from(*length)],
            Short::Long(list) => list,
        }
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Short<T, N> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Copy + Default, const N: usize> From<&[T]> for Short<T, N> {
    fn from(values: &[T]) -> Self {
        let mut list = Short::new();
        list.set(values);
        list
    }
}

impl<T: Copy + Default, const N: usize, const M: usize> From<[T; M]> for Short<T, N> {
    fn from(values: [T; M]) -> Self {
        Short::from(&values[..])
    }
}

impl<T: Copy + Default, const N: usize> FromIterator<T> for Short<T, N> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let (mut places, mut length) = ([T::default(); N], 0);
        let mut values = values.into_iter();
        while let Some(value) = values.next() {
            if length == N {
                let mut list = places.to_vec();
                list.push(value);
                list.extend(values);
                return Short::Long(list);
            }
            places[length] = value;
            length += 1;
        }
        Short::Held(length as u8, places)
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a Short<T, N> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_list_of_any_length() {
        for length in 0..10u32 {
            let values: Vec<u32> = (0..length).collect();
            let pushed: Short<u32, 4> = values.iter().copied().collect();
            assert_eq!((&*pushed, &pushed), (&values[..], &Short::from(&values[..])));
            for other in [0, 3, 4, 5, 9] {
                let mut set = pushed.clone();
                set.set(&vec![7; other]);
                assert_eq!(*set, vec![7; other]);
                let copied = set.clone();
                assert_eq!((matches!(copied, Short::Held(..)), &copied), (other <= 4, &set));
                set.clear();
                set.push(8);
                assert_eq!(*set, [8]);
            }
        }
    }
}
