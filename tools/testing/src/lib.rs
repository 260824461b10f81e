//! What the tests of the crates share: test data that are not in the repository, and seeded random numbers.

mod corpus;
mod dice;

pub use corpus::corpus;
pub use dice::Dice;
