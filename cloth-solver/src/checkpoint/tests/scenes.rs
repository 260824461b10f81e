//! Small scenes with everything that a checkpoint has to keep.

use cloth_geom::{TriMesh, fixtures};
use nalgebra::{Isometry3, Point3, Vector3};
use proptest::prelude::*;

use crate::{
    Attachment, ClothDesc, Collider, ContactSource, Damping, Drive, ElasticModel, Gusts, Interaction,
    LocalFrame, Material, MeshBodyDesc, RigidBodyDesc, Settings, Shape, Simulation, SimulationBuilder, Sleep,
    Stitch, Tethers, Thickness, Wind,
};

pub(super) const DT: f32 = 1.0 / 60.0;

/// Vertices along a side.
pub(super) const SIDE: usize = 6;

/// Where the vertex is that a failure may fling away.
pub(super) const APART: Point3<f32> = Point3::new(0.0, 50.0, 0.0);

/// A step so short that a vertex overflows that goes some 1000 km: `f32` cannot square its velocity.
pub(super) const SHORT: f32 = 2.5e-14;

/// Share of the distance to its target that it covers in a substep of [`SHORT`].
pub(super) const SHARE: f32 = 0.1;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SceneKind {
    /// A pinned sheet close over one that is pinned at every second vertex: moved through it, it leaves
    /// contacts on their wrong side.
    Pressed,
    /// Two sheets that cross.
    Crossed,
    /// Two layers on each other's wrong side.
    Layers,
    /// Cached contacts between layers that slide.
    Cached,
    /// Balls on vertices.
    Balls,
    /// Balls without thickness.
    Points,
    /// A cloth with every kind of constraint, drive and damping.
    Controls,
    /// A body that is pressed through a pinned sheet, and a free one above.
    Pierced,
    /// A free sheet between a rigid ball and a guarded rigid capsule.
    Rigid,
}

impl SceneKind {
    pub(super) const ALL: [Self; 9] = [
        Self::Pressed,
        Self::Crossed,
        Self::Layers,
        Self::Cached,
        Self::Balls,
        Self::Points,
        Self::Controls,
        Self::Pierced,
        Self::Rigid,
    ];
}

#[derive(Clone, Copy, Debug)]
pub(super) struct RandomScene {
    pub(super) kind: SceneKind,
    pub(super) substeps: u32,
    pub(super) detect_interval: u32,
    pub(super) gate: bool,
    pub(super) recovery: bool,
    pub(super) sleep: Option<Sleep>,
    pub(super) model: ElasticModel,
}

pub(super) fn scene() -> impl Strategy<Value = RandomScene> {
    // What may be tangled, twice.
    let kinds = SceneKind::ALL.into_iter().chain([SceneKind::Crossed, SceneKind::Pierced]);
    let kind = prop::sample::select(kinds.collect::<Vec<_>>());
    let [_, mass_spring, fem] = ElasticModel::named().map(|(_, model)| Just(model));
    let model = prop_oneof![6 => Just(ElasticModel::Xpbd), 1 => mass_spring, 2 => fem];
    // Cloth that falls asleep at once, also in mid-air.
    let at_once = (0.01..3.0_f32).prop_map(|speed| Some(Sleep { after: 0.0, speed }));
    let sleep = prop_oneof![Just(None), Just(Some(Sleep::default())), at_once];
    let made = (kind, 1..=8_u32, 1..=4_u32, prop::bool::weighted(0.75), any::<bool>(), sleep, model);
    made.prop_map(|(kind, substeps, detect_interval, gate, recovery, sleep, model)| RandomScene {
        kind,
        substeps,
        detect_interval,
        gate,
        recovery,
        sleep,
        model,
    })
}

fn sheet(at: [f64; 3]) -> TriMesh {
    let flat = fixtures::sheet(SIDE, SIDE, [0.3, 0.3]).expect("a sheet").mesh;
    fixtures::jitter(&flat, 1e-3, at[1].to_bits()).expect("a sheet").translated(at.into())
}

fn upright(at: [f64; 3]) -> TriMesh {
    sheet([0.0, 0.1, 0.0]).mapped(|p| Point3::new(p.x, p.z, p.y - 0.1)).translated(at.into())
}

fn cotton(mesh: TriMesh) -> ClothDesc {
    ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(0.02, 0.4))
}

impl RandomScene {
    /// With the defaults for the rest.
    pub(super) fn plain(kind: SceneKind, substeps: u32, gate: bool) -> Self {
        let (sleep, model) = (Settings::default().sleep, ElasticModel::Xpbd);
        Self { kind, substeps, detect_interval: 2, gate, recovery: true, sleep, model }
    }

    fn settings(&self) -> Settings {
        let Self { kind, substeps, detect_interval, gate, recovery, sleep, model } = *self;
        let cached = ContactSource::Cached { reach: 0.1, follow: true };
        // In gusts nothing sleeps, so only some scenes have them.
        let gusts = substeps.is_multiple_of(2).then(|| Gusts { period: 0.1, ..Gusts::default() });
        // What is to fail has no limit: nothing lags.
        Settings {
            velocity_limit: f32::MAX,
            substeps,
            detect_interval,
            gate,
            recovery,
            sleep,
            model,
            contacts: if kind == SceneKind::Cached { cached } else { ContactSource::Detected },
            wind: Wind { velocity: Vector3::new(0.5, 0.0, 0.2), gusts, ..Wind::default() },
            ..Settings::default()
        }
    }

