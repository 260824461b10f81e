//! Options that take one of a few words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use cloth_scene::{BendRest, Placing, RootMotion, Units, Up};
use cloth_solver::FaceContacts;

/// Words with what they mean and what the help says about them.
pub(super) type Words<T, const N: usize> = [(&'static str, T, &'static str); N];

/// A parser of these words.
pub(super) fn words<T, const N: usize>(known: Words<T, N>) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let parser = PossibleValuesParser::new(known.map(|(word, _, help)| PossibleValue::new(word).help(help)));
    parser.map(move |given| known[known.iter().position(|(word, ..)| *word == given).unwrap_or(0)].1)
}

/// Whether motion is certified.
pub(super) const GATE: Words<bool, 2> = [
    ("on", true, "Certify every motion by exact arithmetic: pairs that are apart stay apart"),
    ("off", false, "Check frames only; motion is not certified"),
];

/// Whether cuts teleport cloth.
pub(super) const TELEPORT: Words<bool, 2> = [
    (
        "on",
        true,
        "Cloth goes along in one step, as the table `teleport` of the scene says, or by its defaults",
    ),
    ("off", false, "Cloth is dragged along, however far that is"),
];

/// Which faces make contacts with bodies.
pub(super) const FACE_CONTACTS: Words<FaceContacts, 3> = [
    ("on", FaceContacts::On, "All faces"),
    ("off", FaceContacts::Off, "None: contacts act on vertices alone"),
    ("auto", FaceContacts::Auto, "Faces with an edge longer than half of the body's smallest radius"),
];

/// Where a garment starts.
pub(super) const PLACE: Words<Placing, 2> =
    [("asis", Placing::AsIs, "Where its file has it"), ("above", Placing::Above, "Above the body")];

/// The fold angles without tension.
pub(super) const BEND_REST: Words<BendRest, 2> =
    [("start", BendRest::Start, "Those of the rest shape"), ("flat", BendRest::Flat, "None")];

/// The axis of a file that points up.
pub(super) const UP: Words<Up, 2> = [("y", Up::Y, "As in the simulation"), ("z", Up::Z, "As in Blender")];

/// The unit and axes of what is written.
pub(super) const UNITS: Words<Units, 2> = [
    ("file", Units::File, "Those of the garment's file"),
    ("metres", Units::Metres, "Metres, y up, as simulated"),
];

/// What becomes of the horizontal displacement in clips.
pub(super) const ROOT_MOTION: Words<RootMotion, 3> = [
    ("keep", RootMotion::Keep, "As in the clips: the character returns at the end of a loop"),
    ("accumulate", RootMotion::Accumulate, "Each cycle begins where the one before ended"),
    ("remove", RootMotion::Remove, "The character stays in place"),
];
