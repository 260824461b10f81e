//! Continuous collision detection: every method by the conformance suite, the exact ones on queries that aim
//! at contact, and the reference itself by other means and by answers that others computed.
//!
//! A million queries of each kind that aim at contact (minutes for points, the better part of an hour for
//! triangles and edges):
//!
//! ```sh
//! PROPTEST_CASES=1000000 cargo test --release -p cloth-ccd --test ccd agreement
//! ```

mod agreement;
mod aims;
mod bisection;
mod corpus;
mod labels;
mod stamps;
