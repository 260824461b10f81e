//! What holds, drives and damps a cloth, and the pairs that its author exempts.

use super::super::random::SplitMix64;
use super::super::scene::{FuzzAttachment, FuzzCarrier, FuzzCloth, FuzzDrive, FuzzMotion, FuzzStitch};
use super::cloths::motion;

pub(super) fn add(random: &mut SplitMix64, piece: &mut FuzzCloth, speed: f32) {
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
                FuzzStitch { vertex: vertex(random), edge: [edge, other], ratio: random.between(0.0, 1.0) }
            })
            .collect();
    }
    if random.chance(0.2) {
        piece.exclusions = (0..random.count(1, 4)).map(|_| [vertex(random), vertex(random)]).collect();
    }
    let is_held = !(piece.pins.is_empty() && piece.attachments.is_empty());
    if random.chance(if is_held { 0.4 } else { 0.05 }) {
        piece.tethers = Some([random.pick(&[0.0, 0.01, 0.2]), random.pick(&[0.0, 0.0, 1e-4])]);
    }
    if random.chance(0.15) {
        piece.drive = Some(FuzzDrive {
            stiffness: random.pick(&[1.0, 50.0, 2_000.0]),
            damping: random.between(0.0, 5.0),
            max_distance: random.chance(0.4).then(|| spacing * random.between(0.1, 3.0)),
            backstop: random
                .chance(0.3)
                .then(|| [spacing * random.between(0.0, 1.0), random.between(0.1, 1.0)]),
            motion: motion(random, speed.min(5.0)),
        });
    }
    if random.chance(0.15) {
        let motion = FuzzMotion { half_period: random.count(2, 6) as u32, ..motion(random, speed.min(8.0)) };
        piece.carrier = Some(FuzzCarrier {
            inertia_share: random.pick(&[0.0, 0.3, 0.8]),
            motion,
            spin: random.between(-5.0, 5.0),
        });
    }
    if random.chance(0.2) {
        piece.damping = [random.between(0.0, 20.0), random.between(0.0, 20.0), random.between(0.0, 5.0)];
    }
}
