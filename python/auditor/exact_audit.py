"""Does a mesh intersect itself, does a motion collide? An exact auditor in plain Python.

It answers what `cloth` answers for a plain mesh, from the definitions; it shares neither code nor method with
it, and needs Python 3.9 alone. Primitives are closed (borders belong to them) and may be degenerate:

    state   an edge and a face that share no vertex have a point in common; or a vertex without edges lies on
            a face; or two faces on one edge lie flat on each other, their third corners in different places
            (a flat fold); or a face with an area has the three points of another (a doubled face)
    motion  vertices move on straight lines, x(t) = (1 - t) start + t end, 0 <= t <= 1; a vertex and a face,
            or two edges, that share no vertex have a point in common at some t. So an edge that is within a
            face from the start collides with it when an end of it, or an edge of the face, touches.

There is no tolerance: a touch counts. Floating-point numbers are fractions; times one number they are whole,
and no verdict depends on the unit of length. A coordinate that moves is a polynomial in t. All that geometry
asks is the sign of a number; that of a polynomial is asked at a root of another one, and Sturm's theorem
gives it.
"""

import math
from fractions import Fraction
from functools import cached_property
from itertools import combinations, zip_longest


# ---- Points, segments, triangles. Coordinates are numbers or polynomials; `sign` gives -1, 0 or 1 for one.
def sub(a, b):
    return tuple(x - y for x, y in zip(a, b))


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def normal(a, b, c):
    """Each component is twice the area of the triangle abc as seen along that axis, with a sign."""
    (x, y, z), (u, v, w) = sub(b, a), sub(c, a)
    return y * w - z * v, z * u - x * w, x * v - y * u


def volume(a, b, c, d):
    """Six times the volume of the tetrahedron abcd: zero if the four points are in one plane."""
    return dot(normal(a, b, c), sub(d, a))


def point_on_segment(p, a, b, sign):
    """The three are in one line, and a and b are not on one side of p."""
    return not any(map(sign, normal(a, b, p))) and sign(dot(sub(a, p), sub(b, p))) <= 0


def point_on_triangle(p, a, b, c, sign):
    """In its plane and, as seen along an axis that shows the triangle with an area, inside of each edge."""
    if sign(volume(a, b, c, p)) != 0:
        return False
    for axis, turn in enumerate(map(sign, normal(a, b, c))):
        if turn != 0:
            return all(sign(normal(u, v, p)[axis]) in (0, turn) for u, v in ((a, b), (b, c), (c, a)))
    return any(point_on_segment(p, u, v, sign) for u, v in ((a, b), (b, c), (c, a)))  # it has no area


def segments_meet(a, b, c, d, sign):
    """In one plane; an end is on the other segment, or each has its ends on both sides of the other."""
    if sign(volume(a, b, c, d)) != 0:
        return False
    if any(point_on_segment(p, u, v, sign) for p, u, v in ((a, c, d), (b, c, d), (c, a, b), (d, a, b))):
        return True
    sides = zip(normal(a, b, c), normal(a, b, d), normal(c, d, a), normal(c, d, b))
    return any(sign(s) * sign(t) < 0 and sign(u) * sign(v) < 0 for s, t, u, v in sides)


def segment_meets_triangle(p, q, a, b, c, sign):
    """The point where the segment pierces the plane is on the triangle. For numbers, not for polynomials."""
    above_p, above_q = volume(a, b, c, p), volume(a, b, c, q)
    if sign(above_p) * sign(above_q) > 0:
        return False
    if above_p == above_q == 0:  # all in one plane; or the triangle has no area, and is its edges
        ends = any(point_on_triangle(end, a, b, c, sign) for end in (p, q))
        return ends or any(segments_meet(p, q, u, v, sign) for u, v in ((a, b), (b, c), (c, a)))
    share = Fraction(above_p, above_p - above_q)
    return point_on_triangle([s + share * (e - s) for s, e in zip(p, q)], a, b, c, sign)


def lie_flat(p, q, a, b, sign):
    """The triangles pqa and pqb are in one plane, with a and b strictly on one side of pq."""
    same_side = any(sign(s) * sign(t) > 0 for s, t in zip(normal(p, q, a), normal(p, q, b)))
    return same_side and sign(volume(p, q, a, b)) == 0


def sign_of_number(x):
    return (x > 0) - (x < 0)


