// Draws one run: cloth, what it collides with, and the faces that intersect.
import * as THREE from "three";
import type { ColliderShape } from "../cloth-web/pkg/cloth_web.js";
import { Marks, addLights, disposeScene } from "./drawing.js";
import type { Arrays, Shape } from "./protocol.js";

/** Colours of the cloths, one after another. */
const CLOTHS = [0x3f7fbf, 0xd9903d, 0x5aa469, 0x9b6bb3, 0xc9596b, 0x4fa3a5, 0xb8a13f, 0x7c7f8a];
const BODY = 0xb9b2a8;
/** Of a weave (m): large enough to be seen across a sheet. */
const THREAD = 0.007;

export class Stage {
  readonly scene = new THREE.Scene();
  private readonly cloths: { mesh: THREE.Mesh; first: number; count: number }[] = [];
  private readonly colliders: THREE.Object3D[] = [];
  private skin: THREE.Mesh | null = null;
  private readonly marks = new Marks();
  private readonly faces: Uint32Array;
  /** Around what is there at the start (m). */
  readonly bounds = new THREE.Box3();

  /** What a run shows at its start. The light reaches as far as `reach` does; as the start without it. */
  constructor(shape: Shape, state: Arrays, isDark: boolean, reach?: THREE.Box3) {
    this.faces = shape.faces;
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
      const material = new THREE.MeshStandardMaterial({
        color: CLOTHS[number % CLOTHS.length], side: THREE.DoubleSide, roughness: 0.85, bumpMap: weave, bumpScale: 0.5,
      });
      material.shadowSide = THREE.DoubleSide;
      const mesh = new THREE.Mesh(geometry, material);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      this.scene.add(mesh);
      this.cloths.push({ mesh, first, count: end - first });
    });
    const hasSkin = shape.skinFaces.length > 0;
    for (const collider of shape.layout.colliders) {
      const object = colliderObject(collider, isDark);
      this.scene.add(object);
      this.colliders.push(object);
    }
    if (hasSkin) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(state.skin.slice(), 3).setUsage(THREE.DynamicDrawUsage));
      geometry.setIndex(new THREE.BufferAttribute(shape.skinFaces, 1));
      this.skin = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial({ color: BODY, roughness: 0.9 }));
      this.skin.castShadow = this.skin.receiveShadow = true;
      this.skin.frustumCulled = false;
      this.scene.add(this.skin);
    }
    this.scene.add(this.marks.mesh);
    this.show(state);
    for (const { mesh } of this.cloths) this.bounds.expandByObject(mesh);
    this.colliders.forEach((object, k) => {
      if (shape.layout.colliders[k].kind !== "plane") this.bounds.expandByObject(object);
    });
    if (this.skin !== null) this.bounds.expandByObject(this.skin);
    if (shape.layout.colliders.some((collider) => collider.kind === "plane")) this.bounds.expandByPoint(this.bounds.getCenter(new THREE.Vector3()).setY(0));
    this.light(isDark, (reach ?? this.bounds).getBoundingSphere(new THREE.Sphere()));
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
    this.marks.show(state.positions, this.faces, state.marked);
  }

  /** The meshes that can be pulled at. */
  get targets(): THREE.Mesh[] {
    return this.cloths.map(({ mesh }) => mesh);
  }

  dispose(): void {
    disposeScene(this.scene);
  }

  private light(isDark: boolean, { center, radius }: THREE.Sphere): void {
    const size = Math.max(1, radius / 2);
    const sun = addLights(this.scene, isDark);
    this.scene.fog = new THREE.Fog(this.scene.background as THREE.Color, 6 * size, 14 * size);
    // Where a scene is small, it stands about the middle of the floor.
    const middle = size > 1 ? center : new THREE.Vector3();
    sun.position.multiplyScalar(size).add(middle);
    sun.target.position.copy(middle);
    this.scene.add(sun.target);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    Object.assign(sun.shadow.camera, { left: -2.2 * size, right: 2.2 * size, top: 2.2 * size, bottom: -2.2 * size, near: 0.5 * size, far: 9 * size });
    sun.shadow.normalBias = 0.02;
    sun.shadow.radius = 4;
  }
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

function colliderObject(shape: ColliderShape, isDark: boolean): THREE.Object3D {
  if (shape.kind === "plane") {
    const floor = new THREE.Mesh(new THREE.CircleGeometry(14, 64), new THREE.MeshStandardMaterial({ color: isDark ? 0x4a4f57 : 0xd5d9de, roughness: 1 }));
    floor.geometry.rotateX(-Math.PI / 2);
    floor.receiveShadow = true;
    return floor;
  }
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
