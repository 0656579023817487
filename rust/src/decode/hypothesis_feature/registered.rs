//! The hypothesis features that every decoder has, beside those of its own search.

/// To register a feature, put its [`super::FeatureModel`] here: `(Mine, ())`, and `(Mine, (Yours, ()))` for two. Its
/// columns follow the built-in ones. It is off in a model that gives it no weights.
pub type Registered = ();
