//! MDD point caches (Motion Designer), in and out: the positions of every vertex in every frame with the time
//! of each frame, as Blender, Maya and Houdini read and write them.
//!
//! ```text
//! i32 frames  i32 points                                                8 bytes
//! f32 time of each frame (s)                                            4 bytes a frame
//! x, y, z of each point, frame after frame                             12 bytes a point
//! ```
//!
//! All big-endian. The frames have the bits of those of a PC2 cache. Neither the reader nor the writer
//! accepts a coordinate that is not finite.

mod reader;
mod writer;

pub use reader::MddReader;
pub use writer::MddWriter;
