//! How text may look here. The caller knows: whether there is colour, how wide the screen is, whether it is one.

use anstyle::{AnsiColor, Effects, Style as Ansi};

/// How wide text gets where nobody said how wide the screen is.
const USUAL_WIDTH: usize = 80;

/// How text may look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether colour may be used. It never says anything that the words do not say.
    pub color: bool,
    /// How many columns there are.
    pub width: usize,
    /// Whether it is a terminal, where what was printed can be changed.
    pub is_tty: bool,
}

impl Style {
    /// Plain text for files and pipes.
    pub fn plain() -> Style {
        Style { color: false, width: USUAL_WIDTH, is_tty: false }
    }

    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        if !self.color {
            return text.to_owned();
        }
        let ansi = tone.ansi();
        format!("{ansi}{text}{ansi:#}")
    }
}

/// What kind of text something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Heading,
    Good,
    Attention,
    Quiet,
}

impl Tone {
    fn ansi(self) -> Ansi {
        match self {
            Tone::Heading => Ansi::new().effects(Effects::BOLD),
            Tone::Good => AnsiColor::Green.on_default(),
            Tone::Attention => AnsiColor::Yellow.on_default().effects(Effects::BOLD),
            Tone::Quiet => Ansi::new().effects(Effects::DIMMED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colour_there_is_only_the_text() {
        assert_eq!(Style::plain().paint(Tone::Attention, "look"), "look");
        let colourful = Style { color: true, ..Style::plain() };
        assert_eq!(colourful.paint(Tone::Heading, "look"), "\u{1b}[1mlook\u{1b}[0m");
    }
}
