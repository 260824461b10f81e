//! Garments and the bodies that wear them, judged together.

use std::sync::Mutex;

use cloth_certify::{
    BodySurface, Coordinate, Deepest, KindCounts, Outfit, OutfitReport, PairKind, StateWitness,
};

use crate::handle::{self, Handle};
use crate::judge::{CLOTH_NONE, cloth_state_witness, state_witness};
use crate::memory::{self, array, item, room};
use crate::status::{Fault, cloth_error, cloth_status, run};
use crate::threads::{cloth_threads, within};

/// Garments and the bodies that wear them, judged together, with what was found in the last state. One thread
/// at a time may use it; a second one gets `CLOTH_ERROR_BUSY`.
pub struct cloth_outfit(());

impl Handle for cloth_outfit {
    type Content = Mutex<Checked>;
    const KIND: u64 = 0x7c10_7405_0077_f175;
    const NAME: &'static str = "outfit";
}

/// An outfit, and what was found in the last state.
pub(crate) struct Checked {
    outfit: Outfit,
    last: Option<OutfitReport>,
}

impl Checked {
    fn last(&self) -> Result<&OutfitReport, Fault> {
        let no_state = "there is no checked state: none was checked yet, or the last one was refused";
        self.last.as_ref().ok_or_else(|| Fault::argument(format!("{no_state}; check one first")))
    }
}

/// The description of an outfit: the faces of all garments and bodies as one mesh. Set it to zero, then set
/// what there is. It is copied: the arrays are not needed after the call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_outfit_desc {
    /// Number of vertices.
    pub vertex_count: usize,
    /// 3 vertices a face, all of one part; those of a body may all look outward or all inward.
    pub faces: *const u32,
    /// Number of faces.
    pub face_count: usize,
    /// The part of each vertex, from 0: each garment and each body is one.
    pub parts: *const u16,
    /// For each part: not 0 if it is a body.
    pub is_body: *const u8,
    /// Number of parts.
    pub part_count: usize,
}

/// What two primitives that meet belong to.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum cloth_between {
    /// One garment.
    CLOTH_BETWEEN_CLOTH_SELF = 0,
    /// Two garments.
    CLOTH_BETWEEN_CLOTH_CLOTH = 1,
    /// A garment and a body.
    CLOTH_BETWEEN_CLOTH_BODY = 2,
    /// One body.
    CLOTH_BETWEEN_BODY_SELF = 3,
    /// Two bodies.
    CLOTH_BETWEEN_BODY_BODY = 4,
}

/// How many pairs there are, by what they belong to.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_kind_counts {
    /// Of one garment.
    pub cloth_self: usize,
    /// Of two garments.
    pub cloth_cloth: usize,
    /// Of a garment and a body.
    pub cloth_body: usize,
    /// Of one body.
    pub body_self: usize,
    /// Of two bodies.
    pub body_body: usize,
}

/// The deepest point of a garment inside of a body.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_deepest {
    /// The vertex, or the face. `CLOTH_NONE` if nothing is inside; the rest is 0 then.
    pub index: u32,
    /// The part that is the body.
    pub body: u32,
    /// Its distance (m) from the surface of the body.
    pub depth: f64,
    /// Where (m).
    pub position: [f64; 3],
}

/// What was found in a state of an outfit.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_outfit_report {
    /// 1 if nothing meets a garment, no face of one lies on another, and no vertex of one is inside of a
    /// body. What bodies do among themselves does not count.
    pub is_clean: u8,
    /// Edges and faces that meet.
    pub intersections: cloth_kind_counts,
    /// Flat folds, and faces that lie on others.
    pub folds: cloth_kind_counts,
    /// Number of vertices of garments that are inside of a body.
    pub vertices_inside: usize,
    /// The vertex that is deepest.
    pub deepest_vertex: cloth_deepest,
    /// The face with the deepest point: a body may stand out in the middle of a coarse one. No other is more
    /// than 1 % and 1e-5 of the size of the body deeper.
    pub deepest_face: cloth_deepest,
    /// The share of the area of all garments that is inside, from 0 to 1.
    pub share_inside: f64,
    /// That area (m2).
    pub area_inside: f64,
    /// The area (m2) of all garments.
    pub area: f64,
}

/// A body as something to be inside of.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_body_surface {
    /// Its part.
    pub part: u16,
    /// 1 if it is closed, vertices at one place taken as one. In an open one, inside means what the winding
    /// number says: near a hole, as far as the hole covers less than half of the view.
    pub is_closed: u8,
    /// 1 if its faces look inward; inside is inside all the same.
    pub is_turned: u8,
}

/// One place where parts meet, and what they are.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_outfit_witness {
    /// What meets.
    pub between: cloth_between,
    /// Where, and by which vertices and faces. Edges are numbered as in a `cloth_mesh` of the same faces.
    pub witness: cloth_state_witness,
}

/// Builds an outfit. `*outfit` is null after an error.
///
/// `CLOTH_ERROR_ARGUMENT` if an index is out of range, a face has equal corners or joins two parts, or a
/// vertex is of a part that there is not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_outfit_create(
    desc: *const cloth_outfit_desc,
    outfit: *mut *mut cloth_outfit,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::create(("outfit", outfit), error, || {
            Ok(Mutex::new(Checked { outfit: build(item("desc", desc)?)?, last: None }))
        })
    }
}

/// Frees an outfit. Null is allowed. No call may be using it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_outfit_destroy(outfit: *mut cloth_outfit) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers, and uses the handle for the last time.
    unsafe { run(std::ptr::null_mut(), || handle::destroy(outfit)) }
}

