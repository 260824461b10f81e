//! Transformations of prims: `xformOpOrder` and the operations that it names, at any time.
//!
//! Points are columns here, so that the operations of a list apply from its end to its start. What
//! USD stores are rows: matrices are transposed as they are read.

use std::ops::Range;

use nalgebra::{Matrix4, Quaternion, Translation3, Unit, UnitQuaternion, Vector3};

use super::layer::Prim;
use super::sampled::{Sampled, precision};
use super::scan::{Fault, Scan, Scanner, array, refuse, vector};

/// How far the square of the length of a quaternion may be from 1.
const UNIT: f64 = 1e-5;

/// The transformation of a prim and of all above it.
#[derive(Debug, Default)]
pub(super) struct Xform {
    /// From the outermost to the innermost.
    ops: Vec<Op>,
}

/// An operation.
#[derive(Debug)]
struct Op {
    kind: OpKind,
    value: Sampled,
    is_inverse: bool,
}

#[derive(Clone, Copy, Debug)]
enum OpKind {
    /// Along some axes: of a vector, or of one number.
    Translate(Option<usize>),
    Scale(Option<usize>),
    /// About these axes, the first one first.
    Rotate([usize; 3], usize),
    Orient,
    Transform,
}

impl OpKind {
    fn from_name(name: &str) -> Option<Self> {
        let axis = |letter: &str| ["X", "Y", "Z"].iter().position(|axis| *axis == letter);
        let one = |rest: &str| if rest.is_empty() { Some(None) } else { axis(rest).map(Some) };
        if name == "orient" {
            return Some(Self::Orient);
        } else if name == "transform" {
            return Some(Self::Transform);
        } else if let Some(rest) = name.strip_prefix("translate") {
            return one(rest).map(Self::Translate);
        } else if let Some(rest) = name.strip_prefix("scale") {
            return one(rest).map(Self::Scale);
        }
        let letters = name.strip_prefix("rotate").filter(|rest| rest.is_ascii())?;
        let axes: Option<Vec<usize>> = (0..letters.len()).map(|k| axis(&letters[k..=k])).collect();
        match *axes?.as_slice() {
            [a] => Some(Self::Rotate([a, a, a], 1)),
            [a, b, c] if a != b && b != c && a != c => Some(Self::Rotate([a, b, c], 3)),
            _ => None,
        }
    }

    /// How many numbers it has.
    fn size(self) -> usize {
        match self {
            Self::Translate(Some(_)) | Self::Scale(Some(_)) | Self::Rotate(_, 1) => 1,
            Self::Translate(None) | Self::Scale(None) | Self::Rotate(..) => 3,
            Self::Orient => 4,
            Self::Transform => 16,
        }
    }

    fn matrix(self, v: &[f64]) -> Matrix4<f64> {
        let along = |axis: Option<usize>, rest: f64| match axis {
            Some(axis) => {
                let mut all = Vector3::repeat(rest);
                all[axis] = v[0];
                all
            }
            None => Vector3::new(v[0], v[1], v[2]),
        };
        match self {
            Self::Translate(axis) => Translation3::from(along(axis, 0.0)).to_homogeneous(),
            Self::Scale(axis) => Matrix4::new_nonuniform_scaling(&along(axis, 1.0)),
            Self::Rotate(axes, count) => {
                axes.iter().take(count).fold(Matrix4::identity(), |before, &axis| {
                    let turn = Unit::new_unchecked(Vector3::ith(axis, 1.0));
                    let angle = v[if count == 1 { 0 } else { axis }].to_radians();
                    Matrix4::from_axis_angle(&turn, angle) * before
                })
            }
            Self::Orient => quaternion(v).to_homogeneous(),
            Self::Transform => Matrix4::from_column_slice(v),
        }
    }

    /// Between two values: along the shorter arc, or linear.
    fn between(self, a: &[f64], b: &[f64], share: f64) -> Matrix4<f64> {
        if let Self::Orient = self {
            let [a, b] = [a, b].map(quaternion);
            return a.try_slerp(&b, share, 0.0).unwrap_or(a).to_homogeneous();
        }
        let values: Vec<f64> = a.iter().zip(b).map(|(a, b)| a + (b - a) * share).collect();
        self.matrix(&values)
    }
}

