//! What is measured of cloth on a character, as whatever that collides: exact intersections with its skin, and depth below it.

use cloth_contacts::intersect::Checker;
use cloth_geom::{Topology, TriMesh};
use cloth_verify::report::Intersections;
use nalgebra::Point3;
use parry3d::query::PointQuery;
use parry3d::shape::{TriMesh as SkinShape, TriMeshFlags};
use serde::Serialize;

use super::character::AnimatedCharacter;
use super::garment::Garment;
use super::vertices::{NamedVertices, VertexNames};

/// Measures one state after another.
pub(super) struct SkinObserver {
    checker: Checker,
    /// Of all cloths, then of the skin.
    topology: Topology,
    cloth_vertices: usize,
    /// Whether a face of cloth uses each vertex of cloth.
    is_used: Vec<bool>,
    /// Of the skin, with those that cloth does not collide with: depth is that below a closed surface.
    all_faces: Vec<[u32; 3]>,
    positions: Vec<Point3<f64>>,
}

/// Cloth against skin, in one state.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SkinFigures {
    /// Pairs of an edge and a face, one of cloth and one of skin, that have a point in common.
    pub(super) intersections: usize,
    /// Pairs of an edge and a face of cloth that share no vertex and have a point in common.
    pub(super) cloth_intersections: usize,
    /// Depth (m) of the deepest vertex of cloth below the skin; 0 if none is below.
    pub(super) depth: f64,
    /// The vertices of the edges and faces of cloth that intersect the skin, over all cloths.
    pub(super) vertices: Vec<u32>,
}

/// A frame in which cloth intersects the skin.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct SkinFrame {
    /// Its number; 0 is the start.
    frame: usize,
    /// Intersections of cloth with the skin.
    intersections: usize,
    /// The vertices of the edges and faces of cloth among them: by garment, in the numbers of its file, counted from 0.
    vertices: NamedVertices,
}

/// The figures of a run with a character.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct SkinReport {
    /// As what the character collides: `proxies`, `skin` or `both`.
    pub(super) body: String,
    /// Intersections of cloth with the skin, whether the skin is part of the simulation or not.
    pub(super) cloth_skin: Intersections,
    /// Intersections of cloth with cloth.
    pub(super) cloth_cloth: Intersections,
    /// Depth (m) of the deepest vertex of cloth below the skin, over all frames, and in the last.
    pub(super) deepest_m: f64,
    pub(super) last_deepest_m: f64,
    /// The frames with intersections of cloth with the skin.
    frames: Vec<SkinFrame>,
    /// How well the proxies fit; none without proxies.
    pub(super) fit: Option<FitSummary>,
}

/// How well proxies fit the skin at the bind pose; lengths in mm.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct FitSummary {
    /// Number of proxies.
    pub(super) proxies: usize,
    /// Share of the skin that is covered.
    pub(super) coverage: f64,
    /// How far the proxies stand outside of the skin.
    pub(super) mean_excess_mm: f64,
    pub(super) max_excess_mm: f64,
    /// How far the skin stands outside of the proxies.
    pub(super) mean_undercut_mm: f64,
    pub(super) max_undercut_mm: f64,
    /// The same of each bone.
    pub(super) bones: Vec<BoneSummary>,
}

/// How well the proxies of one bone fit; lengths in mm.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct BoneSummary {
    pub(super) bone: String,
    pub(super) proxies: usize,
    pub(super) coverage: f64,
    pub(super) mean_excess_mm: f64,
    pub(super) max_excess_mm: f64,
    pub(super) mean_undercut_mm: f64,
    pub(super) max_undercut_mm: f64,
}

impl SkinObserver {
    /// An observer of cloth with these faces and so many vertices on a character. The error is a sentence.
    pub(super) fn new(
        mut faces: Vec<[u32; 3]>,
        cloth_vertices: usize,
        character: &AnimatedCharacter,
    ) -> Result<Self, String> {
        let mut is_used = vec![false; cloth_vertices];
        faces.iter().flatten().for_each(|&v| is_used[v as usize] = true);
        faces.extend(character.faces().iter().map(|face| face.map(|v| v + cloth_vertices as u32)));
        let vertices = cloth_vertices + character.positions().len();
        let mesh = TriMesh::new(vec![Point3::origin(); vertices], faces);
        Ok(Self {
            checker: Checker::default(),
            topology: Topology::of_mesh(&mesh).map_err(|e| e.to_string())?,
            cloth_vertices,
            is_used,
            all_faces: character.all_faces().to_vec(),
            positions: mesh.positions,
        })
    }

    /// An observer of garments on a character. The error is a sentence.
    pub(super) fn of_garments(garments: &[Garment], character: &AnimatedCharacter) -> Result<Self, String> {
        let (mut faces, mut first) = (Vec::new(), 0);
        for garment in garments {
            faces.extend(garment.mesh.faces.iter().map(|face| face.map(|v| v + first)));
            first += garment.mesh.positions.len() as u32;
        }
        Self::new(faces, first as usize, character)
    }

