//! Word order by dependencies: for every two words that are linked in the dependency graph, a head and its dependent or
//! two dependents of a head, a maximum-entropy classifier predicts whether their translations change places.
//!
//! A grammar with holes decides the order of words far apart by rules that do not see these words. Here the links of the
//! graph inform it, as soft constraints (after Gao, Koehn and Birch 2011, who count such pairs by class).
//!
//! `pairs` finds the linked pairs of a sentence and their features, `train` collects those of a corpus, `annotator` applies
//! the model to the options of a sentence.

pub mod annotator;
pub mod pairs;
pub mod train;