/// Judges a state: what meets, exactly and for all finite positions, and what of the garments is inside of a
/// body, by winding numbers. Whether a body is closed and turned is found in the first state.
///
/// `x` has 3 coordinates (m) for each of `vertex_count` vertices. `report` and `threads` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_outfit_check_f64(
    outfit: *mut cloth_outfit,
    threads: *const cloth_threads,
    x: *const f64,
    vertex_count: usize,
    report: *mut cloth_outfit_report,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { handle::call(outfit, error, |checked| check(checked, threads, x, vertex_count, report)) }
}

/// As `cloth_outfit_check_f64`, with positions in `float`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_outfit_check_f32(
    outfit: *mut cloth_outfit,
    threads: *const cloth_threads,
    x: *const f32,
    vertex_count: usize,
    report: *mut cloth_outfit_report,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { handle::call(outfit, error, |checked| check(checked, threads, x, vertex_count, report)) }
}

/// Writes the vertices of garments that are inside of a body in the last state, ascending, for as many as
/// `capacity` says; `*count` is the number of all. `vertices` may be null if `capacity` is 0. One that lies
/// on the surface is not inside.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_outfit_get_vertices_inside(
    outfit: *const cloth_outfit,
    vertices: *mut u32,
    capacity: usize,
    count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(outfit, error, |checked| {
            let inside = &checked.last()?.penetration.vertices;
            memory::fill_counted(("vertices", vertices, capacity), count, inside)
        })
    }
}

/// Writes the bodies as they are in the last state, by part, for as many as `capacity` says; `*count` is the
/// number of all. `bodies` may be null if `capacity` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_outfit_get_bodies(
    outfit: *const cloth_outfit,
    bodies: *mut cloth_body_surface,
    capacity: usize,
    count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(outfit, error, |checked| {
            let all: Vec<_> = checked.last()?.bodies.iter().map(body_surface).collect();
            memory::fill_counted(("bodies", bodies, capacity), count, &all)
        })
    }
}

/// Writes everything that meets in the last state, for as many places as `capacity` says; `*count` is the
/// number of all. `witnesses` may be null if `capacity` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_outfit_get_witnesses(
    outfit: *const cloth_outfit,
    witnesses: *mut cloth_outfit_witness,
    capacity: usize,
    count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(outfit, error, |checked| {
            let all: Vec<_> = checked.last()?.witnesses().iter().map(outfit_witness).collect();
            memory::fill_counted(("witnesses", witnesses, capacity), count, &all)
        })
    }
}

/// # Safety
/// The arrays of the description are as long as it says.
unsafe fn build(desc: &cloth_outfit_desc) -> Result<Outfit, Fault> {
    // SAFETY: as demanded.
    let (faces, parts, is_body) = unsafe {
        (
            array("faces", desc.faces.cast::<[u32; 3]>(), desc.face_count)?,
            array("parts", desc.parts, desc.vertex_count)?,
            array("is_body", desc.is_body, desc.part_count)?,
        )
    };
    let is_body: Vec<bool> = is_body.iter().map(|&is_body| is_body != 0).collect();
    Outfit::new(desc.vertex_count, faces, parts, &is_body).map_err(Fault::argument)
}

/// # Safety
/// The handles and pointers keep the rules.
unsafe fn check<T: Coordinate>(
    Checked { outfit, last }: &mut Checked,
    threads: *const cloth_threads,
    x: *const T,
    vertex_count: usize,
    report: *mut cloth_outfit_report,
) -> Result<(), Fault> {
    // SAFETY: as demanded.
    unsafe {
        let x = array("x", x.cast::<[T; 3]>(), vertex_count)?;
        memory::check_buffer("report", report, room(report))?;
        *last = None;
        let found = within(threads, || outfit.check_state(x))??;
        memory::fill("report", report, room(report), &[summary(last.insert(found))])
    }
}

fn summary(found: &OutfitReport) -> cloth_outfit_report {
    let inside = &found.penetration;
    cloth_outfit_report {
        is_clean: u8::from(found.is_clean()),
        intersections: kind_counts(&found.counts),
        folds: kind_counts(&found.folds),
        vertices_inside: inside.vertices.len(),
        deepest_vertex: deepest(inside.deepest_vertex),
        deepest_face: deepest(inside.deepest_face),
        share_inside: inside.share_inside(),
        area_inside: inside.area_inside,
        area: inside.area,
    }
}

fn kind_counts(
    &KindCounts { cloth_self, cloth_cloth, cloth_body, body_self, body_body }: &KindCounts,
) -> cloth_kind_counts {
    cloth_kind_counts { cloth_self, cloth_cloth, cloth_body, body_self, body_body }
}

fn deepest(found: Option<Deepest>) -> cloth_deepest {
    let none = cloth_deepest { index: CLOTH_NONE, body: 0, depth: 0.0, position: [0.0; 3] };
    found.map_or(none, |Deepest { index, body, depth, position }| cloth_deepest {
        index,
        body: body.into(),
        depth,
        position,
    })
}

fn body_surface(&BodySurface { part, is_closed, is_turned }: &BodySurface) -> cloth_body_surface {
    cloth_body_surface { part, is_closed: is_closed.into(), is_turned: is_turned.into() }
}

fn outfit_witness((kind, witness): &(PairKind, StateWitness)) -> cloth_outfit_witness {
    let between = match kind {
        PairKind::ClothSelf => cloth_between::CLOTH_BETWEEN_CLOTH_SELF,
        PairKind::ClothCloth => cloth_between::CLOTH_BETWEEN_CLOTH_CLOTH,
        PairKind::ClothBody => cloth_between::CLOTH_BETWEEN_CLOTH_BODY,
        PairKind::BodySelf => cloth_between::CLOTH_BETWEEN_BODY_SELF,
        PairKind::BodyBody => cloth_between::CLOTH_BETWEEN_BODY_BODY,
    };
    cloth_outfit_witness { between, witness: state_witness(witness) }
}
