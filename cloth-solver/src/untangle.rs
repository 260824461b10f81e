//! Untangling of a mesh as it stands: recovery without gravity, judged exactly after every step.
//!
//! ```text
//! positions --check--> clean? --------------------------------------------> returned as they are
//!                 \--> a simulation: rest shape of the mesh, damped, fixed bodies
//!                      '--step--> check --> fewest so far? kept --> clean, or out of time --> best state
//! ```
//!
//! The check knows nothing of the simulation: it counts in the caller's unit, in `f64`, with the faces that
//! the simulation leaves out, and the bodies as the caller gave them. So a count is that of what is returned,
//! and the rounding of the start to `f32` counts like every other state.

use std::ops::ControlFlow;

use cloth_contacts::intersect::{Checker, IntersectError, Intersections, Seam, Seams};
use cloth_contacts::tangle::{Contour, hit_point, trace};
use cloth_geom::{Topology, TriMesh, is_sliver};
use nalgebra::{Point3, Vector3};
use thiserror::Error;

use crate::{
    BuildError, ClothDesc, Material, MeshBodyDesc, RestShape, Settings, Simulation, SimulationBuilder,
    StepError, Stitch, Thickness,
};

/// Time (s) of a step.
const DT: f32 = 1.0 / 60.0;

/// Exponent of the power of two (m) from which the mean edge of the simulated mesh has its length, up to
/// twice that: 8 to 16 mm, the size for which the fabrics and the speeds of recovery are made.
const EDGE_EXPONENT: i32 = -7;

/// Rate (1/s) at which motion decays: what a part was moved by ends with it, and the cloth comes to rest.
const AIR_DAMPING: f32 = 2.0;

/// Greatest speed (m/s) at which contacts recover: about an edge in a step.
const RECOVERY_SPEED: f32 = 1.0;

/// How [`untangle()`] works. Lengths are in the unit of the mesh, whatever that is.
pub struct UntangleOptions<'a> {
    /// Most simulated time (s), in steps of 1/60 s. Default: `3.0`.
    pub seconds: f32,
    /// Meshes that the cloth is to leave and that stay where they are. Their intersections with themselves
    /// and each other do not count. Default: none.
    pub bodies: &'a [TriMesh],
    /// The distance that parts of the cloth keep from each other where they rest no nearer; `None` for
    /// [`Thickness::for_mesh`]. Default: `None`.
    pub thickness: Option<f64>,
    /// Whether the motion of what does not intersect is certified, so that no new intersection forms there.
    /// It costs most of the time where cloth is deep in a body. Default: `true`.
    pub gate: bool,
    /// Seams of the cloth. Those that are closed stay closed, and what they join does not count as an
    /// intersection. Default: `None`.
    pub seams: Option<&'a Seams>,
    /// Called with the start, as the simulation rounds it, and after every step; `Break` ends the work, and
    /// the best state so far is returned. Default: `None`.
    pub on_step: Option<&'a mut dyn FnMut(UntangleStep) -> ControlFlow<()>>,
}

impl Default for UntangleOptions<'_> {
    fn default() -> Self {
        Self { seconds: 3.0, bodies: &[], thickness: None, gate: true, seams: None, on_step: None }
    }
}

/// What [`UntangleOptions::on_step`] is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UntangleStep {
    /// Steps so far; 0 for the start.
    pub step: u32,
    /// The intersections of this state.
    pub intersections: usize,
    /// The fewest so far, those of the positions as given included.
    pub fewest: usize,
}

/// The result of [`untangle()`].
#[derive(Clone, Debug, PartialEq)]
pub struct Untangled {
    /// The positions with the fewest intersections, in the unit of the mesh: those given, in every bit,
    /// unless a later state has fewer.
    pub positions: Vec<Point3<f64>>,
    /// Intersections of the positions as given: pairs of an edge and a face that share no vertex and have a
    /// point in common, of which at least one belongs to the cloth.
    pub before: usize,
    /// Intersections of [`Untangled::positions`].
    pub after: usize,
    /// Steps that were computed.
    pub steps: u32,
    /// The step whose state is returned, 0 for the start rounded to `f32`; `None` for the positions as given.
    pub best_step: Option<u32>,
    /// What is left in [`Untangled::positions`], the longest first.
    pub contours: Vec<RemainingContour>,
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
}

