//! Cloths in the attitudes that are hard on a gate: in layers, thrown at each other, dragged by their
//! corners, tangled. Their regions, and what holds them.

use cloth_solver::{Backstop, ContactSource, Damping, Interaction, Material, Stitch, Tethers};

use super::super::mesh::FuzzMesh;
use super::super::random::SplitMix64;
use super::super::scene::{
    FuzzAttachment, FuzzCarrier, FuzzCloth, FuzzDrive, FuzzMotion, FuzzPin, FuzzScene, RegionFaces,
    RegionRule,
};

pub(super) fn cloths(random: &mut SplitMix64, contacts: ContactSource, speed: f32) -> Vec<FuzzCloth> {
    let cached = contacts != ContactSource::Detected;
    let mut pieces = match random.count(0, 5) {
        0 | 1 => layers(random, speed),
        _ if cached => layers(random, speed),
        2 => thrown(random, speed),
        3 if random.chance(0.5) => thrown(random, speed),
        4 => held(random, speed),
        _ => tangled(random, speed),
    };
    if cached || random.chance(0.45) {
        let places = pieces.iter_mut().enumerate();
        places.for_each(|(k, piece)| piece.layer = Some(k as u16));
        if pieces.len() < 2 {
            let mut other = pieces[0].clone();
            other.at[1] += 0.5 * other.mesh.spacing();
            other.layer = Some(1);
            pieces.push(other);
        }
    }
    if cached && random.chance(0.3) {
        tangle(random, &mut pieces, speed);
    }
    if random.chance(0.35) {
        pin_some(random, &mut pieces, speed);
    }
    pieces
}

/// Sheets close above each other that slide and press.
fn layers(random: &mut SplitMix64, speed: f32) -> Vec<FuzzCloth> {
    let count = random.pick(&[2, 2, 2, 3]);
    let spacing = random.between(0.02, 0.06);
    let gap = spacing * random.between(0.1, 1.0);
    let vertices = sides(random);
    let layer = |k: usize, random: &mut SplitMix64| {
        let up = k as f32 - 0.5 * (count - 1) as f32;
        let mesh = match random.count(0, 6) {
            0 => FuzzMesh::Disc { rings: 2, spacing },
            1 => FuzzMesh::Fan { vertices: [2, vertices[1]], spacing, sheets: random.count(3, 4) },
            _ => FuzzMesh::Sheet { vertices, spacing },
        };
        let mut piece = piece(random, mesh, spacing);
        piece.at = [random.between(-spacing, spacing), gap * up, random.between(-spacing, spacing)];
        piece.rotation = [0.0, if random.chance(0.5) { 0.0 } else { random.between(-3.0, 3.0) }, 0.0];
        piece.jitter.0 = piece.jitter.0.min(0.3 * gap);
        piece.velocity = random.vector(speed);
        piece.velocity[1] = -up * speed * random.between(0.0, 1.0);
        piece
    };
    (0..count).map(|k| layer(k, random)).collect()
}

/// Pieces of all forms that fly at each other.
fn thrown(random: &mut SplitMix64, speed: f32) -> Vec<FuzzCloth> {
    let count = random.pick(&[1, 2, 2, 3]);
    let one = |k: usize, random: &mut SplitMix64| {
        let spacing = random.between(0.02, 0.08);
        let mesh = mesh(random, spacing);
        let mut piece = piece(random, mesh, spacing);
        piece.at = [random.between(-0.1, 0.1), 0.15 * k as f32, random.between(-0.1, 0.1)];
        let rotation = random.pick(&[0.4, 3.0]);
        piece.rotation = random.vector(rotation);
        let towards = if k == 0 { 1.0 } else { -1.0 };
        piece.velocity = [
            random.between(-2.0, 2.0),
            towards * speed * random.between(0.2, 1.0),
            random.between(-2.0, 2.0),
        ];
        piece
    };
    (0..count).map(|k| one(k, random)).collect()
}

/// Pieces whose corners are dragged about, also through each other.
fn held(random: &mut SplitMix64, speed: f32) -> Vec<FuzzCloth> {
    let mut pieces = if random.chance(0.5) { layers(random, speed) } else { thrown(random, speed) };
    pin_some(random, &mut pieces, speed);
    pieces
}

