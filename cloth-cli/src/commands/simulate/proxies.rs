//! The proxies of a character as colliders: fitted once, at the start, and moved with its joints.

use cloth_character::{
    Affine, BoneFit, Character, FitReport, Override, Proxy, ProxyKind, ProxyOptions, WorldProxy, fit_proxies,
};
use cloth_contacts::collider::ColliderError;
use cloth_io::scene;
use cloth_solver::{Collider, Shape};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion};

use super::bodies::from_y_to;
use super::skin::{BoneSummary, FitSummary};
use crate::console::counted;

/// The proxies of a character.
pub(super) struct BodyProxies {
    proxies: Vec<PosedProxy>,
    report: FitReport,
    /// Metres in a unit of the character's file.
    scale: f64,
}

/// A proxy as a collider.
struct PosedProxy {
    proxy: Proxy,
    shape: Shape,
    /// From the y axis of the shape to that of the capsule, in the space of the joint.
    turn: UnitQuaternion<f64>,
}

impl BodyProxies {
    /// Fits proxies, whose sizes are those in the pose of these world matrices. The error is a sentence: a bone or a proxy is not there.
    pub(super) fn fit(
        wanted: &scene::Character,
        character: &Character,
        world: &[Affine],
    ) -> Result<Self, String> {
        let fitted = fit_proxies(character, &options(wanted)).map_err(|e| e.to_string())?;
        let posed = fitted.proxies.into_iter().filter_map(|proxy| posed(proxy, world, wanted.scale));
        Ok(Self { proxies: posed.collect(), report: fitted.report, scale: wanted.scale })
    }

    /// Their number.
    pub(super) fn len(&self) -> usize {
        self.proxies.len()
    }

    /// Where they are, by the world matrices of the joints.
    pub(super) fn poses(&self, world: &[Affine]) -> impl Iterator<Item = Isometry3<f32>> {
        self.proxies.iter().map(|posed| {
            let map = world.get(posed.proxy.joint).copied().unwrap_or_default();
            let [a, b] = posed.proxy.kind.ends();
            let middle = map.transform_point(&nalgebra::center(&a, &b)) * self.scale;
            let turn = map.to_transform().rotation * posed.turn;
            Isometry3::from_parts(Translation3::from(middle.coords), turn).cast()
        })
    }

    /// Colliders at these world matrices; guarded ones keep edges and faces away as well.
    pub(super) fn colliders(
        &self,
        world: &[Affine],
        friction: f32,
        is_guarded: bool,
    ) -> Result<Vec<Collider>, ColliderError> {
        let shapes = self.proxies.iter().map(|posed| posed.shape.clone());
        let collider = |(shape, pose)| {
            let collider = Collider::new(shape, pose, friction)?;
            if is_guarded { collider.guarded() } else { Ok(collider) }
        };
        shapes.zip(self.poses(world)).map(collider).collect()
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

/// The shape of a proxy in the pose of these world matrices; none if it has no size.
fn posed(proxy: Proxy, world: &[Affine], scale: f64) -> Option<PosedProxy> {
    let map = world.get(proxy.joint).copied().unwrap_or_default();
    let in_world = WorldProxy::from_kind(&proxy.kind, &map);
    let [bottom_radius, top_radius] = in_world.radii.map(|r| (r * scale) as f32);
    let [a, b] = proxy.kind.ends();
    let half_length = (0.5 * (in_world.ends[1] - in_world.ends[0]).norm() * scale) as f32;
    let shape = match proxy.kind {
        ProxyKind::Sphere { .. } => Shape::Sphere { radius: bottom_radius },
        ProxyKind::TaperedCapsule { .. } => Shape::TaperedCapsule { half_length, bottom_radius, top_radius },
    };
    let turn = from_y_to(&(b - a));
    (bottom_radius.max(top_radius) > 0.0).then_some(PosedProxy { proxy, shape, turn })
}

fn options(wanted: &scene::Character) -> ProxyOptions {
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