# ---- Times: polynomials in t, their roots, and the sign of one at a root of another.
class Polynomial:
    """Its coefficients, the constant one first, the last not zero; none for the polynomial that is zero."""

    def __init__(self, coefficients):
        self.c = list(coefficients)
        while self.c and self.c[-1] == 0:
            self.c.pop()

    def __add__(self, other):
        return Polynomial(a + b for a, b in zip_longest(self.c, other.c, fillvalue=0))

    def __sub__(self, other):
        return Polynomial(a - b for a, b in zip_longest(self.c, other.c, fillvalue=0))

    def __mul__(self, other):
        product = [0] * (len(self.c) + len(other.c))
        for (i, a), (k, b) in ((x, y) for x in enumerate(self.c) for y in enumerate(other.c)):
            product[i + k] += a * b
        return Polynomial(product)

    def sign_at(self, t):
        above, below = Fraction(t).as_integer_ratio()
        return sign_of_number(sum(c * above**k * below ** (len(self.c) - k) for k, c in enumerate(self.c)))

    def derivative(self):
        return Polynomial([k * c for k, c in enumerate(self.c)][1:])

    def divided_by(self, other):
        """Quotient and remainder, each times a positive number that makes its coefficients whole."""
        quotient, rest = [], [Fraction(c) for c in self.c]
        for place in range(len(self.c) - len(other.c), -1, -1):
            quotient.insert(0, rest.pop() / other.c[-1])
            for k, c in enumerate(other.c[:-1]):
                rest[place + k] -= quotient[0] * c
        return [Polynomial(*whole_numbers([c])) for c in (quotient, rest)]

    def common_divisor(self, other):
        """The greatest one, by Euclid: its roots are the common roots."""
        return other.common_divisor(self.divided_by(other)[1]) if other.c else self

    @cached_property
    def chain(self):
        """Sturm's chain of the polynomial that has the same roots, but each of them once."""
        simple = self.divided_by(self.common_divisor(self.derivative()))[0]
        chain = [simple, simple.derivative()]
        while chain[-1].c:
            chain.append(Polynomial(-c for c in chain[-2].divided_by(chain[-1])[1].c))
        return chain

    def count_roots(self, low, high):
        """How many different roots are in low < t <= high, if it is not zero: Sturm's theorem."""
        signs = [[s for s in (p.sign_at(t) for p in self.chain) if s != 0] for t in (low, high)]
        changes = [sum(s != t for s, t in zip(row, row[1:])) for row in signs]
        return changes[0] - changes[1]


class Time:
    """The only root of a polynomial in low < t <= high."""

    def __init__(self, polynomial, low, high):
        self.polynomial, self.low, self.high = polynomial, Fraction(low), Fraction(high)

    def halve(self):
        middle = (self.low + self.high) / 2
        is_below = self.polynomial.count_roots(self.low, middle) == 1
        self.low, self.high = (self.low, middle) if is_below else (middle, self.high)

    def sign(self, other):
        """The sign of another polynomial at this time."""
        if not other.c or self.polynomial.common_divisor(other).count_roots(self.low, self.high) == 1:
            return 0
        while other.count_roots(self.low, self.high) != 0:
            self.halve()
        return other.sign_at(self.high)  # its sign does not change from the root to `high`


def times(polynomial, low, high):
    """The roots in low < t <= high of a polynomial that is not zero, in ascending order."""
    count = polynomial.count_roots(low, high)
    if count <= 1:
        return [Time(polynomial, low, high)] * count
    middle = Fraction(low + high) / 2
    return times(polynomial, low, middle) + times(polynomial, middle, high)


# ---- The first contact of two primitives that move: of a point and a triangle, or of two edges.

POINT_TRIANGLE, EDGE_EDGE = "point-triangle", "edge-edge"
SIZE = {POINT_TRIANGLE: 1, EDGE_EDGE: 2}  # how many of the four points are those of the first primitive
MEET = {POINT_TRIANGLE: point_on_triangle, EDGE_EDGE: segments_meet}
SLIDES = {  # which point may slide onto which edge
    POINT_TRIANGLE: [(0, 1, 2), (0, 2, 3), (0, 3, 1)],
    EDGE_EDGE: [(0, 2, 3), (1, 2, 3), (2, 0, 1), (3, 0, 1)],
}


def first_contact(kind, points):
    """When they first touch: (low, high), low <= t <= high, high - low <= 2^-60; None if they do not.

    `points`: a point and a triangle, or two edges, at the start, then the same at the end; eight triples.
    """
    points, n = whole_numbers(points), SIZE[kind]
    if not overlap(box(points[:n] + points[4 : 4 + n]), box(points[n:4] + points[4 + n :])):
        return None
    moving = [[Polynomial([s, e - s]) for s, e in zip(p, q)] for p, q in zip(points[:4], points[4:])]
    if MEET[kind](*moving, Time(Polynomial([0, 1]), -1, 0).sign):  # the root of t: the start
        return Fraction(0), Fraction(0)
    found = []
    for polynomial in critical(kind, moving):
        for time in times(polynomial, 0, 1):
            if MEET[kind](*moving, time.sign):
                while time.high - time.low > Fraction(1, 2**60):
                    time.halve()
                found.append((time.low, time.high))
                break
    return tuple(map(min, zip(*found))) if found else None


def critical(kind, moving):
    """Polynomials that are not zero; where the two first touch after the start, one of them has a root.

    They touch in one plane. If they are in one plane all the time, a first touch is one of a point and an
    edge: what is inside the other, with room on all sides, was inside before. And if that point is on the
    line of that edge all the time, it first touches an end.
    """
    found = [volume(*moving)]
    if not found[0].c:
        for p, a, b in ([moving[k] for k in slide] for slide in SLIDES[kind]):
            moves = [[x for x in vector if x.c][:1] for vector in (normal(a, b, p), sub(p, a), sub(p, b))]
            found += moves[0] or moves[1] + moves[2]
    return [polynomial for polynomial in found if polynomial.c]


