//! The features of a scene that *acted*: not what a scene has, but what had an effect while the gate was at
//! work.

use serde::{Deserialize, Serialize};

/// Declares the features, each with its name in reports.
macro_rules! features {
    ($($(#[$doc:meta])* $name:ident => $word:literal,)*) => {
        /// Something that acted in a scene.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Feature { $($(#[$doc])* $name,)* }

        impl Feature {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Its name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }
    };
}

features! {
    /// The gate changed a motion.
    GateChanged => "gate changed a motion",
    /// The gate kept a vertex where it was.
    GateHeld => "gate held a vertex",
    /// The gate took more rounds than those that project motions.
    GateRigid => "gate moved cloth rigidly",
    /// The gate decided a pair exactly.
    GateExact => "gate decided exactly",
    /// A pinned vertex came later than it was to.
    PinLag => "pin lagged",
    /// A pinned vertex or a body came later than it was to, and the gate stopped nothing.
    Lag => "lag",
    /// The targets of pins or attachments were elsewhere than a step before.
    JumpOfPins => "jump of pins",
    /// So was the target of a body, or of a guarded collider.
    JumpOfBody => "jump of a body",
    /// Waypoints led elsewhere and back.
    JumpOfWaypoints => "jump of waypoints",
    /// What jumped was turned.
    Turn => "turn",
    /// Something jumped in two steps in a row.
    JumpAgain => "jumps in two steps in a row",
    /// A cloth was teleported with what it is fixed to.
    Cut => "cut",
    /// A body, or the axis of a guarded collider, went along with a cut.
    CutWithBody => "cut with a body",
    /// A cut turned a cloth.
    CutTurned => "cut with a turn",
    /// A cloth was asleep at the end of a step.
    Asleep => "cloth asleep",
    /// A cloth woke in a step.
    Woken => "cloth woken",
    /// Contacts within a cloth.
    SelfContact => "contact within a cloth",
    /// Contacts between cloths.
    ClothContact => "contact between cloths",
    /// Contacts that began on the wrong side.
    Crossed => "contact on its wrong side",
    /// A motion was cut at the plane of a contact.
    Truncated => "motion cut at a plane",
    /// A body whose shape stays touched cloth.
    RigidBody => "contact with a rigid body",
    /// A body whose shape changes touched cloth.
    DeformingBody => "contact with a deforming body",
    /// A body was released.
    Released => "body released",
    /// A collider touched cloth.
    Collider => "contact with a collider",
    /// A collider had to yield.
    Pinch => "collider pinched cloth",
    /// The start was tangled.
    TangledStart => "tangled start",
    /// A tangle ended.
    Resolved => "tangle resolved",
    /// Recovery worked on a tangle.
    Recovery => "recovery at work",
    /// A contact at a border between regions.
    RegionBorder => "contact at a region border",
    /// Pairs passed through each other because their regions may.
    OpenRegion => "open region met",
    /// A contact of layers in order.
    Layers => "contact of ordered layers",
    /// A contact of a vertex that is sewn, or of a neighbour of one.
    Stitch => "contact beside a stitch",
    /// A contact of a vertex that is excluded from another, or of a neighbour of one.
    Exclusion => "contact beside an exclusion",
    /// A tether was taut.
    Tether => "taut tether",
    /// An attachment pulled.
    Attachment => "attachment pulled",
    /// A drive pulled.
    Drive => "drive pulled",
    /// A carrier moved that is not felt as a whole.
    Carrier => "carrier moved",
    /// Wind blew on cloth that is free.
    Wind => "wind blew",
    /// Contacts that were computed once.
    Cached => "cached contact",
    /// Contacts of balls.
    Balls => "contact of balls",
    /// Cloth without thickness was guarded.
    Thin => "cloth of thickness 0",
    /// A contact of cloth that is thicker than half its spacing.
    Thick => "contact of thick cloth",
    /// Contacts without friction.
    Slippery => "contact without friction",
    /// Contacts with a coefficient of friction of 1 or more.
    Rough => "contact with much friction",
    /// A scene of less than a hundredth of the usual size.
    Small => "small world",
    /// A scene of more than a hundred times the usual size.
    Large => "large world",
    /// A scene more than a thousand times its size from the origin.
    Far => "far origin",
    /// A contact of a mesh that is no manifold.
    NonManifold => "contact of a non-manifold mesh",
    /// A start, or a state after a jump, that is tangled or touches on a grid, where vertices coincide and
    /// faces lie in a plane.
    Touching => "tangled or touching on a grid",
    /// A motion of more than an edge in a substep.
    Fast => "motion of more than an edge",
    /// The displacement of a vertex was limited in radii.
    Limited => "motion limited by radii",
    /// Pairs were guarded after a vertex was pinned.
    Pinned => "pin called",
    /// After a mass was set.
    Weighed => "mass set",
    /// After velocities were set.
    Thrown => "velocity set",
    /// After a teleport.
    Teleported => "teleport",
    /// A teleport or a reset made a tangle.
    TeleportTangled => "jump into a tangle",
    /// After a reset.
    Reset => "reset",
    /// After a snapshot was restored.
    Restored => "restore",
    /// After a step was refused, or failed in its first substep.
    FailedEarly => "step failed at once",
    /// After a step failed whose first substeps had been accepted.
    FailedLate => "step failed late",
    /// After the duration of a step was changed.
    VariedDt => "time step changed",
    /// After calls that are refused.
    RefusedCall => "call refused",
    /// Two threads.
    Threads => "two threads",
    /// Eight or more substeps a step.
    Substeps => "eight substeps or more",
    /// One detection for several substeps, the gate having work.
    Interval => "detection for several substeps",
    /// Another relaxation of bending and shear than the solver's own, the gate having work.
    Relaxation => "other relaxation",
    /// The air acted once in several substeps.
    WindInterval => "air for several substeps",
    /// Something moved through waypoints, the gate having work.
    Waypoints => "moved through waypoints",
    /// Cloth touched the axis of a guarded collider.
    GuardedCollider => "contact with a guarded axis",
    /// Cloth pushed a rigid body.
    RigidMass => "rigid body pushed",
    /// Finite elements, the gate having work.
    Fem => "finite elements",
    /// Mass-spring, the gate having work.
    MassSpring => "mass-spring",
    /// Gusts blew on cloth.
    Gusts => "gusts blew",
    /// A contact of an instance.
    Instance => "contact of an instance",
    /// Pairs were guarded after a setting was changed.
    SettingsChanged => "setting changed",
    /// After the number of threads was changed.
    ThreadsChanged => "threads changed",
    /// After a body was teleported.
    BodyTeleported => "body teleported",
    /// After a collider was teleported.
    ColliderTeleported => "collider teleported",
    /// After everything was teleported.
    AllTeleported => "everything teleported",
    /// After a cloth was added.
    ClothAdded => "cloth added",
    /// After a cloth was removed.
    ClothRemoved => "cloth removed",
    /// After a body was added.
    BodyAdded => "body added",
    /// After a body was removed.
    BodyRemoved => "body removed",
    /// After a collider was added.
    ColliderAdded => "collider added",
    /// After a collider was removed.
    ColliderRemoved => "collider removed",
    /// After an interaction was changed.
    InteractionChanged => "interaction changed",
    /// After exclusions were changed.
    ExclusionChanged => "exclusion changed",
    /// After stitches were changed.
    StitchChanged => "stitch changed",
    /// After a material was changed.
    MaterialChanged => "material changed",
    /// An edit ended the exemption of pairs that intersected.
    ExemptionEnded => "exemption ended by an edit",
}

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureSet(u128);

impl FeatureSet {
    /// Adds a feature if it acted.
    pub fn add(&mut self, feature: Feature, acted: bool) {
        self.0 |= u128::from(acted) << feature as u32;
    }

    /// Whether a feature acted.
    #[must_use]
    pub fn has(self, feature: Feature) -> bool {
        self.0 >> feature as u32 & 1 == 1
    }

    /// The features of either.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those that acted.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |&feature| self.has(feature))
    }
}

/// Pairs of features that cannot act in one scene, each with its reason.
const IMPOSSIBLE: &[(Feature, Feature, &str)] = &[
    (Feature::Slippery, Feature::Rough, "a scene has one coefficient of friction"),
    (Feature::Small, Feature::Large, "a scene has one scale"),
    (Feature::Cached, Feature::Truncated, "with cached contacts nothing is detected"),
    (Feature::Cached, Feature::GuardedCollider, "with cached contacts nothing is detected"),
];

/// Why two features cannot act in one scene; none if they can.
#[must_use]
pub fn impossible(a: Feature, b: Feature) -> Option<&'static str> {
    IMPOSSIBLE.iter().find(|(x, y, _)| [(a, b), (b, a)].contains(&(*x, *y))).map(|entry| entry.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_keeps_every_feature_apart() {
        assert!(Feature::ALL.len() <= 128, "a set has 128 bits");
        for &feature in Feature::ALL {
            let mut set = FeatureSet::default();
            set.add(feature, true);
            assert_eq!(set.iter().collect::<Vec<_>>(), [feature]);
        }
        let mut names: Vec<&str> = Feature::ALL.iter().map(|feature| feature.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Feature::ALL.len());
    }
}
