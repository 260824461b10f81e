"""The folding environment: as Gymnasium wants it, the same alone and as a batch, and it folds."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cloth

gymnasium = pytest.importorskip("gymnasium", "1.1", reason="there is no gymnasium: pip install gymnasium")
sys.path.append(str(Path(__file__).parent.parent / "examples"))

from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

import fold_env  # noqa: E402


def assert_same(one: Any, other: Any) -> None:
    """Equal keys, types, shapes and bits."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, tuple) or (isinstance(one, np.ndarray) and one.dtype == object):
        assert len(one) == len(other)
        for a, b in zip(one, other):
            assert_same(a, b)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    else:
        assert one == other


def test_gymnasium_finds_nothing_wrong() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(fold_env.FoldEnv(), skip_render_check=True)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_a_batch_equals_single_environments_in_every_bit(mode: AutoresetMode) -> None:
    steps = 30
    batch = fold_env.FoldVectorEnv(4, steps, autoreset_mode=mode)
    singles = SyncVectorEnv([lambda: fold_env.FoldEnv(steps)] * 4, autoreset_mode=mode)
    for name in ("single_action_space", "action_space", "single_observation_space", "observation_space"):
        assert getattr(batch, name) == getattr(singles, name), name
    assert batch.metadata["autoreset_mode"] == singles.metadata["autoreset_mode"] == mode
    assert batch.num_envs == singles.num_envs

    def both(call: Any) -> Any:
        returned = call(batch)
        assert_same(returned, call(singles))
        assert batch.observation_space.contains(returned[0])
        return returned

    singles.action_space.seed(5)
    both(lambda e: e.reset(seed=3))
    observations, _ = both(lambda e: e.reset(seed=[7, 8, 7, None]))
    np.testing.assert_array_equal(observations[0], observations[2])
    held, ends, finals = set(), 0, 0
    for step in range(3 * steps):
        if step == 11:  # from here on they do not end together
            late = np.array([False, True, False, True])
            observations, _ = both(lambda e: e.reset(seed=[None, 20, None, None], options={"reset_mask": late}))
        # Half of them fold, the others do whatever comes.
        actions = singles.action_space.sample()
        actions[:2] = fold_env.follow_script(observations[:2])
        observations, _, _, truncated, infos = both(lambda e: e.step(actions))
        held |= set(infos["held"].tolist())
        ends += truncated.sum()
        finals += infos.get("_final_obs", np.zeros(4, bool)).sum()
        if mode == AutoresetMode.DISABLED and truncated.any():
            observations, _ = both(lambda e: e.reset(options={"reset_mask": truncated}))
    assert {-1, fold_env.FROM} < held and ends == (8 if mode == AutoresetMode.NEXT_STEP else 10)
    assert finals == (ends if mode == AutoresetMode.SAME_STEP else 0)
    both(lambda e: e.reset())


def coverage(x: np.ndarray, faces: np.ndarray, cell: float = 0.002) -> float:
    """The area (m2) of the table that a cloth covers, in squares with a side of `cell` (m)."""
    u, v = np.divmod(np.arange(256), 16) / np.float64(15)
    weights = np.stack([1 - u - v, u, v], axis=1)[u + v < 1 + 1e-9]
    points = np.einsum("kc,fcd->fkd", weights, x[faces][..., [0, 2]]).reshape(-1, 2)
    return len(np.unique(np.floor(points / cell), axis=0)) * cell**2


def test_the_script_folds_the_cloth_to_half_its_area() -> None:
    environments = fold_env.FoldVectorEnv(6)
    observations, _ = environments.reset(seed=0)
    faces = fold_env.make_simulation().faces
    flat, total = [coverage(x, faces) for x in environments.x], np.zeros(6)
    for _ in range(fold_env.STEPS):
        observations, rewards, _, truncated, infos = environments.step(fold_env.follow_script(observations))
        total += rewards
    assert truncated.all() and (infos["held"] == -1).all()
    for x, before, reward in zip(environments.x, flat, total):
        assert 0.5 <= coverage(x, faces) / before < 0.55
        assert fold_env.gap(x) < 0.04 and reward == pytest.approx(0.3 * 2**0.5 - fold_env.gap(x), abs=1e-4)
        assert cloth.is_clean(x, faces)


def test_a_gripper_that_stays_open_folds_nothing() -> None:
    environments = fold_env.FoldVectorEnv(2)
    observations, _ = environments.reset(seed=0)
    for _ in range(fold_env.STEPS):
        actions = fold_env.follow_script(observations)
        actions[:, 3] = -1
        observations, rewards, *_, infos = environments.step(actions)
        assert (infos["held"] == -1).all() and (abs(rewards) < 1e-3).all()
    assert (fold_env.gap(environments.x) > 0.42).all()