    /// Measures cloths at `cloth` (m) on a skin at `skin` (m). The error is a sentence: something is not finite.
    pub(super) fn observe(
        &mut self,
        cloth: &[Point3<f32>],
        skin: &[Point3<f32>],
    ) -> Result<SkinFigures, String> {
        let cloth = &cloth[..self.cloth_vertices];
        Ok(SkinFigures { depth: self.depth(cloth, skin).into(), ..self.intersect(cloth, skin)? })
    }

    /// The same without the depth, which costs more than the rest.
    pub(super) fn intersect(
        &mut self,
        cloth: &[Point3<f32>],
        skin: &[Point3<f32>],
    ) -> Result<SkinFigures, String> {
        self.positions.clear();
        self.positions.extend(cloth.iter().chain(skin).map(|p| p.map(f64::from)));
        let found = self.checker.check(&self.positions, &self.topology).map_err(|e| e.to_string())?;
        let is_cloth = |v: u32| (v as usize) < self.cloth_vertices;
        let (edges, faces) = (self.topology.edges(), self.topology.faces());
        let (mut count, mut vertices) = ([0; 3], Vec::new());
        for &[e, f] in &found.edge_faces {
            let primitives: [&[u32]; 2] = [&edges[e as usize], &faces[f as usize]];
            let of_cloth = primitives.map(|corners| is_cloth(corners[0]));
            count[of_cloth.iter().filter(|c| **c).count()] += 1;
            if of_cloth[0] != of_cloth[1] {
                vertices.extend_from_slice(primitives[usize::from(of_cloth[1])]);
            }
        }
        Ok(SkinFigures { intersections: count[1], cloth_intersections: count[2], depth: 0.0, vertices })
    }

    /// The depth (m) of the deepest vertex of cloth.
    fn depth(&self, cloth: &[Point3<f32>], skin: &[Point3<f32>]) -> f32 {
        let Some(depths) = SkinDepths::new(&self.all_faces, skin) else { return 0.0 };
        let used = cloth.iter().zip(&self.is_used).filter(|(_, used)| **used);
        used.map(|(p, _)| depths.depth(p)).fold(0.0, f32::max)
    }
}

/// Depths below a skin in one pose, by its pseudonormals at the nearest point (Bærentzen and Aanæs 2005).
pub(super) struct SkinDepths(SkinShape);

impl SkinDepths {
    /// Of a closed skin with these triangles at `skin` (m); none without triangles.
    pub(super) fn new(faces: &[[u32; 3]], skin: &[Point3<f32>]) -> Option<Self> {
        let vertices = skin.iter().map(vector).collect();
        SkinShape::with_flags(vertices, faces.to_vec(), TriMeshFlags::ORIENTED).ok().map(Self)
    }

    /// Depth (m) of a point below the skin; 0 outside.
    pub(super) fn depth(&self, p: &Point3<f32>) -> f32 {
        let p = vector(p);
        let nearest = self.0.project_local_point(p, false);
        if nearest.is_inside { (nearest.point - p).length() } else { 0.0 }
    }
}

fn vector(p: &Point3<f32>) -> parry3d::math::Vector {
    parry3d::math::Vector::new(p.x, p.y, p.z)
}

impl SkinReport {
    /// From the figures of the start and of all frames.
    pub(super) fn new(character: &AnimatedCharacter, figures: &[SkinFigures], names: &VertexNames) -> Self {
        let of = |pick: fn(&SkinFigures) -> usize| {
            let counts: Vec<u64> = figures.iter().map(|f| pick(f) as u64).collect();
            let (start, frames) = counts.split_first().map_or((0, &[][..]), |(start, rest)| (*start, rest));
            Intersections::from_frames(start, frames)
        };
        Self {
            body: character.body_name().to_owned(),
            cloth_skin: of(|f| f.intersections),
            cloth_cloth: of(|f| f.cloth_intersections),
            deepest_m: figures.iter().map(|f| f.depth).fold(0.0, f64::max),
            frames: figures
                .iter()
                .enumerate()
                .filter(|(_, f)| f.intersections > 0)
                .map(|(frame, f)| SkinFrame {
                    frame,
                    intersections: f.intersections,
                    vertices: names.name(f.vertices.iter().copied()),
                })
                .collect(),
            last_deepest_m: figures.last().map_or(0.0, |f| f.depth),
            fit: character.fit_summary(),
        }
    }

    /// The figures in words.
    pub(super) fn words(&self) -> String {
        let of = |i: &Intersections| format!("start {}, worst {}, last {}", i.initial, i.max, i.last);
        format!(
            "on {}: intersections with the skin ({}), with cloth ({}), deepest below the skin {:.1} mm, at the end {:.1} mm",
            match self.body.as_str() {
                "both" => "proxies and skin",
                "proxies" => "the proxies",
                _ => "the skin",
            },
            of(&self.cloth_skin),
            of(&self.cloth_cloth),
            1e3 * self.deepest_m,
            1e3 * self.last_deepest_m,
        )
    }
}
