//! Pairs of patches that may come within reach: a broad phase over fat boxes, updated only when a patch
//! leaves its box.
//!
//! A fat box covers the predicted motion of its patch over several steps.

use cloth_broadphase::{AnyBroadPhase, Boxes, BoxesError, BroadPhase, GroupTable, PairFilter, Pairs};
use cloth_geom::Aabb;
use cloth_geom::bounds::Upper;
use nalgebra::{Point3, Vector3};

use crate::detect::motion::patch_motions::PatchMotions;
use crate::patches::Patches;
use crate::surface::REACH_ERROR;

/// Number of steps, at the present velocity, that a fat box covers.
const PLANNED_STEPS: f64 = 8.0;

/// Pairs of patches, with the boxes for which they are complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatchPairs {
    broad_phase: AnyBroadPhase,
    fat: Vec<Aabb>,
    checked: Boxes,
    others: Pairs,
    pairs: Vec<[u32; 2]>,
}

impl PatchPairs {
    pub(crate) fn with_broad_phase(broad_phase: AnyBroadPhase) -> Self {
        Self { broad_phase, ..Self::default() }
    }

    /// All pairs `[a, b]`, `a <= b`, in lexicographic order, including each patch with itself.
    pub(crate) fn pairs(&self) -> &[[u32; 2]] {
        &self.pairs
    }

    /// Whether the pairs are complete for the coming step.
    pub(crate) fn is_complete(&self, patches: &Patches, motions: &PatchMotions) -> bool {
        self.fat.len() == patches.count() as usize
            && (0..patches.count()).all(|p| {
                let (fat, required) = (&self.fat[p as usize], required(patches, motions, p));
                (0..3).all(|k| fat.min[k] <= required.min[k] && required.max[k] <= fat.max[k])
            })
    }

    /// Searches for pairs. `meet` is the table of groups that interact.
    ///
    /// # Errors
    /// If a box is not finite.
    pub(crate) fn find(
        &mut self,
        patches: &Patches,
        meet: &GroupTable,
        motions: &PatchMotions,
    ) -> Result<(), BoxesError> {
        self.fat.clear();
        self.fat.extend((0..patches.count()).map(|p| {
            let required = required(patches, motions, p);
            let net = motions.translation(p) * PLANNED_STEPS;
            let room = f64::from(patches.room[p as usize]);
            Aabb {
                min: required.min + net.inf(&Vector3::zeros()),
                max: required.max + net.sup(&Vector3::zeros()),
            }
            .inflated(room)
        }));
        if let Err(error) = self.checked.refill(self.fat.iter().copied()) {
            // The pairs belong to other boxes.
            self.invalidate();
            return Err(error);
        }
        self.broad_phase.update(&self.checked);
        let filter = PairFilter::all().with_groups(&patches.group, &patches.group, meet);
        self.broad_phase.self_pairs(&filter, &mut self.others);
        self.pairs.clear();
        let mut others = self.others.as_slice().iter().copied().peekable();
        for p in 0..patches.count() {
            let group = patches.group[p as usize];
            if meet.interact(group, group) {
                self.pairs.push([p, p]);
            }
            while let Some(pair) = others.next_if(|pair| pair[0] == p) {
                self.pairs.push(pair);
            }
        }
        Ok(())
    }

    /// Discards the pairs.
    pub(crate) fn invalidate(&mut self) {
        self.fat.clear();
    }
}

/// The box that a patch needs for the coming step: two patches with disjoint boxes do not come within reach.
/// Bounds of positions are exact, as is the mean displacement as a reference frame; the margin is an upper
/// bound, and inflating a box rounds outward.
fn required(patches: &Patches, motions: &PatchMotions, patch: u32) -> Aabb {
    let [at, _] = motions.bounds([patch; 2]);
    let margin = half_reach(patches, patch) + motions.max_relative_displacement(patch);
    let corner = |c: [f32; 3]| Point3::from(c.map(f64::from));
    Aabb { min: corner(at.min), max: corner(at.max) }.inflated(margin.get())
}

/// Upper bound of half the reach of a patch: the sum of two is at least
/// [`Surface::reach_of_patches`](crate::Surface::reach_of_patches).
fn half_reach(patches: &Patches, patch: u32) -> Upper {
    Upper::from(patches.half_reach[patch as usize]).times(1.0 + REACH_ERROR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Motion, Regions, Surface, SurfaceDesc};
    use cloth_geom::fixtures;

    const REACH: f32 = 0.05;

    /// Two sheets of one patch each, `gap` (m) apart.
    fn sheets(gap: f32) -> (Surface, Vec<Point3<f32>>) {
        let sheet = fixtures::sheet(3, 3, [0.1, 0.1]).unwrap().mesh;
        let count = sheet.positions.len();
        let mut at: Vec<Point3<f32>> = sheet.positions.iter().map(|p| p.cast()).collect();
        let normal = (at[1] - at[0]).cross(&(at[count - 1] - at[0])).normalize();
        at.extend_from_within(..);
        at[count..].iter_mut().for_each(|p| *p += normal * gap);
        let faces: Vec<[u32; 3]> = [0, count as u32]
            .into_iter()
            .flat_map(|from| sheet.faces.iter().map(move |f| f.map(|v| v + from)))
            .collect();
        let surface = Surface::new(&SurfaceDesc {
            faces: &faces,
            radius: &vec![0.25 * REACH; at.len()],
            half_scr: &vec![0.25 * REACH; at.len()],
            part: &(0..at.len()).map(|v| (v / count) as u16).collect::<Vec<_>>(),
            kinematic: &[false; 2],
            rest: &at,
            exclusions: &[],
            regions: Regions::default(),
        })
        .unwrap();
        (surface, at)
    }

    /// The sheets approach in steps too small to be predicted. Whenever the pairs are reported complete,
    /// pairs within reach are among them.
    #[test]
    fn whoever_comes_within_reach_is_a_neighbour() {
        for new in (0..20).map(|k| 0.5 + 0.2 * REACH * k as f32) {
            let (surface, far) = sheets(new);
            let (patches, count) = (&surface.patches, far.len() / 2);
            let toward = (far[0] - far[count]).normalize();
            let (mut motions, mut patch_pairs) = (PatchMotions::default(), PatchPairs::default());
            let still = vec![Vector3::zeros(); far.len()];
            let mut found = 0;
            for net in (0..).map(|k| 0.0025 * k as f32).take_while(|net| *net < new) {
                let mut at = far.clone();
                at[..count].iter_mut().for_each(|p| *p -= 0.5 * net * toward);
                at[count..].iter_mut().for_each(|p| *p += 0.5 * net * toward);
                motions.record_step(patches, &Motion { positions: &at, displacements: &still }, 1.0);
                if !patch_pairs.is_complete(patches, &motions) {
                    patch_pairs.find(patches, &surface.groups.full_mesh, &motions).unwrap();
                    found += 1;
                }
                let met = patch_pairs.pairs().iter().any(|pair| pair[0] != pair[1]);
                assert!(met || new - net > REACH, "{new} {net}");
            }
            assert!((2..50).contains(&found), "{found}");
        }
    }
}