/// An error of [`untangle()`].
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum UntangleError {
    /// There is not one position for each vertex, or one is not finite.
    #[error(transparent)]
    Positions(#[from] IntersectError),
    /// The mesh or a body cannot be simulated. A position in it is scaled: a mesh that reaches further from
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
    mut options: UntangleOptions<'_>,
) -> Result<Untangled, UntangleError> {
    let UntangleOptions { seconds, bodies, seams, .. } = options;
    if !(seconds.is_finite() && seconds >= 0.0) {
        return Err(UntangleError::Seconds(seconds));
    }
    let mut counter = IntersectionCounter::new(mesh, bodies, seams)?;
    let before = counter.find(x)?.count();
    let mut best = Untangled {
        positions: x.to_vec(),
        before,
        after: before,
        steps: 0,
        best_step: None,
        contours: vec![],
    };
    if before == 0 {
        return Ok(best);
    }
    let scale = scale(mesh);
    let mut simulation = simulation(mesh, x, scale, &options)?;
    for step in 0..=(seconds / DT).ceil() as u32 {
        if step > 0 {
            simulation.step(DT)?;
        }
        best.steps = step;
        // Exact, for the scale is a power of two.
        let cloth = &simulation.positions()[..x.len()];
        let positions: Vec<Point3<f64>> = cloth.iter().map(|p| p.cast::<f64>() / scale).collect();
        let intersections = counter.find(&positions)?.count();
        if intersections < best.after {
            (best.positions, best.after, best.best_step) = (positions, intersections, Some(step));
        }
        let told = UntangleStep { step, intersections, fewest: best.after };
        let goes_on = options.on_step.as_mut().is_none_or(|on_step| on_step(told).is_continue());
        if best.after == 0 || !goes_on {
            break;
        }
    }
    best.contours = counter.contours(&best.positions)?;
    Ok(best)
}

/// The power of two from the unit of the mesh to that of the simulation (m).
fn scale(mesh: &TriMesh) -> f64 {
    let edges = mesh.faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let length = |[a, b]: [u32; 2]| (mesh.positions[a as usize] - mesh.positions[b as usize]).norm();
    let mean = edges.map(length).sum::<f64>() / (3 * mesh.faces.len()) as f64;
    // Else nothing of the mesh can be simulated, and the builder says so.
    if mean.is_normal() { libm::ldexp(1.0, EDGE_EXPONENT - libm::ilogb(mean)) } else { 1.0 }
}

/// The scaled cloth at `x`, and the scaled bodies.
fn simulation(
    mesh: &TriMesh,
    x: &[Point3<f64>],
    scale: f64,
    options: &UntangleOptions<'_>,
) -> Result<Simulation, BuildError> {
    let &UntangleOptions { bodies, thickness, gate, seams, .. } = options;
    let scaled = |mesh: &TriMesh| {
        let mut scaled = mesh.clone().mapped(|p| p * scale);
        scaled.faces.retain(|face| !is_sliver(face.map(|v| scaled.positions[v as usize])));
        scaled
    };
    let rest = scaled(mesh);
    let thickness = match thickness {
        Some(total) => Thickness::from_total((total * scale) as f32, 0.4),
        None => Thickness::for_mesh(&rest),
    };
    let mut builder = SimulationBuilder::new(Settings {
        gravity: Vector3::zeros(),
        gate,
        air_damping: AIR_DAMPING,
        recovery_speed: RECOVERY_SPEED,
        sleep: None,
        ..Settings::default()
    });
    let start = x.iter().map(|p| p * scale).collect();
    let stitch = |s: &Seam| Stitch { vertex: s.vertex, edge: s.edge, ratio: s.ratio as f32 };
    builder.add_cloth(ClothDesc {
        rest: RestShape::Positions(rest.positions),
        stitches: seams.map_or_else(Vec::new, |seams| seams.closed_seams(x).map(stitch).collect()),
        ..ClothDesc::new(TriMesh::new(start, rest.faces), Material::COTTON, thickness)
    });
    for body in bodies {
        builder.add_mesh_body(MeshBodyDesc { mesh: scaled(body), thickness });
    }
    builder.build()
}

/// Counts the intersections of states of the cloth, exactly.
struct IntersectionCounter<'a> {
    topology: Topology,
    /// Positions of the cloth, then of the bodies.
    at: Vec<Point3<f64>>,
    cloth_count: usize,
    seams: Option<&'a Seams>,
    checker: Checker,
}

impl<'a> IntersectionCounter<'a> {
    fn new(mesh: &TriMesh, bodies: &[TriMesh], seams: Option<&'a Seams>) -> Result<Self, BuildError> {
        let mut all = mesh.clone();
        for body in bodies {
            all.append(body);
        }
        let topology = Topology::of_mesh(&all).map_err(|e| BuildError::Surface(e.into()))?;
        let cloth_count = mesh.positions.len();
        Ok(Self { topology, at: all.positions, cloth_count, seams, checker: Checker::default() })
    }

    fn find(&mut self, x: &[Point3<f64>]) -> Result<Intersections, IntersectError> {
        let (positions, vertices) = (x.len(), self.cloth_count);
        if positions != vertices {
            return Err(IntersectError::PositionCount { positions, vertices });
        }
        self.at[..vertices].copy_from_slice(x);
        let mut found = self.checker.check(&self.at, &self.topology)?;
        found.retain(|hit| self.bodies_in(hit) < 2);
        Ok(match self.seams {
            Some(seams) => seams.closed_in(&self.at).leave_out(found, &self.topology),
            None => found,
        })
    }

    /// How many of the edge and the face are of a body.
    fn bodies_in(&self, [edge, face]: [u32; 2]) -> usize {
        let first = [self.topology.edges()[edge as usize][0], self.topology.faces()[face as usize][0]];
        first.into_iter().filter(|&v| v as usize >= self.cloth_count).count()
    }

    fn contours(&mut self, x: &[Point3<f64>]) -> Result<Vec<RemainingContour>, IntersectError> {
        let found = self.find(x)?;
        let remaining = |contour: &Contour| {
            let places = contour.hits.iter().filter_map(|&hit| hit_point(hit, &self.at, &self.topology));
            let count = contour.hits.len();
            RemainingContour {
                intersections: count,
                length: contour.length(&self.at, &self.topology),
                center: Point3::from(places.map(|p| p.coords).sum::<Vector3<f64>>() / count as f64),
                with_body: contour.hits.iter().any(|&hit| self.bodies_in(hit) > 0),
            }
        };
        let mut all: Vec<_> = trace(&found.edge_faces, &self.topology).iter().map(remaining).collect();
        all.sort_by(|a, b| b.length.total_cmp(&a.length));
        Ok(all)
    }
}