def collides(kind, points):
    """Whether the two touch; as `first_contact`."""
    return first_contact(kind, points) is not None


# ---- Meshes: vertices are triples (m), faces triples of vertices, and `edges` those that no face has.
def whole_numbers(points):
    """The points, or any rows of numbers, times one whole number that makes all of them whole."""
    if not all(isinstance(x, (int, Fraction)) or math.isfinite(x) for point in points for x in point):
        raise ValueError("a coordinate is not finite; what made it is at fault")
    exact = [[Fraction(x if isinstance(x, (int, Fraction)) else float(x)) for x in point] for point in points]
    scale = math.lcm(*(x.denominator for point in exact for x in point))
    return [tuple(int(x * scale) for x in point) for point in exact]


def box(points):
    return [(min(x), max(x)) for x in zip(*points)]


def overlap(one, other):
    return all(a <= d and c <= b for (a, b), (c, d) in zip(one, other))


def near(first, second, *states):
    """The pairs of primitives that share no vertex and whose boxes around all states meet, as places."""
    boxes = [[box([x[v] for x in states for v in p]) for p in primitives] for primitives in (first, second)]
    for i, p in enumerate(first):
        touching = (k for k, other in enumerate(boxes[1]) if overlap(boxes[0][i], other))
        yield from ((i, k) for k in touching if not set(p) & set(second[k]))


def faces_on_edges(faces, loose, vertex_count):
    """The edges (smaller vertex, greater vertex), by the greater one, and the places of the faces on each."""
    around = {(min(edge), max(edge)): [] for edge in loose}
    for f, face in enumerate(faces):
        if not len(set(face)) == len(face) == 3 or not all(0 <= v < vertex_count for v in face):
            raise ValueError(f"face {f} is {face}: not three different vertices below {vertex_count}")
        for edge in combinations(sorted(face), 2):
            around.setdefault(edge, []).append(f)
    return {edge: around[edge] for edge in sorted(around, key=lambda edge: edge[::-1])}


def intersections(vertices, faces, edges=()):
    """("edge-face", (v, w), face), ("point-face", vertex, face), ("flat-fold", (v, w), (face, face)),
    ("doubled-face", (first, face)): all."""
    x, faces, sign = whole_numbers(vertices), [tuple(map(int, face)) for face in faces], sign_of_number
    around = faces_on_edges(faces, edges, len(x))
    edges, lone = list(around), [(v,) for v in sorted(set(range(len(x))).difference(*around))]
    corners = [[x[v] for v in face] for face in faces]
    meets = lambda e, f: segment_meets_triangle(*(x[v] for v in edges[e]), *corners[f], sign)
    found = [("edge-face", edges[e], f) for e, f in near(edges, faces, x) if meets(e, f)]
    lies = lambda p, f: point_on_triangle(x[lone[p][0]], *corners[f], sign)
    found += [("point-face", *lone[p], f) for p, f in near(lone, faces, x) if lies(p, f)]
    for (v, w), on in around.items():
        apex = {f: x[sum(faces[f]) - v - w] for f in on}
        flat = lambda g, f: apex[g] != apex[f] and lie_flat(x[v], x[w], apex[g], apex[f], sign)
        pairs = [(g, f) for f in on for g in on if g < f and flat(g, f)]
        found += [("flat-fold", (v, w), pair) for pair in pairs[:1]]
    first, places = {}, enumerate(tuple(sorted(face)) for face in corners)
    doubled = [(first[p], f) for f, p in places if first.setdefault(p, f) < f and any(normal(*p))]
    return found + [("doubled-face", pair) for pair in doubled]


def collisions(start, end, faces, edges=()):
    """("point-triangle", vertex, face, (low, high)), ("edge-edge", (v, w), (v, w), (low, high)): all."""
    if len(start) != len(end):
        raise ValueError(f"{len(start)} vertices at the start, {len(end)} at the end")
    x, faces = whole_numbers([*start, *end]), [tuple(map(int, face)) for face in faces]
    states, points = (x[: len(start)], x[len(start) :]), [(v,) for v in range(len(start))]
    edges = list(faces_on_edges(faces, edges, len(start)))
    pairs = [(POINT_TRIANGLE, v, f, (v, *faces[f])) for v, f in near(points, faces, *states)]
    two_edges = (pair for pair in near(edges, edges, *states) if pair[0] < pair[1])
    pairs += [(EDGE_EDGE, edges[e], edges[f], edges[e] + edges[f]) for e, f in two_edges]
    timed = [(*pair[:3], first_contact(pair[0], [x[v] for x in states for v in pair[3]])) for pair in pairs]
    return [pair for pair in timed if pair[3]]
