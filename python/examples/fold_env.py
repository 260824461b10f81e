"""Folding a square cloth with one gripper: a Gymnasium environment, alone and as a batch.

    python examples/fold_env.py [--envs N]

Needs gymnasium 1.1 or later. The gripper takes the vertex that is nearest to it, carries it, and releases it; the
aim is that corner 0 of the cloth comes to lie on the opposite one. `FoldEnv` is one environment on `cloth.Simulation`,
`FoldVectorEnv` any number on `cloth.Batch`: for the same seeds and actions both return the same in every bit.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import cloth
import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

N, SIZE = 13, 0.3  # vertices a side; length of a side (m)
DT = 1 / 30  # duration of a step (s)
SPEED = 0.02  # the gripper moves at most so far in a step along each axis (m)
REACH = 0.03  # it takes a vertex that is at most so far (m)
STEPS = 75  # an episode is truncated after so many
LOW, HIGH = np.float32([-0.3, 0.005, -0.3]), np.float32([0.3, 0.3, 0.3])  # where the gripper may be (m)
SEEN = np.arange(N * N).reshape(N, N)[::3, ::3].ravel()  # the vertices of an observation: 5 x 5, corners among them
FROM, TO = 0, N * N - 1  # the corners that the fold brings together

# Dx, dy, dz of the gripper in units of SPEED; it is closed while the last is above 0.
ACTIONS = spaces.Box(-1.0, 1.0, (4,), np.float32)
# Positions (m) of the vertices and of the gripper, and whether it holds one.
OBSERVATIONS = spaces.Box(-2.0, 2.0, (3 * len(SEEN) + 4,), np.float32)


def make_simulation() -> cloth.Simulation:
    """A cloth that lies on a table."""
    line = np.linspace(-SIZE / 2, SIZE / 2, N)
    x, z = np.meshgrid(line, line)
    corner = np.arange(N * N).reshape(N, N)[:-1, :-1].reshape(-1, 1)
    faces = np.concatenate([corner + [0, N, 1], corner + [1, N, N + 1]])
    sheet = cloth.Cloth(np.stack([x.ravel(), np.full(N * N, 0.005), z.ravel()], axis=1), faces)
    return cloth.Simulation(sheet, colliders=[cloth.Collider("plane", friction=0.5)], preset="game")


def draw_start(rng: np.random.Generator, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where the cloth lies and where the gripper is at the start of an episode (m)."""
    turn, (x, z) = rng.uniform(-np.pi, np.pi), rng.uniform(-0.03, 0.03, 2)
    c, s = np.cos(turn), np.sin(turn)
    placed = start @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]]) + [x, 0, z]
    return placed.astype(np.float32), rng.uniform([-0.1, 0.1, -0.1], [0.1, 0.2, 0.1]).astype(np.float32)


def grip(x: np.ndarray, gripper: np.ndarray, held: np.ndarray, action: np.ndarray) -> tuple[np.ndarray, ...]:
    """Where the gripper goes (m), and which vertex it releases, takes, and holds then; -1 for none. Of any number
    of environments: x is (..., n, 3)."""
    gripper = np.clip(gripper + SPEED * action[..., :3], LOW, HIGH)
    distances = np.linalg.norm(x - gripper[..., None, :], axis=-1)
    nearest = np.where(distances.min(axis=-1) <= REACH, distances.argmin(axis=-1), -1)
    closed = action[..., 3] > 0
    freed, taken = np.where(closed, -1, held), np.where(closed & (held < 0), nearest, -1)
    return gripper, freed, taken, np.where(freed >= 0, -1, np.maximum(held, taken))


def observe(x: np.ndarray, gripper: np.ndarray, held: np.ndarray) -> np.ndarray:
    """What is seen of states, (..., n, 3), in `OBSERVATIONS`."""
    seen = x[..., SEEN, :].reshape(*x.shape[:-2], -1)
    return np.concatenate([seen, gripper, np.asarray(held >= 0, np.float32)[..., None]], axis=-1)


def gap(x: np.ndarray) -> np.ndarray:
    """The distance (m) of the corners that are to meet; the sum of the rewards is what it has lost."""
    return np.linalg.norm(x[..., FROM, :] - x[..., TO, :], axis=-1).astype(np.float64)


class FoldEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """One cloth and one gripper."""

    action_space, observation_space = ACTIONS, OBSERVATIONS

    def __init__(self, steps: int = STEPS) -> None:
        self.limit = steps
        self.simulation = make_simulation()
        self.x = self.simulation.positions  # follows the simulation
        self.start = self.x.copy()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.simulation.reset()
        placed, self.gripper = draw_start(self.np_random, self.start)
        self.simulation.set_state(placed)
        self.held, self.steps = np.int64(-1), 0
        return self._see()

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        before = gap(self.x)
        self.gripper, freed, taken, self.held = grip(self.x, self.gripper, self.held, action)
        if freed >= 0:
            self.simulation.unpin([freed])
        if taken >= 0:
            self.simulation.pin([taken])
        if self.held >= 0:
            self.simulation.move_pins([self.held], self.gripper[None])
        self.simulation.step(DT)
        self.steps += 1
        observation, info = self._see()
        return observation, float(before - gap(self.x)), False, self.steps >= self.limit, info

    def _see(self) -> tuple[np.ndarray, dict]:
        return observe(self.x, self.gripper, self.held), {"held": int(self.held)}


class FoldVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Many cloths with a gripper each, stepped on all threads. Of the autoreset modes it has all."""

    single_action_space, single_observation_space = ACTIONS, OBSERVATIONS

    def __init__(
        self, num_envs: int, steps: int = STEPS, *, autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP
    ) -> None:
        self.num_envs, self.limit, self.autoreset_mode = num_envs, steps, AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode}
        self.action_space, self.observation_space = batch_space(ACTIONS, num_envs), batch_space(OBSERVATIONS, num_envs)
        self.batch = cloth.Batch(make_simulation(), num_envs)
        self.x = self.batch.positions  # follows the environments
        self.start = self.x[0].copy()
        self.generators = [seeding.np_random()[0] for _ in range(num_envs)]
        self.gripper = np.zeros((num_envs, 3), np.float32)
        self.held = np.full(num_envs, -1)
        self.steps = np.zeros(num_envs, int)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict]:
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed or [None] * self.num_envs
        chosen = (options or {}).get("reset_mask", np.ones(self.num_envs, bool))
        for i in np.flatnonzero(chosen):
            if seeds[i] is not None:
                self.generators[i] = seeding.np_random(seeds[i])[0]
        self._start(chosen)
        return self._observe(), self._info(chosen)

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        # In AutoresetMode.NEXT_STEP: what is over begins anew in this step, whatever its action.
        over = (self.steps >= self.limit) & (self.autoreset_mode == AutoresetMode.NEXT_STEP)
        going, before = ~over, gap(self.x)
        self.gripper, freed, taken, self.held = grip(self.x, self.gripper, self.held, actions)
        self.batch.unpin(freed[:, None], which=going)  # a vertex of its own in each, or -1
        self.batch.pin(taken[:, None], which=going)
        self.batch.move_pins(self.held[:, None], self.gripper[:, None], which=going)
        self.batch.step(DT, ids=going)
        self.steps += going
        rewards, truncated = np.where(going, before - gap(self.x), 0.0), going & (self.steps >= self.limit)
        infos: dict[str, Any] = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and truncated.any():
            over, observations, last = truncated, self._observe(), np.full(self.num_envs, None, object)
            for i in np.flatnonzero(over):
                last[i] = observations[i]
            infos = {"final_obs": last, "_final_obs": over.copy()}
            infos |= {"final_info": self._info(over), "_final_info": over.copy()}
        self._start(over)
        infos |= self._info(np.ones_like(over))
        return self._observe(), rewards, np.zeros_like(over), truncated.copy(), infos

    def _start(self, chosen: np.ndarray) -> None:
        """Begins an episode in the chosen environments."""
        ids = np.flatnonzero(chosen)
        placed = np.empty((len(ids), *self.start.shape), np.float32)
        for k, i in enumerate(ids):
            placed[k], self.gripper[i] = draw_start(self.generators[i], self.start)
        self.batch.reset(ids)
        self.batch.set_state(placed, which=ids)
        self.held[ids], self.steps[ids] = -1, 0

    def _observe(self) -> np.ndarray:
        return observe(self.x, self.gripper, self.held)

    def _info(self, chosen: np.ndarray) -> dict[str, Any]:
        return {"held": np.where(chosen, self.held, 0), "_held": chosen.copy()}


def follow_script(observations: np.ndarray) -> np.ndarray:
    """A policy that folds: to the corner, in an arc to the opposite one, and away."""
    corner, goal = observations[..., :3], observations[..., 3 * len(SEEN) - 3 : 3 * len(SEEN)]
    gripper, holds = observations[..., -4:-1], observations[..., -1:] > 0
    apart = np.linalg.norm((goal - corner)[..., [0, 2]], axis=-1, keepdims=True)
    up = np.array([0.0, 1.0, 0.0])
    # The way of the corner is a slope, so that the cloth is lifted before it is carried.
    free = np.where(apart < 0.05, goal + 0.2 * up, corner)
    target = np.where(holds, goal + 0.5 * apart * up, free)
    at_corner = np.linalg.norm(corner - gripper, axis=-1, keepdims=True) < 0.01
    close = np.where(holds, apart > 0.015, at_corner & (apart > 0.05))
    move = np.clip((target - gripper) / SPEED, -1, 1)
    return np.concatenate([move, np.where(close, 1, -1)], axis=-1).astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--envs", type=int, default=16)
    arguments = parser.parse_args()
    environments = FoldVectorEnv(arguments.envs)
    observations, _ = environments.reset(seed=0)
    first, wall, cpu = gap(environments.x), time.perf_counter(), time.process_time()
    for _ in range(STEPS):
        observations, *_ = environments.step(follow_script(observations))
    wall, cpu, last = time.perf_counter() - wall, time.process_time() - cpu, gap(environments.x)
    steps = arguments.envs * STEPS
    print(f"{steps} steps: {steps / wall:.0f} in a second, {1e3 * cpu / steps:.2f} ms of processor time each")
    print(f"the corners are {last.min():.3f} to {last.max():.3f} m apart, before {first.min():.3f} m")


if __name__ == "__main__":
    main()
