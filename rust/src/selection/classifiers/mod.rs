//! Classifiers of translations by context, one for each source side or source word: how they are estimated from
//! matches, and their file format. The models that use them decide what a match is and which features it has.

pub mod corpus;
pub mod model;
pub mod train;