fn quaternion(v: &[f64]) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(v[0], v[1], v[2], v[3]))
}

impl Op {
    /// Its matrix, at a time code.
    fn at(&self, text: &[u8], time: f64) -> Scan<Matrix4<f64>> {
        let values = self.value.around(time);
        let [a, b] = [self.read(text, values.from)?, self.read(text, values.to)?];
        let matrix = self.kind.between(&a, &b, values.share);
        if !self.is_inverse {
            return Ok(matrix);
        }
        let problem = || Fault::new(values.from.start, "is inverted and has no inverse");
        matrix.try_inverse().ok_or_else(problem)
    }

    fn read(&self, text: &[u8], value: &Range<usize>) -> Scan<Vec<f64>> {
        let mut scanner = Scanner::new(text, value.clone());
        let numbers: Vec<f64> = match self.kind.size() {
            1 => vec![scanner.number()?],
            3 => vector::<3>(&mut scanner)?.into(),
            4 => vector::<4>(&mut scanner)?.into(),
            _ => {
                let mut rows = Vec::new();
                for opening in [b'(', b',', b',', b','] {
                    scanner.expect(opening)?;
                    rows.extend(vector::<4>(&mut scanner)?);
                }
                rows
            }
        };
        if let OpKind::Orient = self.kind
            && (numbers.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() > UNIT
        {
            return refuse(value.start, "this quaternion is not of length 1, and no rotation");
        }
        Ok(numbers.into_iter().map(|x| self.value.rounded(x)).collect())
    }
}

impl Xform {
    /// The transformation of a prim, of which there are all.
    pub(super) fn read(text: &[u8], prims: &[Prim], prim: usize) -> Scan<Self> {
        let (mut xform, mut next) = (Self::default(), Some(prim));
        while let Some(prim) = next.map(|p| &prims[p]) {
            next = prim.parent;
            let order = prim.attributes.get("xformOpOrder").filter(|order| order.kind == "token[]");
            let order = order.and_then(|order| order.default.clone());
            let Some(order) = order.filter(|_| prim.is_xformable()) else { continue };
            let mut ops = Vec::new();
            for name in array(text, &order, Scanner::string)? {
                if name == "!resetXformStack!" {
                    (ops, next) = (Vec::new(), None);
                    continue;
                }
                let (attribute, is_inverse) = match name.strip_prefix("!invert!") {
                    Some(attribute) => (attribute, true),
                    None => (name.as_str(), false),
                };
                let fail = |why: &str| Fault::new(order.start, format!("`{name}` of {} {why}", prim.path));
                let known = attribute.strip_prefix("xformOp:").and_then(|rest| rest.split(':').next());
                let kind = known.and_then(OpKind::from_name).ok_or_else(|| fail("is not known"))?;
                if is_inverse && matches!(kind, OpKind::Scale(Some(_))) {
                    return Err(fail("is inverted by other programs in another way; write `xformOp:scale`"));
                }
                let Some(value) = prim.attributes.get(attribute) else { return Err(fail("has no value")) };
                let value = Sampled::new(value, precision(&value.kind)).ok_or_else(|| {
                    fail("is a spline or half-precision; bake it to samples in float or double")
                })?;
                ops.push(Op { kind, value, is_inverse });
            }
            ops.append(&mut xform.ops);
            xform.ops = ops;
        }
        Ok(xform)
    }

    /// Whether nothing is transformed.
    pub(super) fn is_identity(&self) -> bool {
        self.ops.is_empty()
    }

    /// The values that it is made of.
    pub(super) fn values(&self) -> impl Iterator<Item = &Sampled> {
        self.ops.iter().map(|op| &op.value)
    }

    /// Its matrix, at a time code.
    pub(super) fn at(&self, text: &[u8], time: f64) -> Scan<Matrix4<f64>> {
        self.ops.iter().try_fold(Matrix4::identity(), |all, op| Ok(all * op.at(text, time)?))
    }
}