    pub(super) fn build(&self) -> Simulation {
        let mut builder = SimulationBuilder::new(self.settings());
        for cloth in self.cloths() {
            builder.add_cloth(cloth);
        }
        builder.add_cloth(self.vertex_apart());
        let floor = Isometry3::translation(0.0, -0.2, 0.0);
        builder.add_collider(Collider::new(Shape::Plane, floor, 0.3).expect("a floor"));
        let ball =
            Collider::new(Shape::Sphere { radius: 0.08 }, Isometry3::translation(0.05, -0.15, 0.0), 0.3);
        builder.add_collider(ball.expect("a ball"));
        if self.kind == SceneKind::Pierced {
            let mesh = fixtures::icosphere(1, 0.06).expect("a ball");
            let mesh = mesh.translated(Vector3::new(0.011, 0.1, 0.017));
            builder.add_mesh_body(MeshBodyDesc { mesh, thickness: Thickness::from_total(0.02, 0.4) });
        }
        if self.kind == SceneKind::Rigid {
            let ball = Shape::Sphere { radius: 0.04 };
            let ball = Collider::new(ball, Isometry3::translation(0.02, 0.1, 0.0), 0.3).expect("a ball");
            builder
                .add_rigid_body(RigidBodyDesc { velocity: -Vector3::y(), ..RigidBodyDesc::new(ball, 0.05) });
            let bar = Shape::Capsule { half_length: 0.05, radius: 0.02 };
            let bar = Collider::new(bar, Isometry3::translation(-0.05, -0.1, 0.03), 0.3).expect("a bar");
            let bar = RigidBodyDesc::new(bar.guarded().expect("a capsule"), 0.05);
            builder.add_rigid_body(RigidBodyDesc { angular_velocity: Vector3::new(20.0, 0.0, 5.0), ..bar });
        }
        if matches!(self.kind, SceneKind::Balls | SceneKind::Points) {
            builder.set_default_interaction(Interaction::Particles);
        }
        builder.build().expect("a scene")
    }

    fn cloths(&self) -> Vec<ClothDesc> {
        let all: Vec<u32> = (0..(SIDE * SIDE) as u32).collect();
        let over = |y: f64| cotton(sheet([0.013, y, 0.007]));
        match self.kind {
            SceneKind::Pressed => {
                let pins = all.iter().copied().step_by(2).collect();
                vec![ClothDesc { pins, ..cotton(sheet([0.0; 3])) }, ClothDesc { pins: all, ..over(0.013) }]
            }
            SceneKind::Crossed => {
                let pins = vec![0, SIDE as u32 - 1];
                vec![ClothDesc { pins, ..cotton(sheet([0.0; 3])) }, cotton(upright([0.011, 0.09, 0.017]))]
            }
            SceneKind::Layers => {
                let below = ClothDesc { layer: Some(2), pins: all, ..cotton(sheet([0.0; 3])) };
                vec![below, ClothDesc { layer: Some(1), ..over(0.006) }]
            }
            SceneKind::Cached => {
                let below = ClothDesc { layer: Some(1), pins: all, ..cotton(sheet([0.0; 3])) };
                vec![below, ClothDesc { layer: Some(2), ..over(0.02) }]
            }
            SceneKind::Balls => vec![ClothDesc { pins: all, ..cotton(sheet([0.0; 3])) }, over(0.03)],
            SceneKind::Points => {
                let thickness = Thickness::from_total(0.0, 0.0);
                vec![ClothDesc { thickness, ..over(0.0) }, ClothDesc { thickness, ..over(0.03) }]
            }
            SceneKind::Controls => vec![controlled(), over(0.05)],
            SceneKind::Rigid => vec![cotton(sheet([0.0; 3])), over(0.3)],
            SceneKind::Pierced => vec![ClothDesc { pins: all, ..cotton(sheet([0.0; 3])) }, over(0.2)],
        }
    }

    /// A vertex on a spring.
    fn vertex_apart(&self) -> ClothDesc {
        let mesh = TriMesh { positions: vec![APART.cast()], faces: Vec::new() };
        let h = SHORT / self.substeps as f32;
        let compliance = h * h * (1.0 / SHARE - 1.0);
        let thickness = if self.kind == SceneKind::Points { 0.0 } else { 0.02 };
        ClothDesc {
            masses: Some(vec![1.0]),
            attachments: vec![Attachment { vertex: 0, target: APART, compliance }],
            ..ClothDesc::new(mesh, Material::COTTON, Thickness::from_total(thickness, 0.4))
        }
    }
}

fn controlled() -> ClothDesc {
    let mut cloth = cotton(sheet([0.0; 3]));
    cloth.pins = vec![SIDE as u32 - 1];
    let target = cloth.mesh.positions[0].cast();
    cloth.attachments = vec![Attachment { vertex: 0, target, compliance: 1e-3 }];
    cloth.stitches = vec![Stitch { vertex: 33, edge: [2, 3], ratio: 0.3 }];
    cloth.exclusions = vec![[8, 20]];
    cloth.tethers = Some(Tethers { compliance: 1e-4, ..Tethers::default() });
    cloth.damping = Damping { stretch: 1.0, bending: 1.0, global: 1.0 };
    cloth.drive = Some(Drive { stiffness: 20.0, damping: 1.0, ..Drive::default() });
    cloth.local_frame = Some(LocalFrame { pose: Isometry3::identity(), inertia_scale: 0.3 });
    cloth
}
