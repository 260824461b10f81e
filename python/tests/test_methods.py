"""What Rust's `Simulation` can, side by side with what that of Python can."""

from __future__ import annotations

import pathlib
import re

import cloth

SOLVER = pathlib.Path(__file__).parents[2] / "cloth-solver" / "src"

SAME = """
    add_collider apply_rigid_impulse cuts edit intersections is_asleep is_guarded kinetic_energy move_collider
    move_drive move_local_frame move_pin move_pins normals particle_contacts contacts pin positions released
    remove_collider report reset restore set_friction set_gravity set_material set_rigid_velocity set_settings
    set_state set_wind settings snapshot state_hash step tangles teleport teleport_all time user_data velocities wake faces
""".split()
"""Methods of one name."""

OTHERWISE = {
    "aabb": "positions",
    "add_cloth": "edit",
    "add_mesh_body": "edit",
    "add_rigid_body": "add_collider",
    "attachment": "attachments",
    "body_vertices": "body_vertices",
    "cloth_count": "cloth_names",
    "cloth_faces": "cloth_faces",
    "cloth_id": "vertices",
    "cloth_positions": "vertices",
    "cloth_triangles": "cloth_faces",
    "cloth_velocities": "vertices",
    "cloth_vertices": "vertices",
    "collider_id": "collider_poses",
    "colliders": "collider_poses",
    "count_by_parts": "count_by_kind",
    "intersecting_parts": "intersections",
    "is_certified": "intersections",
    "is_rigid_body": "rigid_bodies",
    "is_tangled": "intersections",
    "mesh_body_id": "body_vertices",
    "move_attachment": "move_attachments",
    "move_mesh_body": "move_body",
    "parts_of": "intersections",
    "pin_all": "pin",
    "pin_target": "pins",
    "remove_cloth": "edit",
    "remove_mesh_body": "edit",
    "rigid_body": "rigid_bodies",
    "set_attachment": "set_attachments",
    "set_mass": "set_masses",
    "set_pair_friction": "set_friction",
    "set_velocity": "set_velocities",
    "step_through": "step",
    "teleport_body": "move_body",
    "teleport_collider": "move_collider",
    "unpin_all": "unpin",
    "user_data_mut": "user_data",
    "wake_all": "wake",
    "write_normals": "normals",
}
"""Methods of Rust, and what does the same in Python: for one or many, with the numbers of parts as ids."""

LACKING = {
    "coarse_cloths": "a warning of the command line, which says it where a scene is built",
    "contact_cache": "cached contacts are for games, which replay one motion in Rust or C",
    "exemption": "of one pair of ids; `intersections` says of all that meet what is exempt",
    "record_examined": "for those who develop the gate",
    "rest_conflict": "a warning about particles, which the command line says",
    "scene": "the caller has the descriptions that it was built of",
    "set_clock": "for platforms without a clock",
    "stage_sign": "for a thread that watches another one step",
    "step_with": "motions of substeps; `Certifier` and `audit` judge motions of other programs",
    "surface": "topology in types of Rust; `faces` and `edges` have it as arrays",
}
"""Methods of Rust that Python does not have, and why."""


def rust_methods() -> set[str]:
    """The public methods of `Simulation` in the sources of the solver."""
    found: set[str] = set()
    for path in SOLVER.rglob("*.rs"):
        for block in re.findall(r"^impl Simulation \{\n(.*?)^\}", path.read_text(), re.DOTALL | re.MULTILINE):
            found |= set(re.findall(r"^    pub (?:const )?fn (\w+)", block, re.MULTILINE))
    return found


def test_python_has_the_methods_of_rust_or_says_why_not() -> None:
    known = set(SAME) | set(OTHERWISE) | set(LACKING)
    assert len(known) == len(SAME) + len(OTHERWISE) + len(LACKING)
    assert rust_methods() == known
    assert len(LACKING) <= 10
    for name in [*SAME, *OTHERWISE.values()]:
        assert hasattr(cloth.Simulation, name), name
