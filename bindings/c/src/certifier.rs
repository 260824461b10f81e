//! The gate: motions are corrected until they are certified.

use std::sync::Mutex;

use cloth_certify::{Certificate, Certifier, Coordinate, CorrectError, StartError};

use crate::handle::{self, Handle};
use crate::judge::cloth_pair_kind;
use crate::memory::{self, array, room};
use crate::mesh::cloth_mesh;
use crate::status::{Fault, cloth_error, cloth_status, run};
use crate::threads::{cloth_threads, within};

/// Makes motions free of crossings, one after another. One thread at a time may use it; a second one gets
/// `CLOTH_ERROR_BUSY`.
pub struct cloth_certifier(());

impl Handle for cloth_certifier {
    type Content = Mutex<AnyCertifier>;
    const KIND: u64 = 0x7c10_7403_ce47_1f1e;
    const NAME: &'static str = "certifier";
}

/// A certifier with memory for a proposal, so that what is corrected may overlap other arrays.
pub(crate) struct Slot<T: Coordinate> {
    certifier: Certifier<T>,
    end: Vec<[T; 3]>,
}

#[allow(clippy::large_enum_variant, reason = "a handle is one allocation, whatever it holds")]
pub(crate) enum AnyCertifier {
    Float(Slot<f32>),
    Double(Slot<f64>),
}

impl AnyCertifier {
    /// Calls one of two functions, which do the same, with the last certificate.
    fn with_certificate<R>(
        &self,
        float: impl FnOnce(Certificate<'_, f32>) -> R,
        double: impl FnOnce(Certificate<'_, f64>) -> R,
    ) -> Result<R, Fault> {
        let result = match self {
            Self::Float(slot) => slot.certifier.certificate().map(float),
            Self::Double(slot) => slot.certifier.certificate().map(double),
        };
        result.ok_or_else(|| Fault::argument(NO_MOTION))
    }
}

const NO_MOTION: &str =
    "there is no accepted motion: none was corrected yet, or the last one was refused; correct one first";

/// The two kinds of numbers.
trait Number: Coordinate {
    const NAME: &'static str;
    fn wrap(slot: Slot<Self>) -> AnyCertifier;
    fn slot(any: &mut AnyCertifier) -> Option<&mut Slot<Self>>;
}

macro_rules! number {
    ($number:ty, $name:literal, $kind:ident) => {
        impl Number for $number {
            const NAME: &'static str = $name;

            fn wrap(slot: Slot<Self>) -> AnyCertifier {
                AnyCertifier::$kind(slot)
            }

            fn slot(any: &mut AnyCertifier) -> Option<&mut Slot<Self>> {
                if let AnyCertifier::$kind(slot) = any { Some(slot) } else { None }
            }
        }
    };
}

number!(f32, "float", Float);
number!(f64, "double", Double);

fn slot<T: Number>(any: &mut AnyCertifier) -> Result<&mut Slot<T>, Fault> {
    T::slot(any).ok_or_else(|| {
        let text = format!("this certifier was not started with positions in {}", T::NAME);
        Fault::new(cloth_status::CLOTH_ERROR_HANDLE, text)
    })
}

/// How a certifier is started. All zero is the default.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_certifier_desc {
    /// A distance (m) that is proved to be kept by what starts farther apart than 1.01 of it; 0: not to
    /// touch.
    pub thickness: f64,
    /// The distance (m), beyond the thickness, that corrected motions leave; an aim, not proved. 0: what fits
    /// the mesh.
    pub clearance: f64,
    /// Not 0: accept a start that intersects; what is tangled is exempt until it comes apart.
    pub admits_tangles: u8,
}

/// What is certified of an accepted motion.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_certificate {
    /// 1 if no pair was exempt, released or touching: nothing at all touched anything in this motion.
    pub is_unconditional: u8,
    /// Number of vertices whose end is not the proposed one.
    pub changed: usize,
    /// Number of pairs that could not be kept apart: of a kinematic part that moved into cloth that cannot
    /// give way, and those at distance zero that do not move.
    pub released: usize,
    /// Number of tangles that are left after the motion.
    pub exempt: usize,
    /// Number of tangles that came apart in the motion.
    pub resolved: usize,
    /// Number of pairs that did not have to keep the thickness; they do not touch unless they are released.
    pub near: usize,
}

/// A pair that was released.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cloth_released_pair {
    /// What it consists of.
    pub kind: cloth_pair_kind,
    /// The vertices of both: a vertex and the 3 of a face, or 2 and 2 of edges.
    pub vertices: [u32; 4],
}

/// Checks a start (m) and makes a certifier that begins there. The mesh is not needed after the call.
///
/// `desc` may be null for the default, `threads` too. `*certifier` is null after an error.
/// `CLOTH_ERROR_TANGLED` if the start has intersections and they are not admitted; `CLOTH_ERROR_ARGUMENT` if
/// a number is not finite, a coordinate is beyond 1e9 m, or a distance is negative or beyond that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_certifier_create_f64(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    desc: *const cloth_certifier_desc,
    x0: *const f64,
    vertex_count: usize,
    certifier: *mut *mut cloth_certifier,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { create(mesh, threads, desc, x0, vertex_count, certifier, error) }
}

