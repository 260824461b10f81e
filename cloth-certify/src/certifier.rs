//! The gate for anybody's motion.

use cloth_broadphase::{AnyBroadPhase, BroadPhase};
use cloth_ccd::{Ccd, Filtered};
use cloth_contacts::gate::{Admission, Gate, GateStats, Proposal};
use cloth_contacts::intersect::Checker;
use cloth_contacts::{Coordinate, DetectError};
use nalgebra::Point3;

use crate::certificate::{Certificate, Changes, Exempt};
use crate::guard::Guard;
use crate::input::{as_points, as_points_mut, check_distance, check_limit, check_masses, exact, too_many};
use crate::{CollisionMesh, CorrectError, InputError, StartError, StateReport};

/// Distance that corrected motions leave between primitives, as a share of the mean length of an edge.
const CLEARANCE_SHARE: f64 = 1e-3;

/// The mean length of an edge, at most as a multiple of the median: a few edges that span everything do not
/// keep all others apart by the length of an edge.
const LONGEST_MEAN: f64 = 16.0;

/// The clearance of two vertices in units of the distance of neighbouring numbers at their largest
/// coordinate.
const CLEARANCE_IN_ULPS: f64 = 2.0;

/// Least clearance beyond a thickness, as a share of it: the gate proves a little more than the thickness.
const LEAST_CLEARANCE: f64 = 0.125;

/// Makes motions free of crossings, one after another.
///
/// It exists only for a start that has been checked. A motion is accepted as it is proposed, or corrected
/// until exact arithmetic proves that nothing touches while every vertex moves linearly from its start to its
/// end, for the positions as stored.
///
/// ```
/// use cloth_certify::{Certifier, CollisionMesh};
///
/// // One triangle falls 2 m, through another.
/// let mesh = CollisionMesh::new(6, &[[0, 1, 2], [3, 4, 5]]).build()?;
/// let x0 = [[0., 0., 0.], [0., 0., 4.], [4., 0., 0.], [1., 1., 1.], [1.2, 2., 1.], [1., 2., 1.2]];
/// let mut certifier = Certifier::start(&mesh, &x0)?;
/// let mut x1 = x0;
/// x1[3..].iter_mut().for_each(|p| p[1] -= 2.0);
/// let certificate = certifier.correct(&x0, &mut x1, &[0., 0., 0., 1., 1., 1.])?;
/// assert!(certificate.is_unconditional() && !certificate.changed().is_empty());
/// assert!(x1[3][1] > 0.0 && mesh.check_state(&x1)?.is_clean());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What is proved
///
/// Of every accepted motion: that no vertex and face, and no two edges, that share no vertex touch during it.
/// Pairs are left out where the description of the mesh says so, and where the certificate says so: pairs of
/// tangles until they are resolved, pairs with a kinematic part that moved into cloth that could not give way
/// (released), and pairs that touch at the start and do not move.
///
/// # Threads and memory
///
/// Works on the threads of the rayon pool in which it is called, with equal bits for any number; outside of a
/// pool on the calling thread. A warm call allocates nothing.
#[derive(Clone, Debug)]
pub struct Certifier<T: Coordinate = f64, C = Filtered> {
    mesh: CollisionMesh,
    guard: Guard<T, C>,
    checker: Checker,
    admits_tangles: bool,
    /// Where the last motion ended (m).
    end: Vec<[T; 3]>,
    /// Of the last motion; 0 for vertices of kinematic parts.
    inv_mass: Vec<T>,
    changed: Vec<u32>,
    changes: Changes,
    exempt: Vec<Exempt>,
    motions: u64,
    /// Of the last motion; `None` before the first, and after one that was refused once the gate had begun.
    proof: Option<Proof>,
}

/// What a certificate holds of its motion, apart from the lists.
#[derive(Clone, Copy, Debug)]
struct Proof {
    stats: GateStats,
    guarded_all: bool,
    resolved: usize,
}

impl CollisionMesh {
    /// Settings of a [`Certifier`].
    #[must_use]
    pub fn certifier(&self) -> CertifierBuilder<'_> {
        CertifierBuilder::new(self)
    }
}

