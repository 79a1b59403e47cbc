//! How much each kind of evidence counts.
//!
//! The numbers were chosen by measured recall on repositories of several languages; `docs/survey.md` has the
//! figures, with and without each of them.

/// The weights.
#[derive(Debug, Clone)]
pub struct Weights {
    /// How soon more of the same word stops counting.
    pub k1: f64,
    /// How much longer files are held against them.
    pub b: f64,
    /// A word in a definition or heading, against one anywhere.
    pub defs: f64,
    /// A word in the file's name.
    pub name: f64,
    /// A word in the names of its folders.
    pub folder: f64,
    /// Two neighbouring words together.
    pub pair: f64,
    /// Words all requests are made of.
    pub common: f64,
    /// What text says.
    pub text: f64,
    /// What names of files say on their own.
    pub path: f64,
    /// How close together the request's words stand.
    pub passage: f64,
    /// What subjects of similar commits say.
    pub similar: f64,
    /// How sharply the most similar commits stand out.
    pub sharpness: f64,
    /// How often a file changes at all.
    pub habit: f64,
    /// How much of it happened just now.
    pub lately: f64,
    /// After how many commits the past counts half.
    pub half: f64,
    /// Changing together with what was found.
    pub together: f64,
    /// How many of the best files it looks from.
    pub seeds: usize,
    /// Being the test of what was found, or tested by it.
    pub partner: f64,
    /// Being imported by what was found.
    pub imported: f64,
    /// Kinds: what is left of the score of a test, a doc, settings, data.
    pub kinds: [f64; 4],
}

impl Default for Weights {
    fn default() -> Weights {
        Weights {
            k1: 2.0,
            b: 0.4,
            defs: 1.0,
            name: 6.0,
            folder: 1.5,
            pair: 1.0,
            common: 1.0,
            text: 1.0,
            path: 0.4,
            passage: 0.5,
            similar: 0.5,
            sharpness: 2.0,
            habit: 0.2,
            lately: 0.1,
            half: 150.0,
            together: 0.2,
            seeds: 6,
            partner: 0.15,
            imported: 0.05,
            kinds: [1.0, 1.0, 0.5, 0.5],
        }
    }
}