/// As `cloth_certifier_create_f64`, for positions in `float`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_certifier_create_f32(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    desc: *const cloth_certifier_desc,
    x0: *const f32,
    vertex_count: usize,
    certifier: *mut *mut cloth_certifier,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { create(mesh, threads, desc, x0, vertex_count, certifier, error) }
}

/// Frees a certifier. Null is allowed. No call may be using it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_certifier_destroy(certifier: *mut cloth_certifier) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers, and uses the handle for the last time.
    unsafe { run(std::ptr::null_mut(), || handle::destroy(certifier)) }
}

/// Corrects the end `x1` (m) of a motion from `x0` (m) in place until it is certified, and accepts it.
///
/// A start that is not in every bit where the last motion ended is checked again. `inv_mass` has an inverse
/// mass (1/kg) for each vertex: 0 is moved by others only where nothing else helps. Vertices of kinematic
/// parts are never moved, and get no impulse, whatever theirs. `threads` and `certificate` may be null.
///
/// After an error `x1` is unchanged: `CLOTH_ERROR_ARGUMENT` if a number is not finite, a coordinate is beyond
/// 1e9 m or an inverse mass is neither 0 nor above 0 with a finite inverse and a finite square,
/// `CLOTH_ERROR_TANGLED` if the start is another one and has intersections that are not admitted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_certifier_correct_f64(
    certifier: *mut cloth_certifier,
    threads: *const cloth_threads,
    x0: *const f64,
    x1: *mut f64,
    inv_mass: *const f64,
    vertex_count: usize,
    certificate: *mut cloth_certificate,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        let arrays = (x0, x1, inv_mass);
        handle::call(certifier, error, |any| correct(any, threads, arrays, vertex_count, certificate))
    }
}

/// As `cloth_certifier_correct_f64`, for a certifier of `cloth_certifier_create_f32`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_certifier_correct_f32(
    certifier: *mut cloth_certifier,
    threads: *const cloth_threads,
    x0: *const f32,
    x1: *mut f32,
    inv_mass: *const f32,
    vertex_count: usize,
    certificate: *mut cloth_certificate,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        let arrays = (x0, x1, inv_mass);
        handle::call(certifier, error, |any| correct(any, threads, arrays, vertex_count, certificate))
    }
}

/// Changes the velocities (m/s; 3 numbers a vertex) with which the last motion was proposed to those of the
/// accepted one, which takes `dt` (s). Velocities of vertices that no correction concerns are not touched.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_certifier_update_velocities_f64(
    certifier: *const cloth_certifier,
    dt: f64,
    velocities: *mut f64,
    vertex_count: usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { handle::call(certifier, error, |any| update_velocities(any, dt, velocities, vertex_count)) }
}

/// As `cloth_certifier_update_velocities_f64`, for a certifier of `cloth_certifier_create_f32`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_certifier_update_velocities_f32(
    certifier: *const cloth_certifier,
    dt: f64,
    velocities: *mut f32,
    vertex_count: usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe { handle::call(certifier, error, |any| update_velocities(any, dt, velocities, vertex_count)) }
}

/// Writes the first `capacity` of the `*count` vertices that the last motion changed, ascending. `vertices`
/// may be null if `capacity` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_certifier_get_changed(
    certifier: *const cloth_certifier,
    vertices: *mut u32,
    capacity: usize,
    count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(certifier, error, |any| {
            let changed = any.with_certificate(|c| c.changed().to_vec(), |c| c.changed().to_vec())?;
            memory::fill_counted(("vertices", vertices, capacity), count, &changed)
        })
    }
}

/// Writes the first `capacity` of the `*count` pairs that the last motion released. `pairs` may be null if
/// `capacity` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_certifier_get_released(
    certifier: *const cloth_certifier,
    pairs: *mut cloth_released_pair,
    capacity: usize,
    count: *mut usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(certifier, error, |any| {
            let released = any.with_certificate(|c| c.released().to_vec(), |c| c.released().to_vec())?;
            let released = released.iter().map(|pair| cloth_released_pair {
                kind: if pair.split == 1 {
                    cloth_pair_kind::CLOTH_PAIR_VERTEX_FACE
                } else {
                    cloth_pair_kind::CLOTH_PAIR_EDGE_EDGE
                },
                vertices: pair.vertices,
            });
            memory::fill_counted(("pairs", pairs, capacity), count, &released.collect::<Vec<_>>())
        })
    }
}

