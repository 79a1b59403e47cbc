//! Words that say little in a request: [`STOP_WORDS`] are not searched for, [`COMMON_WORDS`] with little weight; words
//! before a verb ([`VERB_MARKERS`]).

/// Stop words, sorted.
#[rustfmt::skip]
pub(super) const STOP_WORDS: &[&str] = &[
    "about", "above", "after", "again", "against", "all", "also", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "could", "did",
    "do", "does", "doesn", "doing", "don", "down", "during", "each", "few", "for", "from", "further", "had",
    "has", "have", "he", "her", "here", "his", "how", "if", "in", "into", "is", "isn", "it", "its", "just",
    "let", "ll", "may", "me", "more", "most", "my", "no", "nor", "not", "now", "of", "off", "on", "once",
    "only", "or", "other", "our", "out", "over", "own", "per", "please", "re", "same", "she", "should", "so",
    "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "through", "to", "too", "under", "until", "up", "ve", "very", "via", "was", "we", "were",
];

/// Words common in requests, sorted.
#[rustfmt::skip]
pub(super) const COMMON_WORDS: &[&str] = &[
    "able", "across", "actually", "add", "added", "adding", "adds", "allow", "allows", "along", "already",
    "although", "always", "another", "anybody", "anyone", "anything", "around", "avoid", "away", "behavior",
    "better", "big", "bug", "bump", "cannot", "change", "changed", "changes", "clean", "cleanup", "come",
    "comes", "correct", "correctly", "either", "else", "enough", "ensure", "even", "ever", "every",
    "everybody", "everyone", "everything", "feature", "first", "fix", "fixed", "fixes", "fixing", "get",
    "give", "go", "goes", "going", "good", "handle", "handling", "however", "implement", "implemented",
    "improve", "improved", "improvement", "improvements", "instead", "introduce", "issue", "issues", "keep",
    "keeps", "kept", "know", "known", "knows", "last", "least", "less", "like", "look", "looks", "make",
    "makes", "making", "many", "might", "minor", "misc", "move", "much", "must", "need", "neither", "never",
    "new", "nice", "nobody", "nothing", "often", "one", "part", "parts", "perhaps", "prevent", "properly",
    "put", "puts", "rather", "really", "refactor", "remove", "removed", "rename", "say", "says", "see",
    "seen", "set", "shall", "simplify", "since", "small", "some", "somebody", "someone", "something",
    "sometimes", "still", "support", "supports", "sure", "take", "taken", "takes", "tell", "tells", "thing",
    "things", "though", "thus", "today", "tweak", "two", "unless", "update", "updated", "updates", "us",
    "use", "used", "user", "users", "uses", "using", "want", "way", "ways", "well", "what", "whatever",
    "when", "whenever", "where", "wherever", "whether", "which", "while", "who", "whole", "whom", "whose",
    "why", "will", "with", "within", "without", "work", "would", "yet", "you", "your", "yours",
];

/// Words after which a verb stands, sorted.
#[rustfmt::skip]
pub(super) const VERB_MARKERS: &[&str] = &[
    "can", "cannot", "could", "don", "i", "it", "let", "may", "might", "must", "not", "shall", "she", "should",
    "they", "to", "we", "who", "will", "would", "you",
];
