"""The command line of the auditor: `python auditor mesh.obj`, or `... start.obj end.obj` for a motion.

Prints what intersects or collides. Exit status 0: clean, 1: not, 2: an error.
"""

import sys

from exact_audit import collisions, intersections


def read_obj(path):
    """Vertices and triangles of an OBJ file."""
    vertices, faces = [], []
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = file.readlines()
    for number, line in enumerate(lines, 1):
        keyword, *values = line.split("#")[0].split() or [""]
        if keyword == "v":
            vertices.append(tuple(float(x) for x in values[:3]))
        elif keyword == "f":
            if len(values) != 3:
                raise ValueError(f"{path}:{number}: a face of {len(values)} corners; make triangles first")
            corners = [int(value.split("/")[0]) for value in values]
            faces.append(tuple(v - 1 if v > 0 else v + len(vertices) for v in corners))
    return vertices, faces


def main(paths):
    try:
        meshes = [read_obj(path) for path in paths]
        if len(paths) not in (1, 2) or meshes[0][1] != meshes[-1][1]:
            raise ValueError("give one OBJ file (a state), or two of the same faces (a motion)")
        first, last, faces = meshes[0][0], meshes[-1][0], meshes[0][1]
        found = intersections(first, faces) if len(paths) == 1 else collisions(first, last, faces)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for kind, one, other, *time in found:
        print(kind, one, other, *(f"t = {float(low)!r}" for low, _ in time))
    print(f"{len(found)} found" if found else "clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
