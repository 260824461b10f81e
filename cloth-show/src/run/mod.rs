//! A scene that is run from its start to its end, every frame judged exactly: what `cloth simulate` and a
//! sweep do.
//!
//! ```text
//! scene --prepared--> what moves in it, and the simulation
//! simulation --frames--> figures of the start and of every frame, by observe, path, skin and stretch
//! figures --report--> JSON, --verdict--> what is said of it
//! positions --caches, writer, stage--> PC2, NPZ, OBJ, USD, ...
//! ```

mod caches;
mod frames;
mod hints;
mod observe;
mod path;
mod prepared;
mod report;
mod skin;
mod stage;
mod stretch;
mod verdict;
mod vertices;
mod writer;

pub use caches::{CACHE_ROLE, CachePlan, Caches, Format};
pub use frames::{Record, Run, Start, advance, figures_of_cuts};
pub use observe::{Observation, Observer};
pub use prepared::{Limits, Prepared};
pub use report::{SCHEMA_VERSION, SimulationReport, deepest_face, is_depth, place};
