//! Weights of the kinds of evidence.
//!
//! The numbers were chosen by measured recall on repositories of several languages; `docs/survey.md` has the
//! figures, with and without each of them.

/// Weights and parameters of the ranking.
#[derive(Debug, Clone)]
pub struct Weights {
    /// BM25 `k1`: saturation of repeated words.
    pub k1: f64,
    /// BM25 `b`: penalty for long files.
    pub b: f64,
    /// A word in a definition or heading, relative to one anywhere.
    pub defs: f64,
    /// A word in the file's name.
    pub name: f64,
    /// A word in the names of its folders.
    pub folder: f64,
    /// Two neighbouring words together.
    pub pair: f64,
    /// Words common in requests, such as "add".
    pub common: f64,
    /// Text score.
    pub text: f64,
    /// Score of path words alone.
    pub path: f64,
    /// Passage score: closeness of the request's words.
    pub passage: f64,
    /// Similar commits.
    pub similar: f64,
    /// Exponent of a commit's similarity.
    pub similarity_exponent: f64,
    /// Change frequency.
    pub change_frequency: f64,
    /// Recent change frequency.
    pub recent_changes: f64,
    /// Half-life of a commit's weight, in commits.
    pub half_life: f64,
    /// Changing together with the best files.
    pub co_change: f64,
    /// Number of best files that related files are scored from.
    pub seeds: usize,
    /// Being a test of one of the best files, or tested by it.
    pub test_pair: f64,
    /// Being imported by one of the best files.
    pub imported: f64,
    /// Being the entry file of a folder with one of the best files.
    pub entry: f64,
    /// Defining a name of the request: one of its title, one of the text after it.
    pub defined: [f64; 2],
    /// Factors for tests, docs, settings and data; sources have 1.
    pub kind_factors: [f64; 4],
    /// Further factors for tests and docs if a long request is about neither.
    pub behaviour_factors: [f64; 2],
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
            similarity_exponent: 2.0,
            change_frequency: 0.2,
            recent_changes: 0.1,
            half_life: 150.0,
            co_change: 0.2,
            seeds: 6,
            test_pair: 0.15,
            imported: 0.05,
            entry: 0.15,
            defined: [1.0, 0.2],
            kind_factors: [1.0, 1.0, 0.5, 0.5],
            behaviour_factors: [0.8, 0.8],
        }
    }
}
