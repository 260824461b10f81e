//! Rigid bodies of a scene.

use cloth_scene::Dynamics;

use super::{error_of_body, parse};

#[test]
fn a_body_with_a_mass_is_a_rigid_body() {
    let parsed = |keys: &str| parse(&format!("[[garment]]\nmesh = \"a.obj\"\n[[body]]\n{keys}")).unwrap();
    let sphere = "kind = \"sphere\"\ncenter = [0, 1, 0]\nradius = 0.1\n";
    let capsule = "kind = \"capsule\"\nstart = [0, 1, 0]\nend = [1, 1, 0]\nradius = 0.1\n";
    let cuboid = "kind = \"box\"\ncenter = [0, 1, 0]\nhalf_extents = [1, 1, 1]\nguarded = true\n";
    for kind in [sphere, capsule, cuboid] {
        assert_eq!(parsed(kind).bodies[0].dynamics, None);
        assert_eq!(parsed(&format!("{kind}mass = 2")).bodies[0].dynamics, Some(Dynamics::new(2.0)));
        let scene = parsed(&format!(
            "{kind}mass = 0.5\nvelocity = [1, 2, 3]\nangular_velocity = [4, 5, 6]\ngravity_scale = -0.5\n\
             motion = [{{ time = 0, rotate = {{ axis = [0, 0, 1], degrees = 30 }} }}]"
        ));
        let expected = Dynamics {
            mass: 0.5,
            velocity: [1.0, 2.0, 3.0],
            angular_velocity: [4.0, 5.0, 6.0],
            gravity_scale: -0.5,
        };
        assert_eq!((scene.bodies[0].dynamics, scene.bodies[0].motion.len()), (Some(expected), 1));
        assert_eq!(parse(&scene.to_toml().unwrap()).unwrap(), scene);
    }
}

#[test]
fn errors_of_a_rigid_body_name_key_line_and_fix() {
    let cannot = "`body` of this kind has no key `mass`, because only spheres, capsules and boxes can be \
                  rigid bodies; remove `mass` or change `kind`";
    let sphere = |keys: &str| format!("kind = \"sphere\"\ncenter = [0, 1, 0]\nradius = 0.1\n{keys}");
    let expected = [
        ("kind = \"plane\"\nmass = 1".to_owned(), "3:1", cannot),
        ("kind = \"mesh\"\npath = \"a.obj\"\nmass = 1".to_owned(), "3:1", cannot),
        ("kind = \"mesh\"\npath = \"a.obj\"\nmass = 1\nmotion = \"b.pc2\"".to_owned(), "3:1", cannot),
        ("kind = \"figure\"\nmass = 1".to_owned(), "3:1", cannot),
        (
            sphere("mass = 1\nmotion = [{ time = 0 }, { time = 1 }]"),
            "3:1",
            "`body` must have at most one keyframe, its initial pose, where `mass` is given, found 2 in \
             `motion`; remove `mass` or the other keyframes",
        ),
        (
            sphere("mass = 1\nmotion = \"b.pc2\""),
            "3:1",
            "`body` must move either by `mass` or by the file in `motion`; remove one of them",
        ),
        (
            sphere("velocity = [0, 1, 0]"),
            "3:1",
            "`body` must have `mass` where `velocity` is given; add `mass` or remove `velocity`",
        ),
        (
            sphere("angular_velocity = [0, 1, 0]"),
            "3:1",
            "`body` must have `mass` where `angular_velocity` is given; add `mass` or remove \
             `angular_velocity`",
        ),
        (
            sphere("gravity_scale = 0"),
            "3:1",
            "`body` must have `mass` where `gravity_scale` is given; add `mass` or remove `gravity_scale`",
        ),
        (sphere("mass = 0"), "7:8", "`body.mass` must be positive and finite, found 0"),
        (sphere("mass = inf"), "7:8", "`body.mass` must be positive and finite, found inf"),
        (
            sphere("mass = 1\nvelocity = [0, nan, 0]"),
            "8:12",
            "`body.velocity` must be finite, found [0.0, NaN, 0.0]",
        ),
        (sphere("mass = 1\ngravity_scale = nan"), "8:17", "`body.gravity_scale` must be finite, found NaN"),
        (sphere("mas = 1"), "7:1", "unknown key `mas` in [body]; did you mean `mass`?"),
    ];
    for (text, place, problem) in expected {
        assert_eq!(error_of_body(&text), format!("scene.toml:{place}: {problem}"));
    }
}
