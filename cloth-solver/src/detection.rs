//! Contact detection of a simulation: its drivers, and the contacts of the last substep.

use cloth_broadphase::AnyBroadPhase;
use cloth_contacts::collider::{ColliderContact, ColliderDetector, FaceContact};
use cloth_contacts::particles::{ParticleDetector, PointPoint, Search};
use cloth_contacts::{CachedContacts, Contacts, Detector};

/// The detectors. What they keep from step to step, apart from caches, is the history of `cloth` and the
/// faces of `cached`.
#[derive(Clone, Debug)]
pub(crate) struct Detection {
    /// Cloth with cloth and mesh bodies.
    pub(crate) cloth: Detector,
    /// Contacts that were computed once, if nothing is detected.
    pub(crate) cached: Option<CachedContacts>,
    pub(crate) particles: ParticleDetector,
    pub(crate) colliders: ColliderDetector,
    /// Contacts of the last substep.
    pub(crate) contacts: SubstepContacts,
}

/// Contacts of a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct SubstepContacts {
    pub(crate) cloth: Contacts,
    /// Whether others than in the substep before are among `cloth`.
    pub(crate) are_new: bool,
    pub(crate) particles: Vec<PointPoint>,
    pub(crate) colliders: Vec<ColliderContact>,
    pub(crate) faces: Vec<FaceContact>,
}

impl Detection {
    pub(crate) fn new(broad_phase: &AnyBroadPhase, search: Search, cached: Option<CachedContacts>) -> Self {
        Self {
            cloth: Detector::with_broad_phase(broad_phase.clone()),
            cached,
            particles: ParticleDetector::with_broad_phase(search, broad_phase.clone()),
            colliders: ColliderDetector::default(),
            contacts: SubstepContacts::default(),
        }
    }

    /// Clears candidate lists and other caches.
    pub(crate) fn clear_caches(&mut self) {
        self.cloth.invalidate_candidates();
        self.particles.reset();
        self.colliders.reset();
    }
}
