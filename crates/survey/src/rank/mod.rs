//! Which files a request is about.
//!
//! [`evidence`] holds everything that was found, without judging it; [`weights`] says how much each kind counts;
//! [`text`] and [`passage`] judge words, [`past`] judges history, [`pairs`] knows which test belongs to which source,
//! [`imports`] who uses whom, [`order`] puts it all together and [`reasons`] says why. The measured effect of each is
//! in `docs/survey.md`.

pub(crate) mod evidence;
pub(crate) mod imports;
pub(crate) mod order;
pub(crate) mod pairs;
pub(crate) mod passage;
pub(crate) mod past;
pub(crate) mod reasons;
pub(crate) mod text;
pub(crate) mod weights;