/// Pins up to four vertices of each piece, or all of one.
fn pin_some(random: &mut SplitMix64, pieces: &mut [FuzzCloth], speed: f32) {
    for piece in pieces {
        let count = piece.mesh.vertex_bound().max(4) as u32;
        let last = count - 1;
        let side = *piece.mesh.counts_mut()[0] as u32;
        let corners = [0, last, side.max(1) - 1, last + 1 - side.min(last)];
        let together = random.chance(0.4).then(|| motion(random, speed));
        let pinned: Vec<u32> = match random.count(0, 5) {
            5 => (0..count).collect(),
            pins => corners[..pins.min(4)].to_vec(),
        };
        let together = if pinned.len() > 4 { Some(motion(random, 0.5 * speed)) } else { together };
        piece.pins = pinned
            .into_iter()
            .map(|vertex| FuzzPin { vertex, motion: together.unwrap_or_else(|| motion(random, speed)) })
            .collect();
        piece.pins.sort_unstable_by_key(|pin| pin.vertex);
        piece.pins.dedup_by_key(|pin| pin.vertex);
    }
}

/// Pieces that cross each other, or themselves, from the start.
fn tangled(random: &mut SplitMix64, speed: f32) -> Vec<FuzzCloth> {
    let mut pieces = if random.chance(0.5) { layers(random, speed) } else { thrown(random, speed) };
    tangle(random, &mut pieces, speed);
    pieces
}

fn tangle(random: &mut SplitMix64, pieces: &mut [FuzzCloth], speed: f32) {
    for (k, piece) in pieces.iter_mut().enumerate() {
        let spacing = 0.04;
        piece.at = [0.06 * k as f32, 0.05 * k as f32, 0.03];
        if k == 0 && random.chance(0.5) {
            let vertices = [random.count(5, 8), random.count(3, 5)];
            let gap = [random.between(0.01, 0.05), random.between(-0.1, 0.05)];
            piece.mesh = FuzzMesh::Fold { vertices, spacing, gap };
        }
        // Lightly tangled pieces are resolved; badly tangled ones are not.
        let most = if random.chance(0.5) { 0.3 } else { 1.5 };
        piece.rotation = random.vector(most);
        piece.velocity = random.vector(speed.min(5.0));
    }
}

/// Adds regions of some cloths, and how they interact; `mixed` as [`super::settings::Detection`] says.
pub(super) fn add_regions(random: &mut SplitMix64, scene: &mut FuzzScene, mixed: bool) {
    let rules = &mut scene.rules;
    if mixed && random.chance(0.3) {
        rules.push(RegionRule { regions: [0, 0], interaction: Interaction::FullMesh });
    }
    if scene.settings.contacts != ContactSource::Detected && random.chance(0.5) {
        // Bodies are of no region: apart from cached contacts, cloth can touch them as balls alone.
        let with_bodies =
            (1..=3).map(|region| RegionRule { regions: [0, region], interaction: Interaction::Particles });
        rules.extend(with_bodies);
    }
    if !random.chance(0.5) {
        return;
    }
    for piece in &mut scene.cloths {
        let (from, to) = (random.between(0.0, 0.5), random.between(0.5, 1.0));
        piece.regions = vec![RegionFaces { region: random.count(1, 3) as u8, faces: [from, to] }];
        if random.chance(0.4) {
            piece.regions.push(RegionFaces { region: random.count(1, 3) as u8, faces: [0.0, 1.0] });
        }
    }
    for _ in 0..random.count(1, 3) {
        let regions = [random.count(0, 3) as u8, random.count(0, 3) as u8];
        let interaction = random.pick(&[
            Interaction::None,
            Interaction::None,
            Interaction::Particles,
            Interaction::FullMesh,
        ]);
        rules.push(RegionRule { regions, interaction });
    }
}

