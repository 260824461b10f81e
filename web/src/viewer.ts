// One canvas with one or more runs side by side, all seen from the same place.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { createRenderer, turnByKey } from "./drawing.js";
import type { Stage } from "./stage.js";

/** Between two pictures (ms): from here on it is seen. */
const SLOW_PICTURE = 60;

export class Viewer {
  /** What is drawn, from left to right. */
  stages: (Stage | null)[] = [];
  needsDrawing = true;
  readonly camera = new THREE.PerspectiveCamera(35, 1, 0.05, 40);
  readonly controls: OrbitControls;
  /** Share of the device's pixels that are drawn, less where drawing is slow. */
  private sharpness = 1;
  private drawn = { at: 0, slow: 0 };

  private constructor(readonly canvas: HTMLCanvasElement, private readonly renderer: THREE.WebGLRenderer) {
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enablePan = false;
    this.controls.minDistance = 0.5;
    this.controls.maxDistance = 9;
    this.controls.maxPolarAngle = 0.53 * Math.PI;
    this.controls.addEventListener("change", () => (this.needsDrawing = true));
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  /** A viewer that draws to a canvas; nothing where there is no WebGL. */
  static create(canvas: HTMLCanvasElement): Viewer | null {
    const renderer = createRenderer(canvas);
    if (renderer === null) return null;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.PCFShadowMap;
    renderer.setScissorTest(true);
    return new Viewer(canvas, renderer);
  }

  /**
   * Shows a box from `share` of the distance at which all of the ball around it is seen; from a direction (degrees: about
   * y from +z, and above the horizon), or from where it is seen now.
   */
  lookAt(bounds: THREE.Box3, view: { azimuth: number; elevation: number } | null, share = 0.72): void {
    const sphere = bounds.getBoundingSphere(new THREE.Sphere());
    const aspect = Math.min(1, this.canvas.clientWidth / this.sides / Math.max(1, this.canvas.clientHeight));
    const distance = (share * sphere.radius) / Math.sin(THREE.MathUtils.degToRad(this.camera.fov / 2)) / Math.sqrt(aspect);
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    if (view !== null) direction.setFromSphericalCoords(1, THREE.MathUtils.degToRad(90 - view.elevation), THREE.MathUtils.degToRad(view.azimuth));
    this.controls.maxDistance = Math.max(9, 2 * distance);
    this.camera.far = Math.max(40, 4 * distance);
    this.controls.target.copy(sphere.center);
    this.camera.position.copy(sphere.center).addScaledVector(direction, distance);
    this.controls.update();
  }

  /** Turns the view by an arrow key; false for other keys. */
  turn(key: string): boolean {
    return turnByKey(key, this.camera, this.controls);
  }

  /** The ray below a pointer, and the number of the run that it is in. */
  ray(event: PointerEvent): { ray: THREE.Raycaster; side: number } {
    const box = this.canvas.getBoundingClientRect();
    const each = box.width / this.sides;
    const side = Math.min(this.sides - 1, Math.max(0, Math.floor((event.clientX - box.left) / each)));
    const x = ((event.clientX - box.left - side * each) / each) * 2 - 1;
    const y = 1 - ((event.clientY - box.top) / box.height) * 2;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    return { ray, side };
  }

  /** Draws if anything has changed. Where simulating takes `busy` (ms), late pictures are not drawing's fault. */
  update(now: number, busy = 0): void {
    if (!this.needsDrawing) return;
    this.draw();
    this.watchSpeed(now, busy);
  }

  private get sides(): number {
    return Math.max(1, this.stages.length);
  }

  private resize(): void {
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2) * this.sharpness);
    this.renderer.setSize(this.canvas.clientWidth, this.canvas.clientHeight, false);
    this.needsDrawing = true;
  }

  /** Draws fewer pixels after ten pictures in a row that came too late, down to a quarter of them. */
  private watchSpeed(now: number, busy: number): void {
    this.drawn = { at: now, slow: now - this.drawn.at > SLOW_PICTURE ? this.drawn.slow + 1 : 0 };
    if (this.drawn.slow < 10 || busy > SLOW_PICTURE || this.sharpness <= 0.5) return;
    this.sharpness -= 0.25;
    this.drawn.slow = 0;
    this.resize();
  }

  private draw(): void {
    this.needsDrawing = false;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const each = width / this.sides;
    this.camera.aspect = each / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    this.stages.forEach((stage, index) => {
      this.renderer.setViewport(index * each, 0, each, height);
      this.renderer.setScissor(index * each, 0, each, height);
      if (stage !== null) this.renderer.render(stage.scene, this.camera);
    });
  }
}
