// Draws one run: cloth, what it collides with, and the faces that intersect.
import * as THREE from "three";
import type { ColliderShape } from "../cloth-web/pkg/cloth_web.js";
import { BODY, CLOTHS, Marks, addLights, disposeScene, twoSided } from "./drawing.js";
import type { Arrays, Shape } from "./protocol.js";

/** Of a weave (m): large enough to be seen across a sheet. */
const THREAD = 0.007;
/** Of the floor (m). */
const SQUARE = 0.25;

export class Stage {
  readonly scene = new THREE.Scene();
  private readonly cloths: { mesh: THREE.Mesh; first: number; count: number }[] = [];
  private readonly colliders: THREE.Object3D[] = [];
  private skin: THREE.Mesh | null = null;
  private readonly marks = new Marks();
  private readonly faces: Uint32Array;
  /** How far the character has walked since the start (m); zero without one. */
  readonly walked = new THREE.Vector3();
  private readonly origin: THREE.Vector3;
  /** The sun and what it shines at, which go along with who walks. */
  private readonly sunlight = new THREE.Group();

  /** What a run shows at its start. Light and floor reach beyond the box that all of the run stays in (m). */
  constructor(shape: Shape, state: Arrays, isDark: boolean, reach: THREE.Box3) {
    this.faces = shape.faces;
    const { center, radius } = reach.getBoundingSphere(new THREE.Sphere());
    const weave = weaveTexture();
    shape.layout.cloths.forEach((cloth, number) => {
      const [first, end] = cloth.vertices;
      const geometry = new THREE.BufferGeometry();
      const part = state.positions.slice(3 * first, 3 * end);
      geometry.setAttribute("position", new THREE.BufferAttribute(part, 3).setUsage(THREE.DynamicDrawUsage));
      geometry.setAttribute("normal", new THREE.BufferAttribute(state.normals.slice(3 * first, 3 * end), 3).setUsage(THREE.DynamicDrawUsage));
      geometry.setAttribute("uv", new THREE.BufferAttribute(flatCoordinates(part), 2));
      const faces = shape.faces.subarray(3 * cloth.faces[0], 3 * cloth.faces[1]);
      geometry.setIndex(new THREE.BufferAttribute(faces.map((v) => v - first), 1));
      const mesh = new THREE.Mesh(geometry, twoSided(CLOTHS[number % CLOTHS.length], { bumpMap: weave, bumpScale: 0.5 }));
      mesh.castShadow = mesh.receiveShadow = true;
      // Set back by slope: an offset along the normal (`normalBias`) would move what faces away from the sun into its own shadow.
      mesh.customDepthMaterial = new THREE.MeshDepthMaterial({ polygonOffset: true, polygonOffsetFactor: 4, polygonOffsetUnits: 4 });
      mesh.frustumCulled = false;
      this.scene.add(mesh);
      this.cloths.push({ mesh, first, count: end - first });
    });
    for (const collider of shape.layout.colliders) {
      const object = collider.kind === "plane" ? floor(radius, isDark) : colliderObject(collider);
      this.scene.add(object);
      this.colliders.push(object);
    }
    if (shape.skinFaces.length > 0) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(state.skin.slice(), 3).setUsage(THREE.DynamicDrawUsage));
      geometry.setIndex(new THREE.BufferAttribute(shape.skinFaces, 1));
      this.skin = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color: BODY, roughness: 0.9 }));
      this.skin.castShadow = this.skin.receiveShadow = true;
      this.skin.frustumCulled = false;
      this.scene.add(this.skin);
    }
    this.scene.add(this.marks.mesh);
    this.origin = middle(state.skin);
    if (!shape.layout.colliders.some(({ kind }) => kind === "plane")) {
      // Below who walks; else so low that a hand does not pull cloth down to it.
      const ground = floor(radius, isDark);
      ground.position.y = reach.min.y - (this.skin === null ? 0.4 * radius : 0);
      this.scene.add(ground);
    }
    this.light(addLights(this.scene, isDark, shape.layout.view.azimuth), center, radius);
    this.show(state);
  }

  /** Shows a state. */
  show(state: Arrays): void {
    for (const { mesh, first, count } of this.cloths) {
      update(mesh.geometry, "position", state.positions.subarray(3 * first, 3 * (first + count)));
      update(mesh.geometry, "normal", state.normals.subarray(3 * first, 3 * (first + count)));
    }
    this.colliders.forEach((object, k) => {
      const [x, y, z, i, j, l, w] = state.poses.subarray(7 * k, 7 * k + 7);
      object.position.set(x, y, z);
      object.quaternion.set(i, j, l, w);
    });
    if (this.skin !== null) {
      update(this.skin.geometry, "position", state.skin);
      this.skin.geometry.computeVertexNormals();
    }
    this.walked.copy(middle(state.skin)).sub(this.origin).setY(0);
    this.sunlight.position.copy(this.walked);
    this.marks.show(state.positions, this.faces, state.marked);
  }

  /** Lets the floor vanish beyond what is looked at from a distance (m). */
  haze(distance: number): void {
    this.scene.fog = Object.assign(this.scene.fog ?? new THREE.Fog(this.scene.background as THREE.Color), { near: 1.5 * distance, far: 6 * distance });
  }

  /** The meshes that can be pulled at. */
  get targets(): THREE.Mesh[] {
    return this.cloths.map(({ mesh }) => mesh);
  }

  dispose(): void {
    disposeScene(this.scene);
  }

  /** Points the sun at a ball (m), which throws its shadow on the floor. */
  private light(sun: THREE.DirectionalLight, center: THREE.Vector3, radius: number): void {
    sun.position.setLength(4 * radius).add(center);
    sun.target.position.copy(center);
    this.scene.add(this.sunlight.add(sun, sun.target));
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    const side = 1.1 * radius;
    Object.assign(sun.shadow.camera, { left: -side, right: side, top: side, bottom: -side, near: 2 * radius, far: 8 * radius });
    sun.shadow.radius = 3;
  }
}

