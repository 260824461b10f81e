//! A scene in the types of the solver: what a simulation is built of, as a list that can be changed and built
//! again.

use cloth_solver::{
    BuildError, ClothDesc, Collider, ContactCache, FrictionPart, Interaction, MeshBodyDesc, RigidBodyDesc,
    Settings, Simulation, SimulationBuilder, Thickness,
};

use crate::RegionInteraction;

/// What a simulation is built of. Cloths, mesh bodies and colliders are numbered from 0, each in their order
/// here.
#[derive(Clone, Debug, Default)]
pub struct SceneDesc {
    /// Settings of the solver.
    pub settings: Settings,
    /// The cloths; their vertices lie behind each other in the simulation.
    pub cloths: Vec<ClothDesc>,
    /// Mesh bodies; their vertices lie behind those of the cloths.
    pub mesh_bodies: Vec<MeshBodyDesc>,
    /// Colliders, and the rigid bodies among them.
    pub colliders: Vec<ColliderDesc>,
    /// How regions interact of which [`SceneDesc::interactions`] says nothing.
    pub default_interaction: Interaction,
    /// How pairs of regions interact; the last entry of a pair counts.
    pub interactions: Vec<RegionInteraction>,
    /// Friction coefficients of parts.
    pub friction: Vec<(ScenePart, f32)>,
    /// Friction coefficients of pairs of parts.
    pub pair_friction: Vec<([ScenePart; 2], f32)>,
    /// Contacts that were computed before, for cached contacts.
    pub contact_cache: Option<ContactCache>,
}

/// A cloth, mesh body or collider by its number in a scene, as a part of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScenePart {
    /// The cloth of this number.
    Cloth(usize),
    /// The mesh body of this number.
    Body(usize),
    /// The collider of this number.
    Collider(usize),
}

/// A collider of a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum ColliderDesc {
    /// One that stands still, or whose motion is given.
    Kinematic(Collider),
    /// One with a mass, that gravity and contacts move.
    Rigid(RigidBodyDesc),
}

impl SceneDesc {
    /// A scene without anything in it.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// The scene for the solver, with settings that may differ from its own.
    ///
    /// # Errors
    /// If a friction coefficient is negative or not finite, or that of a part that is not there.
    pub fn builder(&self, settings: Settings) -> Result<SimulationBuilder, BuildError> {
        let mut builder = SimulationBuilder::new(settings);
        builder.set_default_interaction(self.default_interaction);
        for RegionInteraction { between: [a, b], kind } in &self.interactions {
            builder.set_interaction(a, b, *kind);
        }
        for cloth in &self.cloths {
            builder.add_cloth(cloth.clone());
        }
        for body in &self.mesh_bodies {
            builder.add_mesh_body(body.clone());
        }
        for collider in &self.colliders {
            match collider {
                ColliderDesc::Kinematic(collider) => builder.add_collider(collider.clone()),
                ColliderDesc::Rigid(body) => builder.add_rigid_body(body.clone()),
            };
        }
        for &(part, coefficient) in &self.friction {
            builder.set_friction(self.find(part, &builder)?, coefficient)?;
        }
        for &([a, b], coefficient) in &self.pair_friction {
            let [a, b] = [self.find(a, &builder)?, self.find(b, &builder)?];
            builder.set_pair_friction(a, b, coefficient)?;
        }
        if let Some(cache) = &self.contact_cache {
            builder.set_contact_cache(cache.clone());
        }
        Ok(builder)
    }

    /// A part in a builder of this scene.
    fn find(&self, part: ScenePart, builder: &SimulationBuilder) -> Result<FrictionPart, BuildError> {
        let (what, id, count, found) = match part {
            ScenePart::Cloth(i) => {
                ("cloth", i, self.cloths.len(), builder.cloth_id(i).map(FrictionPart::Cloth))
            }
            ScenePart::Body(i) => {
                ("mesh body", i, self.mesh_bodies.len(), builder.mesh_body_id(i).map(FrictionPart::Body))
            }
            ScenePart::Collider(i) => {
                ("collider", i, self.colliders.len(), builder.collider_id(i).map(FrictionPart::Collider))
            }
        };
        found.ok_or(BuildError::NotFound { what, id, count })
    }

    /// The simulation at its start, with settings that may differ from those of the scene.
    ///
    /// # Errors
    /// If the solver refuses the scene.
    pub fn build(&self, settings: Settings) -> Result<Simulation, BuildError> {
        self.builder(settings)?.build()
    }

    /// Adds colliders or rigid bodies.
    pub fn add_colliders<C: Into<ColliderDesc>>(&mut self, colliders: impl IntoIterator<Item = C>) {
        self.colliders.extend(colliders.into_iter().map(Into::into));
    }

    /// The rigid bodies with the numbers of their colliders.
    pub fn rigid_bodies(&self) -> impl Iterator<Item = (usize, &RigidBodyDesc)> {
        let all = self.colliders.iter().enumerate();
        all.filter_map(|(i, collider)| collider.rigid_body().map(|body| (i, body)))
    }

    /// Number of vertices of all cloths.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.cloths.iter().map(|cloth| cloth.mesh.positions.len()).sum()
    }

    /// The faces of each cloth, over all vertices.
    #[must_use]
    pub fn faces_by_cloth(&self) -> Vec<Vec<[u32; 3]>> {
        let mut offset = 0;
        let shifted = self.cloths.iter().map(|cloth| {
            let first = offset;
            offset += cloth.mesh.positions.len() as u32;
            cloth.mesh.faces.iter().map(|f| f.map(|v| v + first)).collect()
        });
        shifted.collect()
    }

    /// That of the thinnest cloth; none without cloth.
    #[must_use]
    pub fn thinnest(&self) -> Option<Thickness> {
        let thicknesses = self.cloths.iter().map(|cloth| cloth.thickness);
        thicknesses.reduce(|thin, next| if next.total() < thin.total() { next } else { thin })
    }
}

impl ColliderDesc {
    /// The collider, at the start.
    #[must_use]
    pub fn collider(&self) -> &Collider {
        match self {
            Self::Kinematic(collider) => collider,
            Self::Rigid(body) => &body.collider,
        }
    }

    /// The same, to be changed.
    pub fn collider_mut(&mut self) -> &mut Collider {
        match self {
            Self::Kinematic(collider) => collider,
            Self::Rigid(body) => &mut body.collider,
        }
    }

    /// The rigid body that it is, if it is one.
    #[must_use]
    pub fn rigid_body(&self) -> Option<&RigidBodyDesc> {
        match self {
            Self::Kinematic(_) => None,
            Self::Rigid(body) => Some(body),
        }
    }
}

impl From<Collider> for ColliderDesc {
    fn from(collider: Collider) -> Self {
        Self::Kinematic(collider)
    }
}

impl From<RigidBodyDesc> for ColliderDesc {
    fn from(body: RigidBodyDesc) -> Self {
        Self::Rigid(body)
    }
}