/// How a [`Certifier`] is started: see [`CollisionMesh::certifier`].
#[derive(Clone, Debug)]
pub struct CertifierBuilder<'a, C = Filtered> {
    mesh: &'a CollisionMesh,
    ccd: C,
    broad_phase: AnyBroadPhase,
    admits_tangles: bool,
    clearance: Option<f64>,
    thickness: f64,
}

impl<'a> CertifierBuilder<'a> {
    /// With the exact decision of this project, no tangles, and the clearance that fits the mesh.
    fn new(mesh: &'a CollisionMesh) -> Self {
        let (ccd, broad_phase) = (Filtered::default(), AnyBroadPhase::default());
        Self { mesh, ccd, broad_phase, admits_tangles: false, clearance: None, thickness: 0.0 }
    }
}

impl<'a, C> CertifierBuilder<'a, C> {
    /// Accepts a start that intersects: what is tangled is exempt until it comes apart, everything else is
    /// guarded. The same holds for every later start that is not where the last motion ended.
    #[must_use]
    pub fn admit_tangles(self) -> Self {
        Self { admits_tangles: true, ..self }
    }

    /// A distance (m) that is proved to be kept: a pair that starts a motion farther apart than 1.01 of it
    /// stays farther apart than it throughout, and ends farther apart than 1.01 of it. Pairs that start
    /// nearer do not touch, and [`Certificate::near`] counts them. 0, the default, is not to touch.
    ///
    /// Pairs that share no vertex count, however near they are on the mesh: it should be less than half of
    /// the shortest edge. Where it is less than a thousand times the distance of two neighbouring numbers,
    /// more is frozen than has to be.
    #[must_use]
    pub fn thickness(self, thickness: f64) -> Self {
        Self { thickness, ..self }
    }

    /// The distance (m), beyond the thickness, that corrected motions leave between primitives, so that the
    /// next one can move. It is an aim, and does not affect what is proved. By default a thousandth of the
    /// mean edge, or twice the distance of neighbouring numbers if that is more, of which each primitive of a
    /// pair contributes half, at its largest coordinate: what is far away widens its own pairs alone. With a
    /// thickness at least an eighth of it.
    #[must_use]
    pub fn clearance(self, clearance: f64) -> Self {
        Self { clearance: Some(clearance), ..self }
    }

    /// Another exact decision; [`Gate`] says what it has to fulfil.
    #[must_use]
    pub fn ccd<D>(self, ccd: D) -> CertifierBuilder<'a, D> {
        let Self { mesh, ccd: _, broad_phase, admits_tangles, clearance, thickness } = self;
        CertifierBuilder { mesh, ccd, broad_phase, admits_tangles, clearance, thickness }
    }

    /// Another broad phase; no result depends on it.
    #[must_use]
    pub fn broad_phase(self, broad_phase: impl BroadPhase) -> Self {
        Self { broad_phase: broad_phase.into_any(), ..self }
    }

    /// Checks the start (m), and begins there.
    ///
    /// # Errors
    /// If there is not one finite position a vertex within [`CollisionMesh::LIMIT`], the clearance or the
    /// thickness is negative, not finite or beyond that limit, or the start is tangled and tangles are not
    /// admitted.
    pub fn start<T: Coordinate>(self, x0: &[[T; 3]]) -> Result<Certifier<T, C>, StartError>
    where
        C: Ccd + Sync,
    {
        let Self { mesh, ccd, broad_phase, admits_tangles, clearance, thickness } = self;
        check_limit(mesh, "x0", x0)?;
        // What the caller gives holds for every pair.
        let ulps = clearance.map_or(CLEARANCE_IN_ULPS * T::ULP_OF_ONE, |_| 0.0);
        let clearance = clearance.unwrap_or_else(|| fitting_clearance(mesh, x0));
        for distance in [clearance, thickness] {
            check_distance(distance)?;
        }
        let reach = |p: &Point3<T>| {
            let largest = p.iter().map(|&c| Into::<f64>::into(c).abs()).fold(0.0, f64::max);
            let clearance = clearance.max(ulps * largest);
            match thickness {
                0.0 => clearance as f32,
                // Rounding must not make it less than what is kept.
                _ => ((thickness + clearance.max(LEAST_CLEARANCE * thickness)) as f32).next_up(),
            }
        };
        let mut gate = Gate::new(ccd, broad_phase);
        gate.keep_distance(thickness);
        gate.record_corrections(true);
        let mut certifier = Certifier {
            mesh: mesh.clone(),
            guard: Guard::new(mesh.surface.placed(as_points(x0), reach), gate),
            checker: Checker::default(),
            admits_tangles,
            end: Vec::new(),
            inv_mass: Vec::new(),
            changed: Vec::new(),
            changes: Changes::default(),
            exempt: Vec::new(),
            motions: 0,
            proof: None,
        };
        certifier.enter(x0)?;
        certifier.end = x0.to_vec();
        Ok(certifier)
    }
}

