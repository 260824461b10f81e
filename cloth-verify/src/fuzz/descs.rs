//! The descriptions of a scene's cloths and colliders, as the solver wants them.

use cloth_geom::{TriMesh, fixtures};
use cloth_solver::{
    Attachment, Backstop, ClothDesc, Damping, Drive, LocalFrame, Material, ParticleChoice, RegionDesc,
    RestShape, Shape, Stitch, Tethers, Thickness,
};
use nalgebra::{Isometry3, Vector3};

use super::build::{SCR_SHARE, region_name};
use super::scene::{ColliderKind, FuzzCarrier, FuzzCloth, FuzzCollider, FuzzDrive, FuzzScene, FuzzWorld};
use super::world::{Order, rotation};
use crate::scenario::SetupError;

/// The description of a cloth, and the order in which its vertices and faces come.
pub(super) fn cloth(piece: &FuzzCloth, world: &FuzzWorld) -> Result<(ClothDesc, Order), SetupError> {
    let rest = piece.mesh.rest()?;
    let (jitter, seed) = piece.jitter;
    let shape = fixtures::jitter(&piece.mesh.start(&rest), jitter.into(), seed)?;
    let (rotation, at) =
        (rotation(piece.rotation.into()).cast::<f64>(), Vector3::from(piece.at).cast::<f64>());
    let start = |p: &nalgebra::Point3<f64>| world.start(&(rotation * p + at)).cast();
    let mut mesh = TriMesh::new(shape.positions.iter().map(start).collect(), world.faces(&rest.faces));
    let order = Order::apply(world.permutation_seed, &mut mesh);
    let scale = f64::from(world.scale);
    let rest: Vec<_> = rest.positions.iter().map(|p| nalgebra::Point3::from(p.coords * scale)).collect();
    let material = Material::preset(&piece.material).unwrap_or_default();
    let thickness = Thickness::from_total(piece.thickness * world.scale, SCR_SHARE);
    let mut desc = ClothDesc::new(mesh, material, thickness);
    desc.rest = RestShape::Positions(order.placed(&rest));
    desc.layer = piece.layer;
    desc.pins = piece.pins.iter().map(|pin| order.vertex(pin.vertex)).collect();
    desc.pins.sort_unstable();
    desc.pins.dedup();
    let positions = desc.mesh.positions_f32();
    desc.attachments = piece
        .attachments
        .iter()
        .map(|spring| (order.vertex(spring.vertex), spring))
        .map(|(vertex, spring)| Attachment {
            vertex,
            target: positions[vertex as usize],
            compliance: spring.compliance,
        })
        .collect();
    desc.stitches = piece
        .stitches
        .iter()
        .map(|s| Stitch {
            vertex: order.vertex(s.vertex),
            edge: s.edge.map(|v| order.vertex(v)),
            ratio: s.ratio,
        })
        .filter(|s| !s.edge.contains(&s.vertex))
        .collect();
    desc.exclusions =
        piece.exclusions.iter().map(|pair| pair.map(|v| order.vertex(v))).filter(|[a, b]| a != b).collect();
    desc.regions = regions(piece, &order);
    desc.particles = balls(piece.particle_interval, &order);
    desc.tethers = piece.tethers.map(|[give, compliance]| Tethers {
        max_stretch: give,
        compliance,
        ..Tethers::default()
    });
    desc.drive = piece.drive.as_ref().map(|driven| drive(driven, desc.mesh.positions.len(), world));
    desc.local_frame = piece.carrier.as_ref().map(|carried| LocalFrame {
        inertia_scale: carried.inertia_share,
        pose: carried.pose(piece, 0, 0.0, world),
    });
    let [stretch, bending, global] = piece.damping;
    desc.damping = Damping { stretch, bending, global };
    Ok((desc, order))
}

fn regions(piece: &FuzzCloth, order: &Order) -> Vec<RegionDesc> {
    let count = order.faces.len();
    let mut taken = vec![false; count];
    let mut faces_of: Vec<(u8, Vec<u32>)> = Vec::new();
    for patch in &piece.regions {
        let [from, to] = patch.faces.map(|share| ((share * count as f32).max(0.0) as usize).min(count));
        for face in (from..to.max(from)).filter(|_| patch.region > 0) {
            if !std::mem::replace(&mut taken[face], true) {
                match faces_of.iter_mut().find(|(region, _)| *region == patch.region) {
                    Some((_, faces)) => faces.push(order.faces[face]),
                    None => faces_of.push((patch.region, vec![order.faces[face]])),
                }
            }
        }
    }
    faces_of.into_iter().map(|(region, faces)| RegionDesc::from_faces(region_name(region), faces)).collect()
}

fn balls(every: u32, order: &Order) -> ParticleChoice {
    match every {
        0 => ParticleChoice::Only(Vec::new()),
        1 => ParticleChoice::All,
        _ => ParticleChoice::Only(order.vertices.iter().step_by(every as usize).copied().collect()),
    }
}

fn drive(driven: &FuzzDrive, count: usize, world: &FuzzWorld) -> Drive {
    let most = driven.max_distance.map(|most| most * world.scale);
    let backstop = driven.backstop.map(|[distance, radius]| Backstop {
        distance: distance * world.scale,
        radius: radius * world.scale,
    });
    Drive {
        vertices: None,
        stiffness: driven.stiffness,
        damping: driven.damping,
        max_distance: most.map(|most| vec![most; count]),
        backstop: backstop.map(|backstop| vec![Some(backstop); count]),
    }
}

impl FuzzCarrier {
    /// The frame after some steps of `dt` (s).
    pub(super) fn pose(&self, piece: &FuzzCloth, step: u32, dt: f32, world: &FuzzWorld) -> Isometry3<f32> {
        let at = Vector3::from(piece.at) + self.motion.after(step, dt);
        world.pose(at, Vector3::new(0.0, self.spin * dt * step as f32, 0.0))
    }
}

impl FuzzCollider {
    pub(super) fn shape(&self, scale: f32) -> Shape {
        let size = self.size * scale;
        match self.kind {
            ColliderKind::Sphere => Shape::Sphere { radius: size },
            ColliderKind::Capsule => Shape::Capsule { half_length: size, radius: 0.5 * size },
            ColliderKind::Box => Shape::Cuboid { half_extents: Vector3::repeat(size) },
            ColliderKind::Plane => Shape::Plane,
        }
    }

    pub(super) fn pose(&self, step: u32, scene: &FuzzScene) -> Isometry3<f32> {
        let at = Vector3::from(self.at) + self.motion.after(step, scene.dt);
        scene.world.pose(at, self.rotation.into())
    }
}