/** The middle of points, three numbers each; the origin without any. */
export function middle(points: Float32Array): THREE.Vector3 {
  const sum = new THREE.Vector3();
  for (let k = 0; k < points.length; k += 3) {
    sum.x += points[k];
    sum.y += points[k + 1];
    sum.z += points[k + 2];
  }
  return sum.multiplyScalar(3 / Math.max(3, points.length));
}

function update(geometry: THREE.BufferGeometry, name: string, numbers: Float32Array): void {
  const attribute = geometry.getAttribute(name) as THREE.BufferAttribute;
  (attribute.array as Float32Array).set(numbers);
  attribute.needsUpdate = true;
  geometry.boundingSphere = null;
}

/** Two coordinates for each vertex, in threads: those in which the start is widest. */
function flatCoordinates(positions: Float32Array): Float32Array {
  const bounds = new THREE.Box3().setFromArray(positions);
  const size = bounds.getSize(new THREE.Vector3()).toArray();
  const [u, v] = [0, 1, 2].sort((a, b) => size[b] - size[a]);
  const flat = new Float32Array((positions.length / 3) * 2);
  for (let k = 0; k < positions.length / 3; k += 1) {
    flat[2 * k] = positions[3 * k + u] / (2 * THREAD);
    flat[2 * k + 1] = positions[3 * k + v] / (2 * THREAD);
  }
  return flat;
}

/** Heights of a plain weave, two threads by two. */
function weaveTexture(): THREE.Texture {
  const n = 32;
  const heights = new Uint8Array(4 * n * n);
  for (let j = 0; j < n; j += 1) {
    for (let i = 0; i < n; i += 1) {
      const [x, y] = [i / n, j / n].map((t) => Math.sin(2 * Math.PI * t));
      const isOver = x * y > 0;
      const [along, across] = isOver ? [x, y] : [y, x];
      heights.fill(Math.round(127 + 128 * Math.abs(across) * (0.6 + 0.4 * Math.abs(along)) * (isOver ? 0.99 : 0.8)), 4 * (j * n + i), 4 * (j * n + i) + 4);
    }
  }
  const texture = new THREE.DataTexture(heights, n, n);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.minFilter = THREE.LinearMipmapLinearFilter;
  texture.magFilter = THREE.LinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  return texture;
}

/** Squares that vanish in the distance, as a plane is posed. */
function floor(radius: number, isDark: boolean): THREE.Mesh {
  const squares = new THREE.DataTexture(new Uint8Array([255, 232, 232, 255].flatMap((c) => [c, c, c, 255])), 2, 2);
  squares.wrapS = squares.wrapT = THREE.RepeatWrapping;
  squares.magFilter = THREE.NearestFilter;
  squares.minFilter = THREE.LinearMipmapLinearFilter;
  squares.generateMipmaps = true;
  squares.anisotropy = 8;
  squares.colorSpace = THREE.SRGBColorSpace;
  squares.needsUpdate = true;
  const side = 120 * radius;
  squares.repeat.setScalar(side / (2 * SQUARE));
  const material = new THREE.MeshStandardMaterial({ color: isDark ? 0x4a4f57 : 0xd5d9de, roughness: 1, map: squares });
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(side, side), material);
  mesh.geometry.rotateX(-Math.PI / 2);
  mesh.receiveShadow = true;
  return mesh;
}

function colliderObject(shape: ColliderShape): THREE.Object3D {
  const mesh = new THREE.Mesh(colliderGeometry(shape), new THREE.MeshStandardMaterial({ color: BODY, roughness: 0.6 }));
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}

function colliderGeometry(solid: ColliderShape): THREE.BufferGeometry {
  switch (solid.kind) {
    case "sphere":
      return new THREE.SphereGeometry(solid.radius, 64, 32);
    case "capsule":
      return new THREE.CapsuleGeometry(solid.radius, 2 * solid.halfLength, 12, 40);
    case "cylinder":
      return new THREE.CylinderGeometry(solid.radius, solid.radius, 2 * solid.halfLength, 48);
    case "cone":
      return new THREE.ConeGeometry(solid.radius, 2 * solid.halfLength, 48);
    case "taperedCapsule":
      return new THREE.LatheGeometry(taperedProfile(solid.halfLength, solid.bottomRadius, solid.topRadius), 40);
    case "box":
      return new THREE.BoxGeometry(...(solid.halfExtents.map((half) => 2 * half) as [number, number, number]));
    case "mesh": {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(Float32Array.from(solid.corners.flat()), 3));
      geometry.computeVertexNormals();
      return geometry;
    }
    default:
      return new THREE.BufferGeometry();
  }
}

/** The outline of the hull of two balls. */
function taperedProfile(half: number, bottom: number, top: number): THREE.Vector2[] {
  const lean = Math.asin(Math.max(-1, Math.min(1, (bottom - top) / (2 * half))));
  const arc = (radius: number, centre: number, from: number, to: number) =>
    Array.from({ length: 17 }, (_, k) => from + ((to - from) * k) / 16).map((angle) => new THREE.Vector2(radius * Math.cos(angle), centre + radius * Math.sin(angle)));
  return [...arc(bottom, -half, -Math.PI / 2, lean), ...arc(top, half, lean, Math.PI / 2)];
}
