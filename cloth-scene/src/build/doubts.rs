//! What is doubtful about the size and the place of a garment and of the mesh bodies, and which option helps.
//!
//! Every option is that of a [`Candidate`], whose state [`crate::remedy`] judges as the simulation would have
//! it. Where none helps, the doubt is named without an option.

use cloth_geom::{Aabb, TriMesh};
use nalgebra::{Point3, Vector3};

use super::garment::{PlacedGarment, place, repair_mesh};
use super::placing::{MeshBody, Reading, Stage, place_on};
use crate::remedy::{Change, Faults, RemedyJudge, Surroundings};
use crate::units::{self, GARMENT, body_hint, is_odd_body, likely_body_unit, size_in_words, unit_hint};
use crate::{Garment, Placing, Rotation, SceneSource, Up};

/// Heights (of the box of the bodies, from its middle) at which a garment that is beside them is tried.
const HEIGHTS: [f64; 7] = [0.0, 0.125, -0.125, 0.25, -0.25, 0.375, -0.375];

/// A start that options would lead to.
struct Candidate {
    change: Change,
    garment: Garment,
    /// The reading of each mesh body.
    readings: Vec<Reading>,
    /// The options and what they do, as a clause.
    clause: String,
}

/// The starts of one garment that are judged for one sentence.
struct Trial<'a> {
    stage: &'a Stage<'a>,
    garment: &'a Garment,
    file: &'a TriMesh,
    source: &'a SceneSource,
    judge: RemedyJudge,
}

impl Stage<'_> {
    /// What is doubtful about the size of a garment, or else about its place; `file` is its mesh as in the
    /// file, `start` as the simulation has it (m).
    pub(super) fn doubt_garment(
        &self,
        garment: &Garment,
        file: &TriMesh,
        start: &TriMesh,
        source: &SceneSource,
    ) -> Option<String> {
        let mut trial = Trial { stage: self, garment, file, source, judge: RemedyJudge::new() };
        trial.doubt_size(&start.face_bounds()).or_else(|| trial.doubt_place(&start.face_bounds()))
    }

    /// What is doubtful about the sizes of the mesh bodies, a sentence each.
    pub(super) fn doubt_bodies(
        &self,
        wanted: &[Garment],
        garments: &[PlacedGarment],
        source: &SceneSource,
    ) -> Vec<String> {
        let mut all = TriMesh::default();
        for garment in garments {
            all.append(&garment.mesh);
        }
        let is_held = wanted.iter().any(follows);
        let sentence = |(k, body): (usize, &MeshBody)| {
            let bounds = self.surfaces(&self.readings()).get(k)?.face_bounds();
            let hint = body_hint(&bounds, body.reading.scale, &mut |metres| {
                self.body_option(k, metres, &all, is_held, source)
            })?;
            Some(format!("{} {hint}", body.in_words()))
        };
        self.meshes.iter().enumerate().filter_map(sentence).collect()
    }

    /// What reads a body in another unit, and by its other axis if it lies, where that helps the garments.
    fn body_option(
        &self,
        k: usize,
        metres: f64,
        garments: &TriMesh,
        is_held: bool,
        source: &SceneSource,
    ) -> Option<String> {
        let mut judge = RemedyJudge::new();
        let mut faults = |readings: &[Reading]| {
            let around = self.surroundings(readings, is_held);
            let is_odd_size = around.meshes.get(k).is_some_and(|body| is_odd_body(&body.face_bounds()));
            Some(Faults { is_odd_size, ..judge.faults(&as_simulated(garments.clone()), &around)? })
        };
        let before = faults(&self.readings())?;
        let body = &self.meshes[k];
        let unit = source.body_unit_option(body.name.as_deref(), metres);
        let scaled = Reading { scale: metres, ..body.reading };
        let turned = Reading { up: other(scaled.up), ..scaled };
        let axis = source.body_up_option(body.name.as_deref(), turned.up);
        let both = (!body.is_character).then(|| (turned, format!("{unit} {axis}")));
        let judged = [Some((scaled, unit)), both].into_iter().flatten().filter_map(|(reading, option)| {
            let after = faults(&self.readings_with(k, reading))?;
            Change::Reads.helps(&before, &after).then_some((!after.is_placed(), option))
        });
        // The first of those that leave the garments in a place.
        judged.min_by_key(|(is_misplaced, _)| *is_misplaced).map(|(_, option)| option)
    }

    fn readings(&self) -> Vec<Reading> {
        self.meshes.iter().map(|body| body.reading).collect()
    }

    fn readings_with(&self, k: usize, reading: Reading) -> Vec<Reading> {
        let mut readings = self.readings();
        readings[k] = reading;
        readings
    }

    /// The mesh bodies (m) if their files were read so.
    fn surfaces(&self, readings: &[Reading]) -> Vec<TriMesh> {
        self.bodies.surfaces(|k, p| match (self.meshes.get(k), readings.get(k)) {
            (Some(body), Some(to)) => reread(&body.reading, to, p),
            _ => p,
        })
    }

    /// The bodies if their files were read so. What is held by them need not be near.
    fn surroundings(&self, readings: &[Reading], is_held: bool) -> Surroundings {
        let meshes = self.surfaces(readings);
        let wearers = self.bodies.bounds_with(&meshes).filter(|_| self.is_worn && !is_held);
        Surroundings { colliders: self.bodies.bounded_colliders().cloned().collect(), wearers, meshes }
    }
}

