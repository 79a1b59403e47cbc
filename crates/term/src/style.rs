//! Text style, set by the caller: colour, width, terminal or not.

use anstyle::{AnsiColor, Effects, Style as Ansi};

/// Width if the width of the screen is unknown.
const DEFAULT_WIDTH: usize = 80;

/// Text style of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// True if colour may be used. Colour never carries information of its own.
    pub color: bool,
    /// Number of columns.
    pub width: usize,
    /// True if the output is a terminal that can be redrawn.
    pub is_tty: bool,
}

impl Style {
    /// Plain text for files and pipes.
    pub fn plain() -> Style {
        Style { color: false, width: DEFAULT_WIDTH, is_tty: false }
    }

    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        if !self.color {
            return text.to_owned();
        }
        let ansi = tone.ansi();
        format!("{ansi}{text}{ansi:#}")
    }
}

/// Tone of a text, shown by colour or weight.
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
