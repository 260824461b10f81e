//! The `cloth` command.

fn main() {}
