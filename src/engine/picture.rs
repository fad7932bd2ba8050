//! What all pictures have in common: SVG by hand, because it is a few lines of text, and a crate
//! that writes them would know no more about the width of a word than we do.

use std::fmt::Write as _;

/// An SVG picture that grows line by line.
pub struct Picture {
    text: String,
}

impl Picture {
    /// The size of letters, unless another is said.
    pub const LETTERS: f64 = 12.0;

    /// Empty, on white ground.
    pub fn new(width: f64, height: f64) -> Picture {
        let letters = Picture::LETTERS;
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" \
             font-size=\"{letters}\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        Picture { text }
    }

    /// Adds an element as it stands.
    pub fn put(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing into a text cannot fail.
        let _ = writeln!(self.text, "{element}");
    }

    /// Adds words; `style` is more attributes, or nothing.
    pub fn words(&mut self, x: f64, y: f64, style: &str, words: &str) {
        let words = escaped(words);
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{words}</text>"
        ));
    }

    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// About how wide words are at the usual size: nobody knows which font a reader has, so it is that
/// of a wide one (DejaVu Sans), rounded up.
pub fn width_of(text: &str) -> f64 {
    let width = |letter: char| match letter {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | '\'' | '|' | ' ' => 4.3,
        'f' | 't' | 'r' | '-' | '(' | ')' => 5.4,
        'm' | 'w' | 'M' | 'W' | '+' | '=' | '−' | '–' => 11.9,
        'A'..='Z' => 9.5,
        letter if letter as u32 > 0x2e80 => 12.5,
        _ => 7.8,
    };
    text.chars().map(width).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_words_whatever_is_in_them() {
        let mut picture = Picture::new(100.0, 50.0);
        picture.words(1.0, 2.0, "", "A & B <\"1980\">");
        let svg = picture.finish();
        assert!(svg.contains("A &amp; B &lt;&quot;1980&quot;&gt;"), "{svg}");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn longer_words_are_wider_and_an_i_is_narrower_than_an_m() {
        assert!(width_of("ii") < width_of("m"));
        assert!(width_of("Rose") < width_of("Rose-v-Toth"));
        assert_eq!(width_of(""), 0.0);
    }
}
