//! Untangling of garments as they stand: recovery without gravity, judged exactly after every step.
//!
//! ```text
//! positions --check--> clean? --------------------------------------------> returned as they are
//!     |            \--> a simulation: rest shapes of the meshes, damped, fixed bodies
//!     |                 '--step--> check --> fewest so far? kept --> clean, or out of time --> best state
//!     '--- the best state, another thickness <---- nothing better for half a second
//! ```
//!
//! The check knows nothing of the simulation: it counts in the caller's unit, in `f64`, with the faces that
//! the simulation leaves out, and the bodies as the caller gave them. So a count is that of what is returned,
//! and the rounding of the start to `f32` counts like every other state.

mod counter;
mod layers;

use std::ops::ControlFlow;

use cloth_contacts::intersect::{IntersectError, Intersections, Seam, Seams};
use cloth_geom::{Topology, TriMesh, is_sliver};
use nalgebra::{Point3, Vector3};
use thiserror::Error;

use crate::{
    BuildError, ByParts, ClothDesc, Material, MeshBodyDesc, RestShape, Settings, Simulation,
    SimulationBuilder, StepError, Stitch, Thickness,
};
use counter::IntersectionCounter;
pub use layers::LayerSides;
use layers::layer_sides;

/// Time (s) of a step.
const DT: f32 = 1.0 / 60.0;

/// Exponent of the power of two (m) from which the mean edge of the simulated meshes has its length, up to
/// twice that: 8 to 16 mm, the size for which the fabrics and the speeds of recovery are made.
const EDGE_EXPONENT: i32 = -7;

/// Rate (1/s) at which motion decays: what a part was moved by ends with it, and the cloth comes to rest.
const AIR_DAMPING: f32 = 2.0;

/// Greatest speed (m/s) at which contacts recover: about an edge in a step.
const RECOVERY_SPEED: f32 = 1.0;

/// Depth (m) to which layers that have crossed are brought back by their contacts: a quarter of an edge, so
/// little that a vertex finds the face that it has just passed, and no other behind it.
const LAYER_DEPTH: f32 = 0.003;

/// The strain of layered garments (99th percentile) above which they go on to move when they are clean.
const SETTLED_STRAIN: f64 = 0.1;

/// The parts of the default thickness that are tried in turn, and whether from the best state or, again, from
/// the positions as given: a state may be caught in what a thickness has not resolved. Thinner is better more
/// often than thicker, but neither always. Powers of two, so that the shares of a thickness stay the same.
const ATTEMPTS: [(f32, bool); 5] =
    [(1.0, true), (1.0 / 4.0, true), (1.0 / 16.0, true), (16.0, false), (1.0 / 4.0, false)];

/// Steps without a better state after which the next thickness is tried: attempts that end clean rarely find
/// nothing better for so long (`docs/design/untangling.md`).
const PATIENCE: u32 = 30;

/// A garment of [`untangle_outfit`].
#[derive(Clone, Copy, Debug)]
pub struct UntangleGarment<'a> {
    /// Its mesh; the positions are its rest shape, which it keeps as far as it can.
    pub mesh: &'a TriMesh,
    /// Its positions, in the unit of the mesh.
    pub x: &'a [Point3<f64>],
    /// Its layer, higher numbers outside; see [`ClothDesc::layer`]. Of two garments with a layer, each is
    /// brought to its side of the other. `None`: no order.
    pub layer: Option<u16>,
}

/// What watches a run and may end it.
pub type OnUntangleStep<'a> = dyn FnMut(UntangleStep<'_>) -> ControlFlow<()> + 'a;

