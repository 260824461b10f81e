//! Why a scene cannot be set up.

use cloth_geom::fixtures::FixtureError;
use cloth_solver::BuildError;

/// Why a scene cannot be set up.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A mesh cannot be made.
    #[error(transparent)]
    Fixture(#[from] FixtureError),
    /// A mesh is no surface.
    #[error(transparent)]
    Topology(#[from] cloth_geom::TopologyError),
    /// A collider is unusable.
    #[error(transparent)]
    Collider(#[from] cloth_contacts::collider::ColliderError),
    /// The solver refuses it.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A character cannot be made, or does not move as it is to.
    #[error(transparent)]
    Character(#[from] cloth_character::CharacterError),
    /// The built-in character cannot be made.
    #[error(transparent)]
    Human(#[from] cloth_show::human::HumanError),
    /// Cloth cannot be held by the skin of a character.
    #[error(transparent)]
    Binding(#[from] cloth_solver::DisplayError),
    /// Cloth is to be held by a joint that a character does not have.
    #[error("the character has no joint {name:?} that can hold cloth; name one of its skeleton")]
    Joint {
        /// What was named.
        name: String,
    },
    /// It cannot be audited.
    #[error(transparent)]
    Audit(#[from] crate::audit::AuditError),
}
