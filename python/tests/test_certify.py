"""Motions that the certifier corrects, judged by the judge; `test_auditor.py` judges the judge."""

from __future__ import annotations

import cloth
import numpy as np
import pytest
from test_judge import APART, BELOW, FACES, THROUGH

INV_MASS = [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_motion_is_corrected_until_it_is_clean(dtype: type) -> None:
    x0, x1 = APART.astype(dtype), BELOW.astype(dtype)
    wanted = x1.copy()
    certifier = cloth.Certifier(x0, FACES, inv_mass=INV_MASS)
    end, certificate = certifier.correct(x0, x1)
    assert (x1 == wanted).all(), "what is passed is not changed"
    assert end.dtype == dtype and cloth.is_motion_clean(x0, end, FACES) and cloth.is_clean(end, FACES)
    assert certificate.is_unconditional and certificate.stats["corrected"] == len(certificate.changed) > 0
    assert ((end != x1).any(axis=1).nonzero()[0] == certificate.changed).all()
    assert (end[:3] == x0[:3]).all(), "immovable"
    assert (certifier.end == end).all() and certifier.motions == 1 and certifier.exempt == []


def test_what_is_free_is_accepted_as_it_is() -> None:
    certifier = cloth.Certifier(APART, FACES)
    end, certificate = certifier.correct(APART, APART + 1)
    assert (end == APART + 1).all() and len(certificate.changed) == 0 and not certificate.impulse(0.1).any()
    v = np.ones((6, 3), np.float32)
    assert (certificate.update_velocities(0.1, v) == v).all()


def test_impulses_sum_to_zero_and_change_velocities() -> None:
    dt = 0.1
    certifier = cloth.Certifier(APART, FACES)
    end, certificate = certifier.correct(APART, BELOW, np.ones(6))
    impulse = certificate.impulse(dt)
    assert np.abs(impulse.sum(axis=0)).max() < 1e-12 * np.abs(impulse).max()
    v = (BELOW - APART) / dt
    assert np.allclose(certificate.update_velocities(dt, v), v + impulse, rtol=0, atol=1e-12)
    assert certificate.update_velocities(dt, v.astype(np.float32)).dtype == np.float32


def test_a_tangled_start_is_refused_or_exempt() -> None:
    with pytest.raises(cloth.TangledError, match="start is tangled: 2 intersections") as caught:
        cloth.Certifier(THROUGH, FACES)
    assert (caught.value.witnesses == cloth.intersections(THROUGH, FACES)).all()
    certifier = cloth.Certifier(THROUGH, FACES, admit_tangles=True)
    assert len(certifier.exempt) == 1
    up = THROUGH.copy()
    up[3:, 1] += 3
    end, certificate = certifier.correct(THROUGH, up)
    assert (end == up).all() and not certificate.is_unconditional and certificate.resolved == 1
    _, certificate = certifier.correct(end, THROUGH)
    assert certificate.is_unconditional and len(certificate.changed) > 0
    clean = cloth.Certifier(APART, FACES)
    with pytest.raises(cloth.TangledError, match="starts elsewhere"):
        clean.correct(THROUGH, APART)
    assert clean.motions == 0


def test_a_thickness_is_kept() -> None:
    certifier = cloth.Certifier(APART, FACES, inv_mass=INV_MASS, thickness=0.1)
    x = APART
    for _ in range(5):
        x, certificate = certifier.correct(x, x - np.array([[0, 0, 0]] * 3 + [[0, 0.4, 0]] * 3))
        assert certificate.near == 0
    assert 0.1 < x[3, 1] < 0.2
    assert cloth.max_step(x, x, FACES, min_distance=0.1).limit == "none"


def test_a_kinematic_part_that_leaves_no_room_is_released() -> None:
    kinematic = {"parts": [0, 0, 0, 1, 1, 1], "kinematic": [False, True]}
    certifier = cloth.Certifier(APART, FACES, inv_mass=[0] * 6, **kinematic)
    end, certificate = certifier.correct(APART, BELOW)
    assert (end[3:] == BELOW[3:]).all(), "kinematic parts go where they are told"
    assert len(certificate.released) > 0 and certificate.released.dtype == cloth.RELEASED
    assert not certificate.is_unconditional and not cloth.is_motion_clean(APART, end, FACES)


def test_kinematic_parts_go_where_they_are_told_whatever_their_mass() -> None:
    kinematic = {"parts": [0, 0, 0, 1, 1, 1], "kinematic": [True, False]}
    ends = []
    for inv_mass in (None, [0, 0, 0, 1, 1, 1], [1e6, 1e6, 1e6, 1, 1, 1]):
        certifier = cloth.Certifier(APART, FACES, inv_mass=inv_mass, **kinematic)
        end, certificate = certifier.correct(APART, BELOW)
        assert (end[:3] == BELOW[:3]).all() and certificate.is_unconditional
        assert set(certificate.changed) <= {3, 4, 5} and len(certificate.changed) > 0
        assert (certificate.impulse(0.1)[:3] == 0).all() and (certificate.impulse(0.1)[3:] != 0).any()
        assert (certificate.update_velocities(0.1, np.ones((6, 3)))[:3] == 1).all()
        ends.append(end)
    assert (ends[0] == ends[1]).all() and (ends[0] == ends[2]).all()


def test_inverse_masses_that_overflow_are_refused() -> None:
    certifier = cloth.Certifier(APART, FACES)
    for inv_mass in (1e-320, 1e-200, 1e200, 1.7e308, np.inf, np.nan, -1.0):
        with pytest.raises(cloth.InputError, match="inverse mass of vertex 5"):
            certifier.correct(APART, BELOW, [1, 1, 1, 1, 1, inv_mass])
    assert certifier.motions == 0


def test_refused_motions_change_nothing() -> None:
    certifier = cloth.Certifier(APART.astype(np.float32), FACES)
    for x1, text in [
        (np.full((6, 3), np.nan), "`x1` is float64, but everything else is float32"),
        (np.full((6, 3), np.nan, np.float32), "not finite"),
        (np.zeros((5, 3), np.float32), "shape"),
        (np.full((6, 3), 1e10, np.float32), "beyond the limit"),
    ]:
        with pytest.raises(cloth.InputError, match=text):
            certifier.correct(APART.astype(np.float32), x1)
    with pytest.raises(cloth.InputError, match="inverse mass of vertex 0 is -1"):
        certifier.correct(APART.astype(np.float32), APART.astype(np.float32), [-1] * 6)
    assert certifier.motions == 0
