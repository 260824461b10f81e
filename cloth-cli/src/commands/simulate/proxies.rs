//! The proxies of a character as colliders: fitted once, at the start, and moved with its joints.

use cloth_character::{
    Affine, BoneFit, Character, FitReport, Override, ProxyKind, ProxyOptions, fit_proxies,
};
use cloth_contacts::collider::ColliderError;
use cloth_solver::Collider;
use cloth_verify::ColliderProxies;
use nalgebra::{Isometry3, Point3};

use super::skin::{BoneSummary, FitSummary};
use crate::console::counted;

/// The proxies of a character, and how well they fit.
pub(super) struct BodyProxies {
    proxies: ColliderProxies,
    report: FitReport,
    /// Metres in a unit of the character's file.
    scale: f64,
}

impl BodyProxies {
    /// Fits proxies, whose sizes are those in the pose of these world matrices. The error is a sentence: a
    /// bone or a proxy is not there.
    pub(super) fn fit(
        wanted: &cloth_scene::Character,
        character: &Character,
        world: &[Affine],
    ) -> Result<Self, String> {
        let fitted = fit_proxies(character, &options(wanted)).map_err(|e| e.to_string())?;
        let proxies = ColliderProxies::new(fitted.proxies, world, wanted.scale);
        Ok(Self { proxies, report: fitted.report, scale: wanted.scale })
    }

    /// Their number.
    pub(super) fn len(&self) -> usize {
        self.proxies.len()
    }

    /// Where they are, by the world matrices of the joints.
    pub(super) fn poses(&self, world: &[Affine]) -> impl Iterator<Item = Isometry3<f32>> {
        self.proxies.poses(world)
    }

    /// Colliders at these world matrices; guarded ones keep edges and faces away as well.
    pub(super) fn colliders(
        &self,
        world: &[Affine],
        friction: f32,
        is_guarded: bool,
    ) -> Result<Vec<Collider>, ColliderError> {
        self.proxies.colliders(world, friction, is_guarded)
    }

    /// How well they fit, in words.
    pub(super) fn describe(&self) -> String {
        let (f, mm) = (&self.report.total, |length: f64| 1e3 * length * self.scale);
        format!(
            "{} proxies cover {:.1} % of the skin; excess mean {:.1} mm, largest {:.1} mm; undercut mean {:.1} mm, largest {:.1} mm; {} left out",
            f.proxies,
            100.0 * f.coverage(),
            mm(f.mean_excess),
            mm(f.max_excess),
            mm(f.mean_undercut),
            mm(f.max_undercut),
            counted(self.report.left_out.len(), "bone"),
        )
    }

    /// How well they fit, for the report.
    pub(super) fn summary(&self) -> FitSummary {
        let mm = |length: f64| 1e3 * length * self.scale;
        let bone = |bone: &BoneFit| BoneSummary {
            bone: bone.name.clone(),
            proxies: bone.figures.proxies,
            coverage: bone.figures.coverage(),
            mean_excess_mm: mm(bone.figures.mean_excess),
            max_excess_mm: mm(bone.figures.max_excess),
            mean_undercut_mm: mm(bone.figures.mean_undercut),
            max_undercut_mm: mm(bone.figures.max_undercut),
        };
        let total = &self.report.total;
        FitSummary {
            proxies: total.proxies,
            coverage: total.coverage(),
            mean_excess_mm: mm(total.mean_excess),
            max_excess_mm: mm(total.max_excess),
            mean_undercut_mm: mm(total.mean_undercut),
            max_undercut_mm: mm(total.max_undercut),
            bones: self.report.bones.iter().map(bone).collect(),
        }
    }
}

fn options(wanted: &cloth_scene::Character) -> ProxyOptions {
    let exclude = wanted.exclude_bones.iter().map(|bone| Override::Exclude { bone: bone.clone() });
    let drop = wanted.drop_proxies.iter().map(|proxy| Override::Drop { proxy: proxy.clone() });
    let resize =
        wanted.resize_proxies.iter().map(|r| Override::Resize { proxy: r.proxy.clone(), factor: r.factor });
    let add = wanted.add_proxies.iter().map(|a| {
        let ends = [a.start, a.end].map(Point3::from);
        let kind = match a.start == a.end {
            true => ProxyKind::Sphere { center: ends[0], radius: a.radii[0] },
            false => ProxyKind::TaperedCapsule { ends, radii: a.radii },
        };
        Override::Add { name: a.name.clone(), bone: a.bone.clone(), kind }
    });
    ProxyOptions {
        fingers: wanted.fingers,
        overrides: exclude.chain(drop).chain(resize).chain(add).collect(),
        ..ProxyOptions::default()
    }
}
