//! The features of a scene that *acted*: not what a scene has, but what had an effect while the gate was at
//! work.

/// Declares the features, each with its name in reports.
macro_rules! features {
    ($($name:ident => $word:literal,)*) => {
        /// Something that acted in a scene.
        #[derive(Clone, Copy, Debug)]
        pub(super) enum Feature { $($name,)* }

        /// The name of each feature.
        pub(super) const NAMES: &[&str] = &[$($word,)*];
    };
}

features! {
    GateChanged => "gate changed a motion",
    GateHeld => "gate held a vertex",
    // More rounds than those that project motions.
    GateRigid => "gate moved cloth rigidly",
    GateExact => "gate decided exactly",
    PinLag => "pin lagged",
    // A pinned vertex or a body came later than it was to, and the gate stopped nothing.
    Lag => "lag",
    // The targets of pins or attachments were elsewhere than a step before.
    JumpOfPins => "jump of pins",
    // So was the target of a body, or of a guarded collider.
    JumpOfBody => "jump of a body",
    // They led elsewhere and back.
    JumpOfWaypoints => "jump of waypoints",
    // What jumped was turned.
    Turn => "turn",
    JumpAgain => "jumps in two steps in a row",
    // A cloth was teleported with what it is fixed to.
    Cut => "cut",
    // A body, or the axis of a guarded collider, went along.
    CutWithBody => "cut with a body",
    CutTurned => "cut with a turn",
    Asleep => "cloth asleep",
    Woken => "cloth woken",
    SelfContact => "contact within a cloth",
    ClothContact => "contact between cloths",
    Crossed => "contact on its wrong side",
    Truncated => "motion cut at a plane",
    RigidBody => "contact with a rigid body",
    DeformingBody => "contact with a deforming body",
    Released => "body released",
    Collider => "contact with a collider",
    Pinch => "collider pinched cloth",
    TangledStart => "tangled start",
    Resolved => "tangle resolved",
    Recovery => "recovery at work",
    RegionBorder => "contact at a region border",
    // Pairs passed through each other because their regions may.
    OpenRegion => "open region met",
    Layers => "contact of ordered layers",
    // Of a vertex that is sewn, or of a neighbour of one.
    Stitch => "contact beside a stitch",
    // Of a vertex that is excluded from another, or of a neighbour of one.
    Exclusion => "contact beside an exclusion",
    Tether => "taut tether",
    Attachment => "attachment pulled",
    Drive => "drive pulled",
    // It is not felt as a whole.
    Carrier => "carrier moved",
    Wind => "wind blew",
    Cached => "cached contact",
    Balls => "contact of balls",
    Thin => "cloth of thickness 0",
    // Thicker than half its spacing.
    Thick => "contact of thick cloth",
    Slippery => "contact without friction",
    // A coefficient of 1 or more.
    Rough => "contact with much friction",
    // Less than a hundredth of the usual size.
    Small => "small world",
    // More than a hundred times the usual size.
    Large => "large world",
    // More than a thousand times the size of the scene away.
    Far => "far origin",
    NonManifold => "contact of a non-manifold mesh",
    // A start, or a state after a jump, where vertices coincide and faces lie in a plane.
    Touching => "tangled or touching on a grid",
    // In a substep.
    Fast => "motion of more than an edge",
    Limited => "motion limited by radii",
    // Pairs were guarded after a call.
    Pinned => "pin called",
    Weighed => "mass set",
    Thrown => "velocity set",
    Teleported => "teleport",
    // A teleport or a reset made a tangle.
    TeleportTangled => "jump into a tangle",
    Reset => "reset",
    Restored => "restore",
    // A step was refused, or failed in its first substep.
    FailedEarly => "step failed at once",
    // The first substeps had been accepted.
    FailedLate => "step failed late",
    VariedDt => "time step changed",
    RefusedCall => "call refused",
    Threads => "two threads",
    Substeps => "eight substeps or more",
    Interval => "detection for several substeps",
    Relaxation => "other relaxation",
    WindInterval => "air for several substeps",
    Waypoints => "moved through waypoints",
    GuardedCollider => "contact with a guarded axis",
    RigidMass => "rigid body pushed",
    Fem => "finite elements",
    MassSpring => "mass-spring",
    Gusts => "gusts blew",
    Instance => "contact of an instance",
    SettingsChanged => "setting changed",
    ThreadsChanged => "threads changed",
    BodyTeleported => "body teleported",
    ColliderTeleported => "collider teleported",
    AllTeleported => "everything teleported",
    ClothAdded => "cloth added",
    ClothRemoved => "cloth removed",
    BodyAdded => "body added",
    BodyRemoved => "body removed",
    ColliderAdded => "collider added",
    ColliderRemoved => "collider removed",
    InteractionChanged => "interaction changed",
    ExclusionChanged => "exclusion changed",
    StitchChanged => "stitch changed",
    MaterialChanged => "material changed",
    // Of pairs that intersected.
    ExemptionEnded => "exemption ended by an edit",
}

/// A set of features.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FeatureSet(u128);

impl FeatureSet {
    /// Adds a feature if it acted.
    pub(super) fn add(&mut self, feature: Feature, acted: bool) {
        self.0 |= u128::from(acted) << feature as u32;
    }

    /// Adds the features of another set.
    pub(super) fn join(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// The names of its features.
    pub(super) fn names(self) -> Vec<&'static str> {
        let named = NAMES.iter().enumerate();
        named.filter(|(k, _)| self.0 >> k & 1 == 1).map(|(_, name)| *name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_keeps_every_feature_apart() {
        assert!(NAMES.len() <= 128, "a set has 128 bits");
        for feature in 0..NAMES.len() {
            assert_eq!(FeatureSet(1 << feature).names(), [NAMES[feature]]);
        }
        let mut set = FeatureSet::default();
        set.add(Feature::GateChanged, true);
        set.add(Feature::GateHeld, false);
        set.add(Feature::ExemptionEnded, true);
        assert_eq!(set.names(), ["gate changed a motion", "exemption ended by an edit"]);
        let mut names = NAMES.to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), NAMES.len());
    }
}
