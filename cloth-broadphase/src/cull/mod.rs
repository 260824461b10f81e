//! Culling of self-intersection tests: certificates rule out whole patches of a mesh, and never miss.
//!
//! Boxes cannot separate neighbours: on a clean sheet nearly all pairs that a tree of boxes proposes are
//! faces next to each other. A patch that no direction sees folded needs no such pair:
//!
//! ```text
//! a patch is a disc, all its faces point along d, and its border,     no two of its points
//! seen along d, is a strictly simple closed curve               -->  are seen in one place
//! ```
//!
//! **Why.** Seen along `d` every face keeps its orientation, so a point that no edge covers is seen exactly
//! as often as the border winds around it. A simple curve winds around a point once or not at all. Hence no
//! two faces overlap as seen; two inner points seen in one place would make their surroundings overlap, so
//! would an inner and a border point, and two border points are apart because the curve is simple. Distinct
//! points of the patch are distinct in the view and therefore in space: there is neither an intersection nor
//! a flat fold. The argument counts faces, so it needs no condition on the inner vertices, but it does need
//! all three: `counterexamples` has a patch for each condition that a weaker test leaves out.
//!
//! **Closed sets.** Every condition is strict, so the conclusion holds for closed faces in any pose. A face
//! without area, or seen edge-on, has no positive product with the view. Two points of the border in one
//! place, by position or as seen, are no strictly simple curve. Repeated positions inside a patch are
//! excluded by the counting. So touching layers, coplanar layers and collapsed faces make a condition fail;
//! none makes one pass. This stands or falls with signs that rounding cannot have changed: the two sides of a
//! flat fold have opposite normals, and when their product, a hair above -1, passed for that of equal ones, a
//! patch was certified that lies on itself (`normal_cone`).
//!
//! | file | answers |
//! |---|---|
//! | `patch_tree`, `bisection`, `disc` | which patches, and which of them are discs with which border |
//! | `seam` | the border of two neighbouring discs together |
//! | `certificate` | what a method has to know of normals and contours |
//! | `fourteen_directions`, `normal_cone` | from where are all faces of a patch seen from their front |
//! | `view` | where a vertex is seen, and how wrong rounding can have made that |
//! | `star`, `simple_polygon` | whether the border is a strictly simple curve |
//! | `separating_plane` | whether a plane parts two small patches that are no neighbours |
//! | `culler` | the traversal: self tests, neighbours, boxes, pairs of faces |
//!
//! Agreement with every pair of faces: a pair of which an edge of one and the other face share no vertex and
//! have a point in common, both closed, is always visited; so is a pair that lies flat on each other across a
//! common edge. No sign is trusted that rounding might have changed; a doubtful patch is split, never passed.
//! Nothing is kept from one pose to the next but memory.

mod bisection;
mod certificate;
#[cfg(test)]
mod counterexamples;
mod culler;
mod disc;
mod fourteen_directions;
mod normal_cone;
mod patch_tree;
mod seam;
mod separating_plane;
mod simple_polygon;
mod star;
mod view;

pub use certificate::{BoxesOnly, Certificate, WithPlanes};
pub use culler::{CullError, Culler};
pub use fourteen_directions::StarContour;
pub use normal_cone::NormalCones;
pub use patch_tree::PatchTree;
pub use view::{Contour, View};
