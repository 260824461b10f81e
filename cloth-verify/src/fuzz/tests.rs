//! The campaign finds what is wrong, and its scenes are what they are meant to be.

use super::*;

#[test]
fn sixty_scenes_are_clean_and_few_of_them_are_easy() {
    let (figures, failures) = campaign(60, 1, &|_| {}, &mut |_, _| {});
    assert_eq!(failures, []);
    println!("{figures:?}");
    assert!(figures.changed_frames * 4 > figures.frames, "the gate has work to do");
    assert!(figures.tangled_starts >= 3 && figures.one_substep >= 20);
    assert_eq!((figures.scenes, figures.failures), (60, 0));
}

#[test]
fn a_scene_is_a_function_of_its_seed_and_comes_back_from_a_file_bit_for_bit() {
    for seed in 0..50 {
        let scene = FuzzScene::of_seed(seed);
        assert_eq!(scene, FuzzScene::of_seed(seed));
        let text = serde_json::to_string(&scene).expect("plain data");
        assert_eq!(serde_json::from_str::<FuzzScene>(&text).expect("ours"), scene);
        assert_ne!(scene, FuzzScene::of_seed(seed + 1));
    }
}

#[test]
fn figures_do_not_depend_on_the_threads() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| campaign(20, 5, &|_| {}, &mut |_, _| {}))
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn a_panic_is_a_failure_in_words_and_what_fails_is_made_smaller() {
    let scene = FuzzScene::of_seed(4);
    let prepare: Prepare<'_> = &|_| panic!("on purpose");
    let verdict = judge(&scene, prepare);
    assert!(verdict.failure.expect("it fails").contains("on purpose"));
    let small = shrink(&scene, prepare);
    assert_eq!((small.cloths.len(), small.frames, small.colliders.len(), small.bodies.len()), (1, 1, 0, 0));
}
