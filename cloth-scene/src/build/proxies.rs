//! The proxies of a character as colliders: fitted once, at the start, and moved with its joints.

use cloth_character::{Affine, Character, FitReport, Override, ProxyKind, ProxyOptions, fit_proxies};
use nalgebra::Point3;

use crate::ColliderProxies;
use crate::words::counted;

/// The proxies of a character, and how well they fit.
#[derive(Clone, Debug)]
pub(crate) struct BodyProxies {
    pub(crate) proxies: ColliderProxies,
    /// In the unit of the file.
    pub(crate) report: FitReport,
    /// Metres in a unit of the character's file.
    scale: f64,
}

impl BodyProxies {
    /// Fits proxies, whose sizes are those in the pose of these world matrices. The error is a sentence: a
    /// bone or a proxy is not there.
    pub(crate) fn fit(
        wanted: &crate::Character,
        character: &Character,
        world: &[Affine],
    ) -> Result<Self, String> {
        let fitted = fit_proxies(character, &options(wanted)).map_err(|e| e.to_string())?;
        let proxies = ColliderProxies::new(fitted.proxies, world, wanted.scale);
        Ok(Self { proxies, report: fitted.report, scale: wanted.scale })
    }

    /// How well they fit, in words.
    pub(crate) fn describe(&self) -> String {
        let (f, mm) = (&self.report.total, |length: f64| 1e3 * length * self.scale);
        format!(
            "{} proxies cover {:.1} % of the skin; excess mean {:.1} mm, largest {:.1} mm; undercut mean \
             {:.1} mm, largest {:.1} mm; {} left out",
            f.proxies,
            100.0 * f.coverage(),
            mm(f.mean_excess),
            mm(f.max_excess),
            mm(f.mean_undercut),
            mm(f.max_undercut),
            counted(self.report.left_out.len(), "bone"),
        )
    }
}

fn options(wanted: &crate::Character) -> ProxyOptions {
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