/// Writes the impulse (kg m/s; 3 numbers a vertex) that the last correction amounts to, if the motion takes
/// `dt` (s). 0 for vertices without a mass. `impulses` has room for 3 `vertex_count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cloth_certifier_get_impulses(
    certifier: *const cloth_certifier,
    dt: f64,
    impulses: *mut f64,
    vertex_count: usize,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: the caller keeps the rules of pointers.
    unsafe {
        handle::call(certifier, error, |any| {
            check_duration(dt)?;
            let all: Vec<[f64; 3]> =
                any.with_certificate(|c| c.impulse(dt).collect(), |c| c.impulse(dt).collect())?;
            check_vertices(vertex_count, all.len())?;
            memory::fill("impulses", impulses.cast::<[f64; 3]>(), vertex_count, &all)
        })
    }
}

/// # Safety
/// The handles and pointers keep the rules.
unsafe fn create<T: Number>(
    mesh: *const cloth_mesh,
    threads: *const cloth_threads,
    desc: *const cloth_certifier_desc,
    x0: *const T,
    vertex_count: usize,
    certifier: *mut *mut cloth_certifier,
    error: *mut cloth_error,
) -> cloth_status {
    // SAFETY: as demanded.
    unsafe {
        handle::create(("certifier", certifier), error, || {
            let mesh = handle::content(mesh)?;
            let x0 = array("x0", x0.cast::<[T; 3]>(), vertex_count)?;
            let default = cloth_certifier_desc { thickness: 0.0, clearance: 0.0, admits_tangles: 0 };
            let desc = if desc.is_null() { default } else { *memory::item("desc", desc)? };
            let mut builder = mesh.certifier().thickness(desc.thickness);
            if desc.clearance != 0.0 {
                builder = builder.clearance(desc.clearance);
            }
            if desc.admits_tangles != 0 {
                builder = builder.admit_tangles();
            }
            let started = within(threads, || builder.start(x0))??;
            Ok(Mutex::new(T::wrap(Slot { certifier: started, end: Vec::new() })))
        })
    }
}

/// # Safety
/// The handles and pointers keep the rules.
unsafe fn correct<T: Number>(
    any: &mut AnyCertifier,
    threads: *const cloth_threads,
    (x0, x1, inv_mass): (*const T, *mut T, *const T),
    vertex_count: usize,
    out: *mut cloth_certificate,
) -> Result<(), Fault> {
    // SAFETY: as demanded; `x1` is read as a whole before it is written.
    unsafe {
        let Slot { certifier, end } = slot::<T>(any)?;
        let x0 = array("x0", x0.cast::<[T; 3]>(), vertex_count)?;
        let inv_mass = array("inv_mass", inv_mass, vertex_count)?;
        end.clear();
        end.extend_from_slice(array("x1", x1.cast::<[T; 3]>().cast_const(), vertex_count)?);
        memory::check_buffer("certificate", out, room(out))?;
        let certificate = within(threads, || certifier.correct(x0, end, inv_mass).map(|c| summary(&c)))??;
        memory::fill("x1", x1.cast::<[T; 3]>(), vertex_count, end)?;
        memory::fill("certificate", out, room(out), &[certificate])
    }
}

/// # Safety
/// The handle and the pointer keep the rules.
unsafe fn update_velocities<T: Number>(
    any: &mut AnyCertifier,
    dt: f64,
    velocities: *mut T,
    vertex_count: usize,
) -> Result<(), Fault> {
    // SAFETY: as demanded; velocities are read as a whole before they are written.
    unsafe {
        let Slot { certifier, .. } = slot::<T>(any)?;
        check_duration(dt)?;
        let given = array("velocities", velocities.cast::<[T; 3]>().cast_const(), vertex_count)?;
        let mut updated = given.to_vec();
        let certificate = certifier.certificate().ok_or_else(|| Fault::argument(NO_MOTION))?;
        certificate.update_velocities(dt, &mut updated)?;
        memory::fill("velocities", velocities.cast::<[T; 3]>(), vertex_count, &updated)
    }
}

fn summary<T: Coordinate>(certificate: &Certificate<'_, T>) -> cloth_certificate {
    cloth_certificate {
        is_unconditional: certificate.is_unconditional().into(),
        changed: certificate.changed().len(),
        released: certificate.released().len(),
        exempt: certificate.exempt().len(),
        resolved: certificate.resolved(),
        near: certificate.near(),
    }
}

fn check_duration(dt: f64) -> Result<(), Fault> {
    if dt > 0.0 && dt.is_finite() {
        return Ok(());
    }
    Err(Fault::argument(format!("`dt` is {dt} s; it must be finite and greater than 0")))
}

fn check_vertices(got: usize, expected: usize) -> Result<(), Fault> {
    if got == expected {
        return Ok(());
    }
    Err(Fault::argument(format!("`vertex_count` is {got}, but the mesh has {expected} vertices")))
}

impl From<StartError> for Fault {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Tangled(_) => Self::new(cloth_status::CLOTH_ERROR_TANGLED, error),
            error => Self::argument(error),
        }
    }
}

impl From<CorrectError> for Fault {
    fn from(error: CorrectError) -> Self {
        match error {
            CorrectError::Tangled(_) => Self::new(cloth_status::CLOTH_ERROR_TANGLED, error),
            error => Self::argument(error),
        }
    }
}