impl<T: Coordinate> Certifier<T> {
    /// A certifier for a clean start (m), with default settings.
    ///
    /// # Errors
    /// As [`CertifierBuilder::start`].
    pub fn start(mesh: &CollisionMesh, x0: &[[T; 3]]) -> Result<Self, StartError> {
        CertifierBuilder::new(mesh).start(x0)
    }
}

impl<T: Coordinate, C> Certifier<T, C> {
    /// What collides.
    #[must_use]
    pub fn mesh(&self) -> &CollisionMesh {
        &self.mesh
    }

    /// The method of exact decisions.
    #[must_use]
    pub fn ccd(&self) -> &C {
        self.guard.gate.ccd()
    }

    /// The end (m) of the last accepted motion, or the start.
    #[must_use]
    pub fn end(&self) -> &[[T; 3]] {
        &self.end
    }

    /// The tangles that are exempt now; empty for a clean start.
    #[must_use]
    pub fn exempt(&self) -> &[Exempt] {
        &self.exempt
    }

    /// Number of motions that were accepted.
    #[must_use]
    pub fn motions(&self) -> u64 {
        self.motions
    }

    /// The certificate of the last motion again; `None` before the first, and after a refusal that left the
    /// state of the gate changed.
    #[must_use]
    pub fn certificate(&self) -> Option<Certificate<'_, T>> {
        self.proof.map(|proof| self.certificate_with(proof))
    }

    fn certificate_with(&self, Proof { stats, guarded_all, resolved }: Proof) -> Certificate<'_, T> {
        Certificate {
            stats,
            guarded_all,
            resolved,
            exempt: &self.exempt,
            released: self.guard.gate.released(),
            changed: &self.changed,
            inv_mass: &self.inv_mass,
            changes: &self.changes,
        }
    }
}