impl Trial<'_> {
    /// Whether the garment has no size of one, and which units help.
    fn doubt_size(&mut self, bounds: &Aabb) -> Option<String> {
        let unit = self.garment.file_unit();
        let size = self.stage.bounds.filter(|_| self.stage.is_worn);
        let mut before = None;
        let hint = unit_hint(
            bounds,
            GARMENT,
            unit,
            Some(&mut |metres| {
                let before = before.get_or_insert_with(|| self.faults(self.garment, &self.stage.readings()));
                let candidate = self.in_unit(metres);
                let after = self.faults(&candidate.garment, &candidate.readings)?;
                candidate.change.helps(before.as_ref()?, &after).then_some(candidate.clause)
            }),
        )?;
        let of_body = size.map(|bodies| format!("; the body is {}", size_in_words(&bodies, 2)));
        Some(hint + &of_body.unwrap_or_default())
    }

    /// The garment in another unit, and bodies of an odd size in the most likely one.
    fn in_unit(&self, metres: f64) -> Candidate {
        let mut garment = self.garment.clone();
        let option = match &mut garment.unit {
            Some(unit) => {
                *unit = metres;
                self.source.unit_option()
            }
            None => {
                garment.scale = metres;
                "scale ="
            }
        };
        let mut clause = format!("{option} {metres}");
        let mut readings = self.stage.readings();
        let surfaces = self.stage.surfaces(&readings);
        for ((body, reading), mesh) in self.stage.meshes.iter().zip(&mut readings).zip(&surfaces) {
            let likely = likely_body_unit(&mesh.face_bounds(), reading.scale);
            reading.scale = likely.unwrap_or(reading.scale);
            // Without a scene file a mesh body has the unit of the garment unless another is given.
            let follows = matches!(self.source, SceneSource::Flags(_)) && !body.is_character;
            if likely.is_some() || follows {
                clause += &format!(" {}", self.source.body_unit_option(body.name.as_deref(), reading.scale));
            }
        }
        Candidate { change: Change::Reads, garment, readings, clause }
    }

    /// What is wrong with where a garment starts, and the first option that helps.
    fn doubt_place(&mut self, bounds: &Aabb) -> Option<String> {
        let (stage, garment) = (self.stage, self.garment);
        if garment.place != Placing::AsIs {
            return None;
        }
        let around = stage.surroundings(&stage.readings(), follows(garment));
        let is_apart = around.is_apart(bounds);
        let boxes: Vec<Aabb> = around.meshes.iter().map(TriMesh::face_bounds).collect();
        let may_be_inside = boxes.iter().any(|body| body.contains(&bounds.min) && body.contains(&bounds.max));
        let lies = (0..boxes.len()).any(|k| self.lies(k, &boxes[k]) && boxes[k].overlaps(bounds));
        if !(is_apart || may_be_inside || lies) {
            return None;
        }
        let before = self.faults(garment, &stage.readings());
        let fact = match (before, around.wearers) {
            (_, Some(bodies)) if is_apart => format!(
                "starts beside the body: it is {}, the body {}",
                size_in_words(bounds, 2),
                size_in_words(&bodies, 2)
            ),
            (Some(Faults { is_inside: true, .. }), _) => "is wholly inside a body".to_owned(),
            (Some(Faults { with_bodies: 1.., .. }), _) if lies => "meets a body that lies along z".to_owned(),
            _ => return None,
        };
        let is_odd = boxes.iter().any(is_odd_body);
        let remedy =
            before.filter(|_| !is_odd).and_then(|before| self.first_that_helps(&before, bounds, &boxes));
        match remedy {
            Some(clause) => Some(format!("{fact}; {clause}")),
            // A body may lie, and cloth may meet it.
            None => (is_apart || before.is_some_and(|before| before.is_inside)).then_some(fact),
        }
    }

    /// The clause of another axis that helps, or else of a place on the bodies, or else of that above them.
    fn first_that_helps(&mut self, before: &Faults, bounds: &Aabb, boxes: &[Aabb]) -> Option<String> {
        let axes = self.other_axes(before, boxes);
        let places = if before.is_apart() { self.places_on_bodies(bounds) } else { Vec::new() };
        for candidates in [axes, places, vec![self.above_bodies()]] {
            let judged = candidates.into_iter().filter_map(|candidate| {
                let after = self.faults(&candidate.garment, &candidate.readings)?;
                candidate.change.helps(before, &after).then_some((after.in_shapes, candidate.clause))
            });
            // The first of those with the fewest vertices in shapes.
            if let Some((_, clause)) = judged.min_by_key(|(in_shapes, _)| *in_shapes) {
                return Some(clause);
            }
        }
        None
    }

    /// The garment, if it is apart, and each body that lies, with its other axis up.
    fn other_axes(&self, before: &Faults, boxes: &[Aabb]) -> Vec<Candidate> {
        let (stage, source) = (self.stage, self.source);
        let mut candidates = Vec::new();
        let has_mesh = stage.meshes.iter().any(|body| !body.is_character);
        if before.is_apart() && self.garment.rotate.is_none() {
            let up = other(self.garment.up);
            let (garment, option) = match source {
                // `--up` turns a body as well.
                SceneSource::Flags(_) if has_mesh => {
                    let degrees = if up == Up::Z { -90.0 } else { 90.0 };
                    let turn = Rotation { axis: [1.0, 0.0, 0.0], degrees };
                    (Garment { rotate: Some(turn), ..self.garment.clone() }, format!("--rotate x,{degrees}"))
                }
                _ => (Garment { up, ..self.garment.clone() }, source.up_option(up)),
            };
            candidates.push(self.reads(garment, stage.readings(), &option));
        }
        for (k, body) in stage.meshes.iter().enumerate().filter(|(k, _)| self.lies(*k, &boxes[*k])) {
            let turned = Reading { up: other(body.reading.up), ..body.reading };
            let option = source.body_up_option(body.name.as_deref(), turned.up);
            candidates.push(self.reads(self.garment.clone(), stage.readings_with(k, turned), &option));
        }
        candidates
    }

    fn reads(&self, garment: Garment, readings: Vec<Reading>, option: &str) -> Candidate {
        Candidate {
            change: Change::Reads,
            garment,
            readings,
            clause: format!("{option} puts it on the body"),
        }
    }

    /// The garment in the middle of the bodies, at several heights.
    fn places_on_bodies(&self, bounds: &Aabb) -> Vec<Candidate> {
        let Some(bodies) = self.stage.bounds else { return Vec::new() };
        let middle = nalgebra::center(&bodies.min, &bodies.max) - nalgebra::center(&bounds.min, &bounds.max);
        let at = |share: &f64| {
            let height = Vector3::y() * (share * (bodies.max.y - bodies.min.y));
            let by = Vector3::from(self.garment.translate) + middle + height;
            // As it is printed.
            let translate: [f64; 3] = by.map(|c| (1e3 * c).round() / 1e3).into();
            let garment = Garment { translate, ..self.garment.clone() };
            self.moves(garment, format!("{} puts it on the body", self.source.translate_option(translate)))
        };
        HEIGHTS.iter().map(at).collect()
    }

    /// The garment above the bodies.
    fn above_bodies(&self) -> Candidate {
        let above = Garment { place: Placing::Above, translate: [0.0; 3], ..self.garment.clone() };
        let mut option = self.source.above_option().to_owned();
        if self.garment.translate != above.translate {
            option += &format!(" {}", self.source.translate_option(above.translate));
        }
        self.moves(above, format!("{option} lets it fall on the body"))
    }

    fn moves(&self, garment: Garment, clause: String) -> Candidate {
        Candidate { change: Change::Moves, garment, readings: self.stage.readings(), clause }
    }

    /// Whether a body's longer side is along z, as that of one whose file has z up and was read with y up.
    fn lies(&self, k: usize, bounds: &Aabb) -> bool {
        let size = bounds.max - bounds.min;
        !self.stage.meshes[k].is_character && size.z > size.y
    }

    /// What is wrong with a start, judged as the simulation would have it.
    fn faults(&mut self, garment: &Garment, readings: &[Reading]) -> Option<Faults> {
        let around = self.stage.surroundings(readings, follows(garment));
        let placed = place_on(garment, self.file, self.stage.bodies.bounds_with(&around.meshes));
        let moved = self.file.clone().mapped(|p| place(&placed, &p));
        let mesh = as_simulated(repair_mesh(&moved, garment.weld_distance).ok()?.mesh);
        let left_out = self.file.faces.len() - mesh.faces.len();
        let is_odd_size = units::is_odd(&mesh.face_bounds(), GARMENT);
        Some(Faults { is_odd_size, left_out, ..self.judge.faults(&mesh, &around)? })
    }
}

