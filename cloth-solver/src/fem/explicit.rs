//! Symplectic Euler: velocities by the forces of the old positions, then positions by the new velocities.

use super::global::GlobalStiffness;
use super::membrane::Membrane;
use super::sparse::PackedF64;

/// Positions and velocities of all vertices while they are integrated.
pub(crate) struct Moving<'a> {
    /// Positions (m).
    pub(crate) x: &'a mut [PackedF64],
    /// Velocities (m/s).
    pub(crate) v: &'a mut [PackedF64],
    /// Inverse masses (1/kg); a vertex with zero keeps its velocity.
    pub(crate) w: &'a [f32],
}

/// How forces are assembled.
pub(crate) enum ForceAssembly<'a> {
    Direct,
    Global(&'a mut GlobalStiffness),
}

/// Equal steps.
#[derive(Clone, Copy)]
pub(crate) struct Steps {
    pub(crate) count: u32,
    /// The length (s) of each.
    pub(crate) h: f64,
}

/// Takes steps under elastic and viscous forces. `forces` is memory of the length of the positions.
pub(crate) fn advance(
    membrane: &Membrane,
    mut assembly: ForceAssembly<'_>,
    moving: &mut Moving<'_>,
    Steps { count, h }: Steps,
    forces: &mut [PackedF64],
) {
    for _ in 0..count {
        forces.fill(PackedF64::zeros());
        match &mut assembly {
            ForceAssembly::Direct => membrane.add_all_forces(moving.x, moving.v, forces),
            ForceAssembly::Global(global) => {
                global.assemble(membrane, moving.x);
                global.add_forces(moving.x, forces);
                membrane.add_viscous_forces(moving.x, moving.v, forces);
            }
        }
        for (i, force) in forces.iter().enumerate() {
            moving.v[i] += force * (h * f64::from(moving.w[i]));
            moving.x[i] += moving.v[i] * h;
        }
    }
}