impl<T: Coordinate, C: Ccd + Sync> Certifier<T, C> {
    /// Corrects the end `x1` (m) of a motion from `x0` (m) until it is certified, and accepts it.
    ///
    /// A start that is not in every bit where the last motion ended is checked again. `inv_mass` are inverse
    /// masses (1/kg); vertices with 0 are moved by others only where nothing else helps. Those of kinematic
    /// parts are never moved, and get no impulse, whatever their inverse mass.
    ///
    /// # Errors
    /// If an array has not one entry a vertex, a number is not finite, a coordinate is beyond
    /// [`CollisionMesh::LIMIT`], an inverse mass is negative, or neither 0 nor such that its inverse and its
    /// square are finite, or the start is another one and tangled while tangles are not admitted. `x1` is
    /// unchanged then.
    pub fn correct(
        &mut self,
        x0: &[[T; 3]],
        x1: &mut [[T; 3]],
        inv_mass: &[T],
    ) -> Result<Certificate<'_, T>, CorrectError> {
        check_limit(&self.mesh, "x0", x0)?;
        check_limit(&self.mesh, "x1", x1)?;
        check_masses(&self.mesh, inv_mass)?;
        self.proof = None;
        if self.end == x0 {
            self.admit_intersections(x0)?;
        } else {
            self.enter(x0)?;
        }
        let guarded_all = self.exempt.is_empty();
        self.take_masses(inv_mass);
        let (start, end) = (as_points(x0), as_points_mut(x1));
        let mut proposal = Proposal { start, end, inv_mass: &self.inv_mass, slack: 0.0 };
        let stats = self.guard.certify(&mut proposal).map_err(|error| refused(&error, &self.mesh))?;
        self.end.clear();
        self.end.extend_from_slice(x1);
        self.motions += 1;
        self.changed.clear();
        if stats.corrected > 0 {
            let ends = as_points(&self.end).iter().zip(self.guard.gate.proposed());
            let changed = (0..).zip(ends).filter(|(_, (end, wanted))| end != wanted);
            self.changed.extend(changed.map(|(v, _)| v));
        }
        let topology = self.mesh.topology();
        self.changes.find(&self.guard.gate, topology, &self.changed, &self.end, &self.inv_mass);
        let resolved = self.end_resolved_tangles(x1)?;
        let proof = Proof { stats, guarded_all, resolved };
        self.proof = Some(proof);
        Ok(self.certificate_with(proof))
    }

    /// Keeps the inverse masses (1/kg) of a motion: of kinematic vertices, which nothing may move, 0.
    fn take_masses(&mut self, inv_mass: &[T]) {
        let Self { mesh, inv_mass: kept, .. } = self;
        let of = |(v, &w)| if mesh.surface.is_body(v) { T::default() } else { w };
        kept.clear();
        kept.extend((0..).zip(inv_mass).map(of));
    }

    /// Ends the tangles that came apart by the end (m) of a motion, and counts them.
    fn end_resolved_tangles(&mut self, x1: &[[T; 3]]) -> Result<usize, InputError> {
        let before = self.exempt.len();
        // What has come apart is guarded from the next motion on. After a release the next start is
        // inspected.
        if before > 0 && self.guard.pending == Admission::None {
            self.guard.end_tangles(as_points(x1)).map_err(|error| too_many(&error, &self.mesh))?;
            self.list_tangles();
        }
        Ok(before - self.exempt.len().min(before))
    }

    /// Begins at a state (m) of which nothing is known.
    fn enter(&mut self, x: &[[T; 3]]) -> Result<(), StartError> {
        if self.admits_tangles {
            self.guard.pending = Admission::All;
            return Ok(self.admit_intersections(x)?);
        }
        let report: StateReport = self.mesh.check_exact(&mut self.checker, &exact(x))?;
        if !report.is_clean() {
            return Err(StartError::Tangled(report));
        }
        self.guard.pending = Admission::None;
        self.guard.end_tangles(as_points(x)).map_err(|error| too_many(&error, &self.mesh))?;
        self.list_tangles();
        Ok(())
    }

    /// Exempts what intersects in a state (m) that has not passed the gate.
    fn admit_intersections(&mut self, x: &[[T; 3]]) -> Result<(), InputError> {
        self.guard.admit_intersections(as_points(x)).map_err(|error| too_many(&error, &self.mesh))?;
        self.list_tangles();
        Ok(())
    }

    fn list_tangles(&mut self) {
        self.exempt.clear();
        let tangles = self.guard.gate.tangles_since();
        self.exempt.extend(tangles.map(|(sides, since)| Exempt::new(sides, since)));
    }
}

/// The errors of the gate that are left for a motion that has been checked.
fn refused(error: &DetectError, mesh: &CollisionMesh) -> InputError {
    debug_assert!(matches!(error, DetectError::Boxes(_)), "{error}");
    InputError::TooMany(mesh.topology().faces().len())
}

/// The default clearance (m) where it is more than what numbers can tell apart.
fn fitting_clearance<T: Coordinate>(mesh: &CollisionMesh, x: &[[T; 3]]) -> f64 {
    let at = |v: u32| nalgebra::Vector3::from(x[v as usize].map(Into::<f64>::into));
    let lengths = mesh.topology().edges().iter().map(|&[a, b]| (at(a) - at(b)).norm());
    let mean = lengths.clone().sum::<f64>() / lengths.len().max(1) as f64;
    let mut lengths: Vec<f64> = lengths.filter(|&length| length > 0.0).collect();
    let middle = lengths.len() / 2;
    let most = match lengths.is_empty() {
        true => 0.0,
        false => LONGEST_MEAN * *lengths.select_nth_unstable_by(middle, f64::total_cmp).1,
    };
    CLEARANCE_SHARE * mean.min(most)
}
