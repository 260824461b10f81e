//! A ball around each primitive and the way that it is expected to go: the cheapest test of a candidate.

use nalgebra::{Point3, Vector3};

use crate::paths::Paths;
use crate::{Motion, Surface};

/// A ball that holds a primitive now, with what is left of its mean path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    pub(crate) centre: Point3<f32>,
    /// Of the primitive, and of how its vertices' ways differ from their mean (m).
    pub(crate) radius: f32,
    /// Mean of what is left of its vertices' paths (m).
    pub(crate) way: Vector3<f32>,
}

/// The balls of all primitives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balls {
    pub(crate) vertices: Vec<Ball>,
    pub(crate) faces: Vec<Ball>,
    pub(crate) edges: Vec<Ball>,
}

impl Balls {
    /// Takes the present positions and paths.
    pub(crate) fn fill(&mut self, surface: &Surface, motion: &Motion<'_>, paths: &Paths) {
        self.vertices.clear();
        self.vertices.extend((0..surface.vertex_count()).map(|v| Ball {
            centre: motion.positions[v],
            radius: 0.0,
            way: paths.remaining(v),
        }));
        let vertices = &self.vertices;
        self.faces.clear();
        self.faces.extend(surface.topology.faces().iter().map(|f| around(vertices, f)));
        self.edges.clear();
        self.edges.extend(surface.topology.edges().iter().map(|e| around(vertices, e)));
    }
}

fn around<const N: usize>(vertices: &[Ball], members: &[u32; N]) -> Ball {
    let of = members.map(|v| vertices[v as usize]);
    let share = 1.0 / N as f32;
    let centre = Point3::from(of.iter().fold(Vector3::zeros(), |sum, b| sum + b.centre.coords) * share);
    let way = of.iter().fold(Vector3::zeros(), |sum, b| sum + b.way) * share;
    let longest = |lengths: [f32; N]| lengths.into_iter().fold(0.0, f32::max).sqrt();
    let size = longest(of.map(|b| (b.centre - centre).norm_squared()));
    let spread = longest(of.map(|b| (b.way - way).norm_squared()));
    // A hair more than rounding could take away.
    Ball { centre, radius: (size + spread) * 1.0001, way }
}
