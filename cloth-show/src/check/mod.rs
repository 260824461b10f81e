//! Judges mesh files exactly: what `cloth check` finds, for any program.
//!
//! ```text
//! file, cache --Subject--> states --PreparedMesh--> positions --check_states--> StatesReport
//! ```
//!
//! Every state of a mesh, a sequence or a cache is checked for self-intersections, flat folds and faces that
//! lie on others, and the straight motions between successive states for crossings, without a tolerance. A
//! cut, where cloth is elsewhere in the next state, is no motion: GLB files say where cuts are, for others
//! the options do.
//!
//! ```no_run
//! use cloth_show::check::{CheckOptions, Subject, check_states};
//!
//! let mut subject = Subject::open("shirt.obj".as_ref(), Some("shirt.pc2".as_ref()))?;
//! let report = check_states(&mut subject, &CheckOptions::default(), &mut |_| {})?;
//! print!("{}", report.text());
//! assert!(report.is_clean());
//! # Ok::<(), cloth_show::cloth_io::FileError>(())
//! ```

mod counts;
mod ensemble;
mod hints;
mod monitor;
mod outfit;
mod pass_through;
mod prepare;
mod report;
mod seams;
mod skinned;
mod state;
mod state_view;
mod states;
mod subject;

use std::path::PathBuf;

pub use counts::StateCounts;
pub use hints::{UnweldedSeams, welded_state};
pub use outfit::{OutfitStatesReport, check_outfit};
pub use prepare::PreparedMesh;
pub use report::{SCHEMA_VERSION, StatesReport, check_states};
pub use seams::read_seams;
pub use skinned::ClipChoice;
pub use state_view::StateView;
pub use states::Example;
pub use subject::Subject;

use crate::Interrupt;

/// How a subject is judged.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Welds vertices that are at most this far apart (the unit of the file); none by default.
    pub weld: Option<f64>,
    /// Pairs of triangles with overlapping boxes after which the check of a state is stopped; 100 million by
    /// default, which take about two minutes.
    pub max_pairs: u64,
    /// Leaves the motions between states out.
    pub frames_only: bool,
    /// Frames that a cut leads to, in the numbers of [`Subject::frame_number`], in addition to those that the
    /// file names: what leads to them is no motion, and is not judged. None by default.
    pub cuts: Vec<f64>,
    /// Stitches whose closed seams join vertices; none by default.
    pub stitches: Option<Stitches>,
    /// Calls a state with flat folds, or with faces on others, clean if nothing else is wrong; off by
    /// default.
    pub allow_folds: bool,
    /// Calls a mesh clean although more than 1 % of its faces were left out of the check; off by default.
    pub allow_left_out: bool,
    /// How many intersections of the worst state and crossings between states are listed; 3 by default.
    pub examples: usize,
    /// Ends the check after the state that it is at, or within it.
    pub interrupt: Interrupt,
}

impl CheckOptions {
    /// The default of [`CheckOptions::max_pairs`].
    pub const MAX_PAIRS: u64 = 100_000_000;
    /// The default of [`CheckOptions::examples`].
    pub const EXAMPLES: usize = 3;
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self {
            weld: None,
            max_pairs: Self::MAX_PAIRS,
            frames_only: false,
            cuts: Vec::new(),
            stitches: None,
            allow_folds: false,
            allow_left_out: false,
            examples: Self::EXAMPLES,
            interrupt: Interrupt::NEVER,
        }
    }
}

/// Stitches in a file, as [`read_seams`] reads them.
#[derive(Clone, Debug, PartialEq)]
pub struct Stitches {
    /// The file.
    pub file: PathBuf,
    /// How near the ends of a closed seam are, in the unit of the frames.
    pub distance: f64,
}

/// How far a check has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckEvent {
    /// So many states are judged.
    States(usize),
    /// The check of a state takes long. It is said after ten million pairs of triangles, and each time that
    /// their number has doubled.
    Pairs {
        /// Pairs with overlapping boxes that were decided in this state.
        pairs: u64,
        /// Intersections found in it so far.
        intersections: u64,
    },
}