/// Adds what holds, drives and damps a cloth, and the pairs that its author exempts.
pub(super) fn add_controls(random: &mut SplitMix64, piece: &mut FuzzCloth, speed: f32) {
    let count = piece.mesh.vertex_bound().max(4);
    let spacing = piece.mesh.spacing();
    let vertex = |random: &mut SplitMix64| random.count(0, count - 1) as u32;
    if random.chance(0.2) {
        piece.attachments = (0..random.count(1, 3))
            .map(|_| FuzzAttachment {
                vertex: vertex(random),
                compliance: random.pick(&[0.0, 1e-4, 1e-2]),
                motion: motion(random, speed.min(5.0)),
            })
            .collect();
    }
    if random.chance(0.3) {
        piece.stitches = (0..random.count(1, 3))
            .map(|_| {
                let edge = vertex(random);
                let other = if random.chance(0.5) { edge } else { (edge + 1) % count as u32 };
                Stitch { vertex: vertex(random), edge: [edge, other], ratio: random.between(0.0, 1.0) }
            })
            .collect();
    }
    if random.chance(0.2) {
        piece.exclusions = (0..random.count(1, 4)).map(|_| [vertex(random), vertex(random)]).collect();
    }
    let is_held = !(piece.pins.is_empty() && piece.attachments.is_empty());
    if random.chance(if is_held { 0.4 } else { 0.05 }) {
        piece.tethers = Some(Tethers {
            max_stretch: random.pick(&[0.0, 0.01, 0.2]),
            compliance: random.pick(&[0.0, 0.0, 1e-4]),
            ..Tethers::default()
        });
    }
    if random.chance(0.15) {
        piece.drive = Some(FuzzDrive {
            stiffness: random.pick(&[1.0, 50.0, 2_000.0]),
            damping: random.between(0.0, 5.0),
            max_distance: random.chance(0.4).then(|| spacing * random.between(0.1, 3.0)),
            backstop: random.chance(0.3).then(|| Backstop {
                distance: spacing * random.between(0.0, 1.0),
                radius: random.between(0.1, 1.0),
            }),
            motion: motion(random, speed.min(5.0)),
        });
    }
    if random.chance(0.15) {
        let motion = FuzzMotion { half_period: random.count(2, 6) as u32, ..motion(random, speed.min(8.0)) };
        piece.carrier = Some(FuzzCarrier {
            inertia_scale: random.pick(&[0.0, 0.3, 0.8]),
            motion,
            spin: random.between(-5.0, 5.0),
        });
    }
    if random.chance(0.2) {
        piece.damping = Damping {
            stretch: random.between(0.0, 20.0),
            bending: random.between(0.0, 20.0),
            global: random.between(0.0, 5.0),
        };
    }
}

/// Vertices along either side: few, since every pair of every substep is audited.
fn sides(random: &mut SplitMix64) -> [usize; 2] {
    let most = random.pick(&[4, 4, 5, 5, 6]);
    [(); 2].map(|()| random.count(3, most))
}

fn mesh(random: &mut SplitMix64, spacing: f32) -> FuzzMesh {
    let wide = sides(random);
    let (narrow, tube) = ([(); 2].map(|()| random.count(2, 3)), [(); 2].map(|()| random.count(3, 6)));
    match random.count(0, 7) {
        0 | 1 => FuzzMesh::Sheet { vertices: wide, spacing },
        2 => FuzzMesh::Sheet { vertices: [narrow[0], wide[1]], spacing },
        3 => FuzzMesh::Disc { rings: narrow[0], spacing },
        4 => FuzzMesh::Tube { vertices: tube, spacing },
        5 => FuzzMesh::Fan { vertices: narrow, spacing, sheets: random.count(3, 5) },
        _ => {
            let gap = [random.between(0.2, 1.0), random.between(0.2, 1.0)].map(|share| share * spacing);
            // Now and then it lies flat on itself.
            let gap = if random.chance(0.3) { [0.0; 2] } else { gap };
            FuzzMesh::Fold { vertices: wide, spacing, gap }
        }
    }
}

pub(super) fn piece(random: &mut SplitMix64, mesh: FuzzMesh, spacing: f32) -> FuzzCloth {
    FuzzCloth {
        mesh,
        at: [0.0; 3],
        rotation: [0.0; 3],
        jitter: (
            spacing * random.pick(if mesh.is_flat_fold() { &[0.0] } else { &[0.0, 0.001, 0.05, 0.15] }),
            random.bits(),
        ),
        thickness: spacing * random.pick(&[0.0, 0.05, 0.2, 0.5, 0.8, 1.2]),
        material: random.pick(&[Material::COTTON, Material::SILK, Material::DENIM]),
        velocity: [0.0; 3],
        layer: None,
        regions: Vec::new(),
        particle_interval: random.count(1, 2) as u32,
        pins: Vec::new(),
        attachments: Vec::new(),
        stitches: Vec::new(),
        exclusions: Vec::new(),
        tethers: None,
        drive: None,
        carrier: None,
        damping: Damping::default(),
    }
}

pub(super) fn motion(random: &mut SplitMix64, speed: f32) -> FuzzMotion {
    FuzzMotion {
        velocity: random.vector(speed),
        half_period: random.count(1, 8) as u32,
        ..FuzzMotion::default()
    }
}