impl MeshBody {
    fn in_words(&self) -> String {
        match &self.name {
            Some(name) => format!("the body {name}"),
            None if self.is_character => "the character".to_owned(),
            None => "the body".to_owned(),
        }
    }
}

/// Whether pins hold a garment on a body: it is meant where it is.
fn follows(garment: &Garment) -> bool {
    garment.pins.iter().any(|pin| pin.follow.is_some())
}

/// The axis that a file may have up instead.
fn other(up: Up) -> Up {
    match up {
        Up::Y => Up::Z,
        Up::Z => Up::Y,
    }
}

/// Where a point (m) of a body is if its file is read otherwise.
fn reread(from: &Reading, to: &Reading, p: Point3<f64>) -> Point3<f64> {
    let scaled = p * (to.scale / from.scale);
    match (from.up, to.up) {
        (Up::Y, Up::Z) => Point3::new(scaled.x, scaled.z, -scaled.y),
        (Up::Z, Up::Y) => Point3::new(scaled.x, -scaled.z, scaled.y),
        _ => scaled,
    }
}

/// A mesh with the positions that the solver has of it.
fn as_simulated(mesh: TriMesh) -> TriMesh {
    mesh.mapped(|p| p.map(|c| f64::from(c as f32)))
}

#[cfg(test)]
mod tests {
    use super::super::bodies::Bodies;
    use super::*;
    use crate::Scene;
    use cloth_geom::fixtures::{SkirtShape, skirt};

