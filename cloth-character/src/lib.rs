#![doc = include_str!("../README.md")]

mod character;
mod clip;
mod error;
mod interpolation;
mod motion;
mod pose;
mod proxies;
mod skeleton;
mod skin;
#[cfg(test)]
mod testing;
mod transform;

pub use character::{Character, CharacterMesh};
pub use clip::{ChannelDescription, ChannelValues, Clip, Interpolation, Property, SeamGap};
pub use cloth_geom;
pub use error::CharacterError;
pub use interpolation::{angle_between, nlerp, slerp, smoothstep};
pub use motion::{Chain, ChainItem, Looping, Motion, MotionSample, Playback, Player, RootMotion, Transition};
pub use nalgebra;
pub use pose::Pose;
pub use proxies::{
    BoneFit, FitFigures, FitReport, FittedProxies, LeftOutBone, LeftOutReason, Override, Proxy, ProxyError,
    ProxyKind, ProxyOptions, Tolerances, WorldProxy, compute_world_proxies, fit_proxies, measure_proxies,
};
pub use skeleton::{Joint, Skeleton, compute_world_by_matrices};
pub use skin::{
    MAX_INFLUENCES, Skin, SkinDescription, SkinMatrix, deform_normal_by_matrices, deform_position_by_matrices,
};
pub use transform::{Affine, Transform};
