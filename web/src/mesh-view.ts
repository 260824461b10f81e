// Draws a state of what is checked, a mesh or garments with their bodies, and what is pointed at in it.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { ShownState } from "./check-protocol.js";
import { BODY, CLOTHS, Marks, addLights, disposeScene, turnByKey, twoSided } from "./drawing.js";
import type { Findings } from "./findings.js";

const POINTED = 0xffd400;
/** Of cloth inside of a body: far from red for whoever sees no red, too. */
const INSIDE = 0xb14dff;

/** Vertices and faces that are pointed at. */
export interface Place {
  edges: [number, number][];
  faces: number[];
  vertices: number[];
}

export class MeshView {
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(35, 1, 0.001, 100);
  private readonly controls: OrbitControls;
  private readonly marks = new Marks();
  private readonly inside = new Marks(INSIDE);
  private readonly mesh = new THREE.Mesh(new THREE.BufferGeometry(), [...CLOTHS.map((pair) => twoSided(pair)), twoSided([BODY, BODY])]);
  private readonly lines = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: POINTED, depthTest: false, transparent: true }));
  private shown: ShownState | null = null;
  private isDue = false;

  constructor(private readonly renderer: THREE.WebGLRenderer, private readonly canvas: HTMLCanvasElement, isDark: boolean) {
    addLights(this.scene, isDark);
    // The inside of a mesh is looked at too, which no light from above reaches.
    this.scene.add(new THREE.AmbientLight(0xffffff, 0.9));
    this.lines.renderOrder = 2;
    this.lines.frustumCulled = this.mesh.frustumCulled = false;
    this.scene.add(this.mesh, this.inside.mesh, this.marks.mesh, this.lines);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.draw());
    canvas.addEventListener("keydown", (event) => turnByKey(event.key, this.camera, this.controls) && event.preventDefault());
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  /** Shows a state; `parts` are the meshes, in the order of their faces. The view is set anew for another job. */
  show(state: ShownState, parts: Findings["parts"]): void {
    const isOther = this.shown?.job !== state.job;
    this.shown = state;
    const { geometry } = this.mesh;
    if (isOther) {
      geometry.dispose();
      geometry.setAttribute("position", new THREE.BufferAttribute(state.positions, 3));
      geometry.setIndex(new THREE.BufferAttribute(state.faces, 1));
      geometry.deleteAttribute("normal");
      geometry.clearGroups();
      let first = 0;
      parts.forEach(({ triangles, isBody }, k) => {
        geometry.addGroup(first, 3 * triangles, isBody ? CLOTHS.length : k % CLOTHS.length);
        first += 3 * triangles;
      });
    } else {
      const attribute = geometry.getAttribute("position") as THREE.BufferAttribute;
      (attribute.array as Float32Array).set(state.positions);
      attribute.needsUpdate = true;
    }
    geometry.computeVertexNormals();
    this.marks.show(state.positions, state.faces, state.marked);
    this.inside.show(state.positions, state.faces, state.inside);
    this.lines.visible = false;
    if (isOther) {
      geometry.computeBoundingSphere();
      const { center, radius } = geometry.boundingSphere ?? new THREE.Sphere(undefined, 1);
      this.look(center, Math.max(radius, 0.02), new THREE.Vector3(0.5, 0.35, 1));
    }
    this.draw();
  }

  /** Turns the view to a place of the state that is shown, and outlines it. */
  point({ edges, faces, vertices }: Place): void {
    const state = this.shown;
    if (state === null) return;
    const corners = faces.map((face) => Array.from(state.faces.subarray(3 * face, 3 * face + 3)) as [number, number, number]);
    const all = [...edges, ...corners.flatMap(([a, b, c]) => [[a, b], [b, c], [c, a]] as [number, number][])];
    const at = (v: number): THREE.Vector3 => new THREE.Vector3().fromArray(state.positions, 3 * v);
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry().setFromPoints(all.flat().map(at));
    this.lines.visible = true;
    // It is where the edges or the vertices are; faces may be much larger.
    const points = [...(edges.length + vertices.length > 0 ? [...edges.flat(), ...vertices] : corners.flat())].map(at);
    const center = new THREE.Box3().setFromPoints(points).getCenter(new THREE.Vector3());
    const radius = Math.max(0, ...all.flat().map((v) => at(v).distanceTo(center)));
    // From the side of the face that is seen now, so that the view turns no more than it has to.
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    if (corners.length > 0) {
      const [a, b, c] = corners[0].map(at);
      const normal = b.sub(a).cross(c.sub(a)).normalize();
      if (normal.lengthSq() > 0) direction.add(normal.multiplyScalar(normal.dot(direction) < 0 ? -1 : 1));
    }
    this.look(center, Math.max(1.5 * radius, 0.02), direction);
  }

  /** Forgets the mesh: whatever is shown next is another. */
  clear(): void {
    this.shown = null;
  }

  /** Where the view is aimed, for tests. */
  get target(): number[] {
    return this.controls.target.toArray();
  }

  dispose(): void {
    this.controls.dispose();
    disposeScene(this.scene);
  }

  private look(center: THREE.Vector3, radius: number, direction: THREE.Vector3): void {
    const aspect = Math.min(1, this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight));
    const distance = radius / Math.sin(THREE.MathUtils.degToRad(this.camera.fov / 2)) / aspect;
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(direction.normalize(), distance);
    this.controls.update();
    this.draw();
  }

  /** Draws with the next picture of the browser. */
  private draw(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
      if (width === 0 || height === 0) return;
      this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
      this.renderer.setSize(width, height, false);
      this.camera.aspect = width / height;
      this.camera.updateProjectionMatrix();
      this.renderer.render(this.scene, this.camera);
    });
  }
}