/// How [`untangle()`] and [`untangle_outfit`] work. Lengths are in the unit of the meshes, whatever that is.
pub struct UntangleOptions<'a> {
    /// Most simulated time (s), in steps of 1/60 s, of all attempts together. Default: `3.0`.
    pub seconds: f32,
    /// Meshes that the cloth is to leave and that stay where they are. Their intersections with themselves
    /// and each other do not count. Default: none.
    pub bodies: &'a [TriMesh],
    /// The distance that parts of the cloth keep from each other where they rest no nearer. `None` begins
    /// with [`Thickness::for_mesh`]; after 30 steps without a better state it goes on from the best with a
    /// quarter of that, then a sixteenth; then it begins again from the positions as given, with sixteen
    /// times as much if the mesh is not too fine for that, and last with a quarter until the time is over.
    /// Default: `None`.
    pub thickness: Option<f64>,
    /// Whether the motion of what does not intersect is certified, so that no new intersection forms there.
    /// It costs most of the time where cloth is deep in a body. Default: `true`.
    pub gate: bool,
    /// Seams of the cloth; vertices are counted through all garments. Those that are closed stay closed, but
    /// for those between two garments, and what they join does not count as an intersection. Default: `None`.
    pub seams: Option<&'a Seams>,
    /// Called with the start, as the simulation rounds it, and after every step; `Break` ends the work, and
    /// the best state so far is returned. Default: `None`.
    pub on_step: Option<&'a mut OnUntangleStep<'a>>,
}

impl Default for UntangleOptions<'_> {
    fn default() -> Self {
        Self { seconds: 3.0, bodies: &[], thickness: None, gate: true, seams: None, on_step: None }
    }
}

/// What [`UntangleOptions::on_step`] is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UntangleStep<'a> {
    /// Steps so far, of all attempts; 0 for the start.
    pub step: u32,
    /// The intersections of this state.
    pub intersections: usize,
    /// The fewest so far, those of the positions as given included.
    pub fewest: usize,
    /// What would be returned now.
    pub best: &'a Untangled,
}

/// The result of [`untangle()`] and [`untangle_outfit`].
#[derive(Clone, Debug, PartialEq)]
pub struct Untangled {
    /// The positions with the fewest intersections, in the unit of the meshes, of one garment after the
    /// other: those given, in every bit, unless a later state has fewer.
    pub positions: Vec<Point3<f64>>,
    /// Intersections of the positions as given: pairs of an edge and a face that share no vertex and have a
    /// point in common, of which at least one belongs to the cloth.
    pub before: usize,
    /// Intersections of [`Untangled::positions`].
    pub after: usize,
    /// [`Untangled::before`] by kind.
    pub before_by_parts: ByParts<usize>,
    /// [`Untangled::after`] by kind.
    pub after_by_parts: ByParts<usize>,
    /// The strain of the edges in the positions as given.
    pub before_strain: EdgeStrain,
    /// The strain of the edges in [`Untangled::positions`].
    pub after_strain: EdgeStrain,
    /// Steps that were computed, of all attempts.
    pub steps: u32,
    /// The step whose state is returned, 0 for the start rounded to `f32`; `None` for the positions as given.
    pub best_step: Option<u32>,
    /// The attempt whose state is returned; `None` for the positions as given.
    pub best_attempt: Option<usize>,
    /// The attempts that were begun; none for a clean input.
    pub attempts: Vec<UntangleAttempt>,
    /// Where garments with different layers lay at the start; none for a clean input.
    pub layer_sides: Vec<LayerSides>,
    /// What is left in [`Untangled::positions`], the longest first.
    pub contours: Vec<RemainingContour>,
}

/// The change of length of edges, `|l / l0 - 1|` with the length `l0` at rest; edges without one are left
/// out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct EdgeStrain {
    /// 99th percentile, by nearest rank; 0 without edges.
    pub p99: f64,
    /// The greatest; 0 without edges.
    pub max: f64,
}

/// An attempt with one thickness.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct UntangleAttempt {
    /// The distance that parts of the cloth kept, in the unit of the meshes.
    pub thickness: f64,
    /// Its steps.
    pub steps: u32,
}

/// A curve along which the cloth still intersects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RemainingContour {
    /// Its intersections.
    pub intersections: usize,
    /// Its length, in the unit of the mesh, in `f64` without a guarantee.
    pub length: f64,
    /// The mean of the places where an edge meets a face.
    pub center: Point3<f64>,
    /// Whether one side of it is a body.
    pub with_body: bool,
    /// The numbers of the garments on its sides, the lower one first, equal for a garment with itself;
    /// `None`, first, for a body.
    pub between: [Option<usize>; 2],
}