    /// What is said of a garment with these keys, whose file has this mesh, on the figure.
    fn doubt(keys: &str, file: &TriMesh, source: &SceneSource) -> Option<String> {
        let text = format!("[[garment]]\nmesh = \"a.obj\"\n{keys}\n[[body]]\nkind = \"figure\"\n");
        let scene = Scene::parse("s.toml".as_ref(), &text).unwrap();
        let bodies = Bodies::new(&scene, source).unwrap();
        let (stage, garment) = (Stage::new(&scene, &bodies, source), &scene.garments[0]);
        let placed = stage.place(garment, file);
        let start = file.clone().mapped(|p| place(&placed, &p));
        stage.doubt_garment(garment, file, &start, source)
    }

    fn sources() -> [SceneSource; 2] {
        [SceneSource::Flags("a.obj".into()), SceneSource::File("s.toml".into())]
    }

    /// A skirt around the figure.
    fn worn() -> TriMesh {
        let shape = SkirtShape { waist_radius: 0.25, hem_radius: 0.35, length: 0.4, around: 24, along: 6 };
        skirt(shape).unwrap().translated(Vector3::y() * 0.9)
    }

    #[test]
    fn doubts_what_is_beside_the_body_and_names_the_option() {
        let [flags, scene] = sources();
        assert_eq!(doubt("", &worn(), &flags), None);
        // Its back on the floor, as a file with z up that was read with y up.
        let lying = worn().mapped(|p| Point3::new(p.x, -p.z, p.y));
        let said = |source| doubt("unit = 1", &lying, source).unwrap();
        assert!(said(&flags).contains("; --up z puts it on the body"), "{}", said(&flags));
        assert!(said(&scene).contains("; up = \"z\" puts it on the body"), "{}", said(&scene));
        let aside = worn().translated(Vector3::x() * 2.0);
        let far = |source| doubt("translate = [1, 0, 0]", &aside, source).unwrap();
        let fact = "starts beside the body: it is 0.70 x 0.40 x 0.70 m, the body 1.24 x 1.75 x 0.31 m; ";
        assert!(far(&flags).starts_with(&format!("{fact}--translate -2.")), "{}", far(&flags));
        assert!(far(&scene).starts_with(&format!("{fact}translate = [-2.")), "{}", far(&scene));
        assert_eq!(doubt("place = \"above\"", &aside, &flags), None);
    }

    #[test]
    fn doubts_a_size_before_a_position() {
        let [flags, scene] = sources();
        let far = worn().translated(Vector3::x() * 2.0);
        let large = doubt("unit = 1", &far.clone().scaled(5.0), &flags).unwrap();
        assert!(large.contains("3.50 m long is large") && large.contains("(--unit 0.1)"), "{large}");
        assert!(large.ends_with("; the body is 1.24 x 1.75 x 0.31 m"), "{large}");
        let small = doubt("", &far.scaled(0.1), &scene).unwrap();
        assert!(small.contains("is small") && small.contains("scale = 10 makes"), "{small}");
    }
}
