//! The words of a page that not everybody knows, each with a sentence: `docs/guide/glossary.md` has more of
//! them.

use maud::{Markup, html};

/// A word by its anchor, with the forms that link to it and what it means.
struct Word {
    anchor: &'static str,
    forms: &'static [&'static str],
    meaning: &'static str,
}

const WORDS: [Word; 9] = [
    Word {
        anchor: "gate",
        forms: &["gate"],
        meaning: "accepts a motion after an exact proof that no pair it guards collides; it limits or stops \
                  what it cannot prove",
    },
    Word {
        anchor: "certified",
        forms: &["certified"],
        meaning: "of a pair or a motion: the gate has proved that nothing collides; certified intersections \
                  can only be an error of the gate",
    },
    Word {
        anchor: "chord",
        forms: &["chord", "chords"],
        meaning: "the straight motion of every vertex from one frame to the next; the substeps in between \
                  may take another way",
    },
    Word {
        anchor: "control",
        forms: &["control"],
        meaning: "the same scene without what the scenario is about, such as self-collision; where it does \
                  as well, the scenario proves nothing and fails",
    },
    Word {
        anchor: "tangle",
        forms: &["tangle", "tangled"],
        meaning: "a connected intersection contour with the vertices around it: there from the start, or \
                  brought by a body that cannot be held back",
    },
    Word {
        anchor: "exempt",
        forms: &["exempt"],
        meaning: "of a pair: the gate does not guard it, because it belongs to a tangle or the author of the \
                  scene says so",
    },
    Word {
        anchor: "released",
        forms: &["released"],
        meaning: "of a pair of cloth and a body: the gate no longer guards it, since the body leaves no \
                  space for the cloth",
    },
    Word {
        anchor: "substep",
        forms: &["substep", "substeps"],
        meaning: "a part of a frame: contacts, constraints and the gate run in each",
    },
    Word {
        anchor: "cut",
        forms: &["teleported"],
        meaning: "where cloth and what it is fixed to are elsewhere in the next frame: that is no motion, \
                  and is not judged",
    },
];

/// A text whose words of the glossary lead to it.
pub(super) fn linked(text: &str) -> Markup {
    let anchor = |part: &str| {
        WORDS.iter().find(|word| word.forms.contains(&part)).map(|word| format!("#{}", word.anchor))
    };
    html! {
        @for (k, part) in text.split(' ').enumerate() {
            @if k > 0 { " " }
            @if let Some(anchor) = anchor(part) { a.word href=(anchor) { (part) } } @else { (part) }
        }
    }
}

/// All words with what they mean.
pub(super) fn glossary() -> Markup {
    html! {
        details {
            summary { "Words of this page" }
            dl.words { @for word in &WORDS { dt id=(word.anchor) { (word.anchor) } dd { (word.meaning) } } }
        }
    }
}
