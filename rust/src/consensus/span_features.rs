//! The groups of features that consensus adds to the translations of spans.

use crate::error::{Error, Result};
use crate::evidence::ORDERS;
use crate::metric::bleu::ORDER;

/// A group of features, in the order of their columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureGroup {
    /// Formula (9) over all neighbours.
    Gc,
    /// Formula (9) over the neighbours in the memory alone.
    GcMemory,
    /// Formula (9) over the spans of the input alone, most of which are sub-spans.
    GcSpans,
    /// Formula (11).
    Lc,
    /// Memory n-gram posteriors.
    Memory,
}

impl FeatureGroup {
    pub const ALL: [FeatureGroup; 5] = [
        FeatureGroup::Gc,
        FeatureGroup::GcMemory,
        FeatureGroup::GcSpans,
        FeatureGroup::Lc,
        FeatureGroup::Memory,
    ];

    pub fn name(self) -> &'static str {
        match self {
            FeatureGroup::Gc => "gc",
            FeatureGroup::GcMemory => "gc-memory",
            FeatureGroup::GcSpans => "gc-spans",
            FeatureGroup::Lc => "lc",
            FeatureGroup::Memory => "memory",
        }
    }

    /// The number of features: for each n-gram order one, and for GC the share of values below the floor.
    pub fn columns(self) -> usize {
        match self {
            FeatureGroup::Gc | FeatureGroup::GcMemory | FeatureGroup::GcSpans => ORDER + 1,
            FeatureGroup::Lc => ORDER,
            FeatureGroup::Memory => ORDERS,
        }
    }

    /// Groups by their names, joined by plus signs.
    pub fn named(names: &str) -> Result<Vec<Self>> {
        let one = |name: &str| {
            Self::ALL.into_iter().find(|group| group.name() == name).ok_or_else(|| {
                let known = Self::ALL.map(Self::name).join(", ");
                Error::option(format!("unknown features {name:?}; expected {known}."))
            })
        };
        let mut found = names.split('+').map(one).collect::<Result<Vec<_>>>()?;
        found.sort_by_key(|&group| Self::ALL.into_iter().position(|one| one == group));
        found.dedup();
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read_in_their_order() {
        let found = FeatureGroup::named("lc+gc-memory+lc").unwrap();
        assert_eq!(found, [FeatureGroup::GcMemory, FeatureGroup::Lc]);
        assert_eq!(found.iter().map(|group| group.columns()).sum::<usize>(), 9);
        assert!(FeatureGroup::named("gc+lm").is_err());
    }
}
