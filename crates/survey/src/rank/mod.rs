//! Ranking of files for a request.
//!
//! [`evidence`] holds everything that was found, unweighted; [`weights`] are the weights of each kind of evidence;
//! [`text`] and [`passage`] score words, [`commits`] scores history, [`pairs`] pairs tests with sources,
//! [`requested`] finds definitions that the request names,
//! [`order`] combines the scores and [`reasons`] explains them. `docs/survey.md` has the
//! measured effect of each.

pub(crate) mod commits;
pub(crate) mod evidence;
pub(crate) mod order;
pub(crate) mod pairs;
pub(crate) mod passage;
pub(crate) mod reasons;
pub(crate) mod requested;
pub(crate) mod text;
pub(crate) mod weights;
