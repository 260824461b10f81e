//! The ids of a new scene, which count from 0 whatever is added.

use cloth_solver::nalgebra::Isometry3;
use cloth_solver::{
    ClothDesc, ClothId, Collider, ColliderId, Material, MeshBodyDesc, MeshBodyId, Settings, Shape,
    SimulationBuilder, Thickness, TriMesh,
};

/// Of a scene with nothing, after `count` calls of `add`.
fn last<Id>(count: usize, mut add: impl FnMut(&mut SimulationBuilder) -> Id) -> Id {
    let mut scene = SimulationBuilder::new(Settings::default());
    for _ in 0..count {
        add(&mut scene);
    }
    add(&mut scene)
}

fn thin() -> Thickness {
    Thickness { radius: 1.0, scr: 0.0 }
}

/// The id of the cloth that is added after `before` others.
pub(crate) fn cloth_id(before: usize) -> ClothId {
    last(before, |scene| scene.add_cloth(ClothDesc::new(TriMesh::default(), Material::COTTON, thin())))
}

/// The id of the mesh body that is added after `before` others.
pub(crate) fn body_id(before: usize) -> MeshBodyId {
    last(before, |scene| scene.add_mesh_body(MeshBodyDesc { mesh: TriMesh::default(), thickness: thin() }))
}

/// The id of the collider that is added after `before` others.
pub(crate) fn collider_id(before: usize) -> ColliderId {
    let plane = Collider::new(Shape::Plane, Isometry3::identity(), 0.5).unwrap();
    last(before, |scene| scene.add_collider(plane.clone()))
}

#[test]
fn ids_are_found_by_position_hash_and_have_their_numbers() {
    let mut scene = SimulationBuilder::new(Settings::default());
    let [a, b, c] =
        [(); 3].map(|()| scene.add_cloth(ClothDesc::new(TriMesh::default(), Material::COTTON, thin())));
    assert_eq!([a, b, c], [0, 1, 2].map(cloth_id));
    scene.remove_cloth(b).unwrap();
    assert_eq!([0, 1, 2].map(|position| scene.cloth_id(position)), [Some(a), Some(c), None]);
    assert_eq!((scene.mesh_body_id(0), scene.collider_id(0)), (None, None));
    let numbers: std::collections::HashMap<ClothId, usize> = [(a, a.index()), (c, c.index())].into();
    assert_eq!((numbers[&a], numbers[&c], numbers.len()), (0, 2, 2));
    assert_eq!((body_id(1).index(), collider_id(2).index()), (1, 2));
}