/// An error of [`untangle()`].
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum UntangleError {
    /// There is not one position for each vertex, or one is not finite.
    #[error(transparent)]
    Positions(#[from] IntersectError),
    /// A mesh or a body cannot be simulated. A position in it is scaled: a mesh that reaches further from
    /// the origin than 5e8 of its edges is out of range.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The time is not a number, or negative.
    #[error("`seconds` is {0}; it must be finite and not negative")]
    Seconds(f32),
}

/// Works the positions `x` of a mesh free of intersections, of the cloth with itself and with bodies, and
/// says what remains.
///
/// The positions of the mesh are its rest shape, which the cloth keeps as far as it can; pass the same as `x`
/// if there is no other. A clean input is returned as it is. So is one of which no state with fewer
/// intersections was found: the result never has more than the input. Recovery is a heuristic
/// (`docs/design/untangling.md`); it does not know which side of a part was meant to be outside.
///
/// Faces whose rest shape is a sliver are judged but not simulated. Results are bitwise reproducible and do
/// not depend on the unit, if units differ by a power of two.
///
/// ```
/// use cloth_geom::fixtures::sheet;
/// use cloth_solver::{UntangleOptions, untangle};
///
/// let mut mesh = sheet(8, 8, [1.0, 1.0])?.mesh;
/// mesh.append(&sheet(8, 8, [1.0, 1.0])?.mesh.mapped(|p| [p.x + 0.31, p.z - 0.4, p.y + 0.02].into()));
/// let found = untangle(&mesh, &mesh.positions, UntangleOptions::default())?;
/// assert!(found.before > 0 && found.after == 0 && found.contours.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there is not one finite position for each vertex, or if the mesh or a body cannot be simulated.
///
/// # Threads
/// Uses the threads of the rayon pool in which it is called; outside a pool the calling thread alone.
pub fn untangle(
    mesh: &TriMesh,
    x: &[Point3<f64>],
    options: UntangleOptions<'_>,
) -> Result<Untangled, UntangleError> {
    untangle_outfit(&[UntangleGarment { mesh, x, layer: None }], options)
}

/// [`untangle()`] for several garments, each a cloth of its own with a layer or without.
///
/// Vertices in errors and seams are counted through all garments in their order. The scale and the thickness
/// are those of all meshes together.
///
/// # Errors
/// As [`untangle()`].
///
/// # Threads
/// As [`untangle()`].
pub fn untangle_outfit(
    garments: &[UntangleGarment<'_>],
    mut options: UntangleOptions<'_>,
) -> Result<Untangled, UntangleError> {
    let UntangleOptions { seconds, bodies, seams, .. } = options;
    if !(seconds.is_finite() && seconds >= 0.0) {
        return Err(UntangleError::Seconds(seconds));
    }
    check_each(garments, bodies)?;
    let mut counter = IntersectionCounter::new(garments, bodies, seams)?;
    let mut best = Untangled::given(garments);
    let found = counter.find(&best.positions)?;
    best.keep(&counter, &found);
    (best.before, best.before_by_parts) = (best.after, best.after_by_parts);
    best.before_strain = best.after_strain;
    if best.before == 0 {
        return Ok(best);
    }
    let given = best.positions.clone();
    let mut outfit = ScaledOutfit::new(garments, &options);
    let budget = (seconds / DT).ceil() as u32;
    let has_layers = garments.iter().any(|garment| garment.layer.is_some());
    let planned = if options.thickness.is_some() { &ATTEMPTS[..1] } else { &ATTEMPTS[..] };
    for (number, &(part, from_best)) in planned.iter().enumerate() {
        if number > 0 && best.steps == budget {
            break;
        }
        let from = if from_best { &best.positions } else { &given };
        let mut simulation = match outfit.simulation(from, part, &options) {
            Err(error) if number == 0 => return Err(error.into()),
            // Too thick for the mesh.
            Err(_) => continue,
            Ok(simulation) => simulation,
        };
        let mut stalled = 0;
        if number == 0 {
            best.layer_sides = layer_sides(&simulation, garments);
        }
        let attempt = best.attempts.len();
        best.attempts.push(UntangleAttempt { thickness: outfit.thickness(part, &options), steps: 0 });
        // The start of a later attempt is a state that was judged before.
        for step in (best.steps + u32::from(number > 0))..=budget {
            if step > 0 {
                match simulation.step(DT) {
                    Ok(_) => best.attempts[attempt].steps += 1,
                    Err(error) if number == 0 && best.best_step.is_none() => return Err(error.into()),
                    // What was found before is not lost.
                    Err(_) => break,
                }
            }
            best.steps = step;
            // Exact, for the scale is a power of two.
            let cloth = &simulation.positions()[..best.positions.len()];
            let positions: Vec<Point3<f64>> = cloth.iter().map(|p| p.cast::<f64>() / outfit.scale).collect();
            let found = counter.find(&positions)?;
            stalled += 1;
            let is_less_strained = || best.after == 0 && counter.strain().p99 < best.after_strain.p99;
            if found.count() < best.after || found.count() == 0 && is_less_strained() {
                (best.positions, best.best_step, best.best_attempt) = (positions, Some(step), Some(attempt));
                best.keep(&counter, &found);
                stalled = 0;
            }
            let told = UntangleStep { step, intersections: found.count(), fewest: best.after, best: &best };
            let goes_on = options.on_step.as_mut().is_none_or(|on_step| on_step(told).is_continue());
            let is_done = !has_layers || best.after_strain.p99 <= SETTLED_STRAIN || stalled == PATIENCE;
            if best.after == 0 && is_done || !goes_on {
                return Ok(best);
            }
            if stalled == PATIENCE && number + 1 < planned.len() {
                break;
            }
        }
    }
    Ok(best)
}

/// Checks that each garment has its positions, and that no face names a vertex of another mesh.
fn check_each(garments: &[UntangleGarment<'_>], bodies: &[TriMesh]) -> Result<(), UntangleError> {
    for &UntangleGarment { mesh, x, .. } in garments {
        let (positions, vertices) = (x.len(), mesh.positions.len());
        if positions != vertices {
            return Err(IntersectError::PositionCount { positions, vertices }.into());
        }
    }
    for mesh in garments.iter().map(|garment| garment.mesh).chain(bodies) {
        Topology::of_mesh(mesh).map_err(|e| BuildError::Surface(e.into()))?;
    }
    Ok(())
}

impl Untangled {
    /// The positions as given.
    fn given(garments: &[UntangleGarment<'_>]) -> Self {
        Self {
            positions: garments.iter().flat_map(|garment| garment.x).copied().collect(),
            before: 0,
            after: 0,
            before_by_parts: ByParts::default(),
            after_by_parts: ByParts::default(),
            before_strain: EdgeStrain::default(),
            after_strain: EdgeStrain::default(),
            steps: 0,
            best_step: None,
            best_attempt: None,
            attempts: vec![],
            layer_sides: vec![],
            contours: vec![],
        }
    }

    /// Keeps what was found last as that of the positions.
    fn keep(&mut self, counter: &IntersectionCounter<'_>, found: &Intersections) {
        self.after = found.count();
        self.after_by_parts = counter.by_parts(found);
        self.after_strain = counter.strain();
        self.contours = counter.contours(found);
    }

    /// The thickness, in the unit of the meshes, with which the state that is returned was found; `None` for
    /// the positions as given.
    #[must_use]
    pub fn thickness(&self) -> Option<f64> {
        Some(self.attempts.get(self.best_attempt?)?.thickness)
    }
}

/// What the simulations of all attempts have in common.
struct ScaledOutfit {
    /// The power of two from the unit of the meshes to that of the simulation (m).
    scale: f64,
    /// The scaled cloths at the start of an attempt.
    cloths: Vec<ClothDesc>,
    bodies: Vec<TriMesh>,
    /// That of the first attempt (m).
    thickness: Thickness,
}

impl ScaledOutfit {
    fn new(garments: &[UntangleGarment<'_>], options: &UntangleOptions<'_>) -> Self {
        let mut all = TriMesh::default();
        for garment in garments {
            all.append(garment.mesh);
        }
        let scale = scale(&all);
        let scaled = |mesh: &TriMesh| {
            let mut scaled = mesh.clone().mapped(|p| p * scale);
            scaled.faces.retain(|face| !is_sliver(face.map(|v| scaled.positions[v as usize])));
            scaled
        };
        let thickness = match options.thickness {
            Some(total) => Thickness::from_total((total * scale) as f32, 0.4),
            None => Thickness::for_mesh(&scaled(&all)),
        };
        let cloth = |garment: &UntangleGarment<'_>| {
            let rest = scaled(garment.mesh);
            ClothDesc {
                rest: RestShape::Positions(rest.positions.clone()),
                layer: garment.layer,
                ..ClothDesc::new(rest, Material::COTTON, thickness)
            }
        };
        let cloths = garments.iter().map(cloth).collect();
        Self { scale, cloths, bodies: options.bodies.iter().map(scaled).collect(), thickness }
    }

    /// The simulation of an attempt, with a part of the thickness, from these positions in the caller's unit.
    fn simulation(
        &mut self,
        x: &[Point3<f64>],
        part: f32,
        options: &UntangleOptions<'_>,
    ) -> Result<Simulation, BuildError> {
        let thickness = self.part(part);
        let mut settings = Settings {
            gravity: Vector3::zeros(),
            gate: options.gate,
            air_damping: AIR_DAMPING,
            recovery_speed: RECOVERY_SPEED,
            sleep: None,
            ..Settings::default()
        };
        if self.cloths.iter().any(|cloth| cloth.layer.is_some()) {
            // With friction, cloth drags along the layer that it is to pass.
            (settings.layer_depth, settings.self_friction) = (LAYER_DEPTH, 0.0);
        }
        let mut builder = SimulationBuilder::new(settings);
        let closed: Vec<Seam> = options.seams.map_or_else(Vec::new, |s| s.closed_seams(x).copied().collect());
        let mut first = 0;
        for cloth in &mut self.cloths {
            let own = first..first + cloth.mesh.positions.len() as u32;
            let is_own = |s: &&Seam| [s.vertex, s.edge[0], s.edge[1]].iter().all(|v| own.contains(v));
            let stitch = |s: &Seam| Stitch {
                vertex: s.vertex - first,
                edge: s.edge.map(|v| v - first),
                ratio: s.ratio as f32,
            };
            cloth.stitches = closed.iter().filter(is_own).map(stitch).collect();
            let start = x[own.start as usize..own.end as usize].iter();
            cloth.mesh.positions = start.map(|p| p * self.scale).collect();
            cloth.thickness = thickness;
            builder.add_cloth(cloth.clone());
            first = own.end;
        }
        for body in &self.bodies {
            builder.add_mesh_body(MeshBodyDesc { mesh: body.clone(), thickness });
        }
        builder.build()
    }

    fn part(&self, part: f32) -> Thickness {
        Thickness { radius: part * self.thickness.radius, scr: part * self.thickness.scr }
    }

    /// A part of the thickness in the caller's unit.
    fn thickness(&self, part: f32, options: &UntangleOptions<'_>) -> f64 {
        options.thickness.unwrap_or_else(|| f64::from(self.part(part).total()) / self.scale)
    }
}

/// The power of two from the unit of a mesh to that of the simulation (m).
fn scale(mesh: &TriMesh) -> f64 {
    let edges = mesh.faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let length = |[a, b]: [u32; 2]| (mesh.positions[a as usize] - mesh.positions[b as usize]).norm();
    let mean = edges.map(length).sum::<f64>() / (3 * mesh.faces.len()) as f64;
    // Else nothing of the mesh can be simulated, and the builder says so.
    if mean.is_normal() { libm::ldexp(1.0, EDGE_EXPONENT - libm::ilogb(mean)) } else { 1.0 }
}
