//! The native half of the Python package `cloth`. What users see, with its documentation, is in
//! `python/package/cloth`; here arrays become slices, the interpreter is left alone while work is done, and
//! errors become exceptions.

use pyo3::prelude::*;

mod arrays;
mod audit;
mod batch;
mod certifier;
mod changes;
mod command;
mod errors;
mod frames;
mod judge;
mod mesh;
mod outfit;
mod pool;
mod queries;
mod reads;
mod records;
mod scene;
mod simulation;
mod slot;
mod steps;
mod sweep;
mod untangle;
mod waypoints;

/// The native half of the package `cloth`.
#[pymodule]
mod _cloth {
    #[pymodule_export]
    use crate::audit::{audit_motions, audit_outfit};
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::certifier::Certifier;
    #[pymodule_export]
    use crate::changes::{
        add_collider, edit, move_attachments, move_drive, move_local_frame, pin_softly, push_rigid_body,
        remove_collider, set_attachments, set_friction, set_masses, set_settings, set_state, set_user_data,
        set_velocities, wake,
    };
    #[pymodule_export]
    use crate::command::run_command;
    #[pymodule_export]
    use crate::frames::{CacheFrames, ObjFrames, UsdWriter, read_mesh};
    #[pymodule_export]
    use crate::judge::{check_motion, check_state, max_step, safe_distances};
    #[pymodule_export]
    use crate::mesh::Mesh;
    #[pymodule_export]
    use crate::outfit::{Outfit, check_outfit};
    #[pymodule_export]
    use crate::pool::{set_thread_count, thread_count};
    #[pymodule_export]
    use crate::queries::{broad_phase, ccd};
    #[pymodule_export]
    use crate::reads::{
        attachments, contacts, edges, intersections, is_asleep, is_guarded, kinetic_energy, normals,
        particle_contacts, pins, released, rigid_bodies, settings, tangles, user_data,
    };
    #[pymodule_export]
    use crate::simulation::Simulation;
    #[pymodule_export]
    use crate::sweep::{sweep_merge, sweep_runs, sweep_shard};
    #[pymodule_export]
    use crate::untangle::untangle;
}
