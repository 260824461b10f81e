//! `cloth simulate`
use crate::args::SimulateArgs;
use crate::failure::{Failure, Status};
pub(crate) fn run(_: &SimulateArgs) -> Result<Status, Failure> {
    Err(Failure::new("x"))
}
