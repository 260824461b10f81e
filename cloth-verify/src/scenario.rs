//! What a scenario is.

/// A scene with what is expected of it, in three sizes.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name, as `--scenario` takes it.
    pub name: &'static str,
    /// What it stresses, in one line.
    pub about: &'static str,
}
