// One canvas with one or more runs side by side, or one above the other where they are larger so; all seen from the same place.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { createRenderer, turnByKey } from "./drawing.js";
import type { Stage } from "./stage.js";

/** Between two pictures (ms): from here on it is seen. */
const SLOW_PICTURE = 60;
/** Nothing has changed for so long (ms): the picture stands still. */
const STILL = 400;
/** Vertical opening angle (degrees) of all of a run's picture. */
const FOV = 35;
/** The picture is this much larger than what is framed. */
const MARGIN = 1.06;

/** A part of the picture of a run (CSS pixels), from its upper left corner. */
interface Part { left: number; top: number; width: number; height: number }

/** Where the camera looks and from how far (m), so that a box fills a part of the picture. */
interface Placed { part: Part; target: THREE.Vector3; distance: number; pixel: number }

/** A direction of view (degrees): about y from +z, and above the horizon. */
export interface Direction { azimuth: number; elevation: number }

export class Viewer {
  /** What is drawn, from left to right or from above. */
  stages: (Stage | null)[] = [];
  needsDrawing = true;
  readonly camera = new THREE.PerspectiveCamera(FOV, 1, 0.05, 40);
  readonly controls: OrbitControls;
  /** What is framed at the start of a run (m). */
  private box = new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
  /** Whether the visitor has chosen the view, which is then kept. */
  private isTurned = false;
  /** How far the view has gone along with who walks (m). */
  private readonly walked = new THREE.Vector3();
  /** Share of the device's pixels that are drawn while anything moves, less where drawing is slow; what stands still has four a pixel. */
  private sharpness = 1;
  private isStill = false;
  private isStacked = false;
  private drawn = { at: 0, late: 0, punctual: 0 };
  /** So many pictures in time are followed by an attempt at more pixels. */
  private patience = 60;

  private constructor(readonly canvas: HTMLCanvasElement, private readonly renderer: THREE.WebGLRenderer) {
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enablePan = false;
    this.controls.maxPolarAngle = 0.53 * Math.PI;
    this.controls.addEventListener("change", () => (this.needsDrawing = true));
    this.controls.addEventListener("start", () => (this.isTurned = true));
    new ResizeObserver(() => {
      this.resize();
      this.frame();
      this.draw();
    }).observe(canvas);
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
   * Shows all of a box (m), beside the captions (`.count`) of the canvas, at every size of it until the visitor turns the
   * view. From a direction, or from where it is seen now.
   */
  lookAt(box: THREE.Box3, view: Direction | null): void {
    this.box = box;
    if (view !== null) {
      this.isTurned = false;
      this.camera.position.setFromSphericalCoords(1, THREE.MathUtils.degToRad(90 - view.elevation), THREE.MathUtils.degToRad(view.azimuth)).add(this.controls.target);
    }
    this.frame();
  }

  /** Turns the view by an arrow key; false for other keys. */
  turn(key: string): boolean {
    const turns = turnByKey(key, this.camera, this.controls);
    this.isTurned ||= turns;
    return turns;
  }

  /** The ray below a pointer, and the number of the run that it is in. */
  ray(event: PointerEvent): { ray: THREE.Raycaster; side: number } {
    const box = this.canvas.getBoundingClientRect();
    const [width, height] = this.size;
    const place = [(event.clientX - box.left) / width, (event.clientY - box.top) / height];
    const side = Math.min(this.sides - 1, Math.max(0, Math.floor(place[this.isStacked ? 1 : 0])));
    place[this.isStacked ? 1 : 0] -= side;
    const [x, y] = [2 * place[0] - 1, 1 - 2 * place[1]];
    const ray = new THREE.Raycaster();
    this.follow(this.stages[side] ?? null);
    ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
    return { ray, side };
  }

  /** Draws if anything has changed. Where simulating takes `busy` (ms), late pictures are not drawing's fault. */
  update(now: number, busy = 0): void {
    if (this.needsDrawing) {
      if (this.isStill) this.sharpen(false);
      this.watchSpeed(now, busy);
      this.draw();
    } else if (!this.isStill && now - this.drawn.at > STILL) {
      this.sharpen(true);
      this.draw();
    }
  }

  private get sides(): number {
    return Math.max(1, this.stages.length);
  }

  /** Width and height of the picture of a run (CSS pixels). */
  get size(): [width: number, height: number] {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const all = this.isStacked ? [width, height / this.sides] : [width / this.sides, height];
    return [Math.max(1, all[0]), Math.max(1, all[1])];
  }

  /** How far to the right and down the captions of the runs reach (CSS pixels), and how high the picture is above a message. */
  private get taken(): { right: number; bottom: number; height: number } {
    const [width, height] = this.size;
    const views = this.canvas.parentElement;
    let [right, bottom] = [0, 0];
    for (const caption of views?.querySelectorAll<HTMLElement>(".count") ?? []) {
      right = Math.max(right, (caption.offsetLeft % width) + caption.offsetWidth);
      bottom = Math.max(bottom, (caption.offsetTop % height) + caption.offsetHeight);
    }
    const message = views?.querySelector<HTMLElement>("#message:not(:empty)");
    return { right, bottom, height: height - (message ? this.canvas.clientHeight - message.offsetTop : 0) };
  }

  /** Puts the box, seen from a direction, where it is largest: in the middle if it is clear of the captions there, else beside or below them. */
  private place(direction: THREE.Vector3): Placed {
    const [width, all] = this.size;
    const { right, bottom, height } = this.taken;
    const focal = all / 2 / Math.tan(THREE.MathUtils.degToRad(FOV / 2));
    const [middle, ...others]: Part[] = [
      { left: 0, top: 0, width, height },
      { left: right, top: 0, width: width - right, height },
      { left: 0, top: bottom, width, height: height - bottom },
    ];
    const placed = [middle, ...others.filter((part) => part.width > 0.2 * width && part.height > 0.2 * all)].map((part) => {
      const { left, up, ...fitted } = fit(this.box, direction, part.width / 2 / focal, part.height / 2 / focal);
      const isClear = part.left + part.width / 2 + focal * left >= right || part.top + part.height / 2 - focal * up >= bottom;
      // So large (m) is a pixel in the middle of the box.
      return { ...fitted, part, isClear, pixel: fitted.distance / focal };
    });
    // Where captions fill the picture, there is no better place than all of it.
    return placed.filter(({ isClear }) => isClear).reduce<Placed | null>((best, one) => (best === null || one.pixel < best.pixel ? one : best), null) ?? placed[0];
  }

  /** Lays the pictures beside or above each other. */
  private stack(isStacked: boolean): void {
    this.isStacked = isStacked;
    this.canvas.parentElement?.classList.toggle("stacked", isStacked);
  }

  /** Chooses how the pictures are laid out, and where in them the box is. */
  private frame(): void {
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    const [beside, above = beside] = [false, true].slice(0, this.sides).map((isStacked) => {
      this.stack(isStacked);
      return { ...this.place(direction), isStacked };
    });
    const best = above.pixel < 0.75 * beside.pixel ? above : beside;
    const { part, target, distance } = best;
    this.stack(best.isStacked);
    const [width, height] = this.size;
    const tan = Math.tan(THREE.MathUtils.degToRad(FOV / 2));
    this.camera.fov = THREE.MathUtils.radToDeg(2 * Math.atan((tan * part.height) / height));
    this.camera.aspect = part.width / part.height;
    this.camera.setViewOffset(part.width, part.height, -part.left, -part.top, width, height);
    this.needsDrawing = true;
    if (this.isTurned) return;
    Object.assign(this.controls, { minDistance: 0.2 * distance, maxDistance: 2.5 * distance });
    Object.assign(this.camera, { near: 0.05 * distance, far: 40 * distance });
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(target).add(this.walked);
    this.camera.position.copy(this.controls.target).addScaledVector(direction, distance);
    this.controls.update();
  }

  /** Goes along with who walks. */
  private follow(stage: Stage | null): void {
    if (stage === null || stage.walked.equals(this.walked)) return;
    const step = stage.walked.clone().sub(this.walked);
    this.walked.copy(stage.walked);
    this.controls.target.add(step);
    this.camera.position.add(step);
    this.camera.updateMatrixWorld();
  }

  /** Clears the canvas, which is to be drawn in the same turn: else it is seen empty. */
  private resize(): void {
    this.renderer.setPixelRatio(this.isStill ? 2 : Math.min(devicePixelRatio, 2) * this.sharpness);
    this.renderer.setSize(this.canvas.clientWidth, this.canvas.clientHeight, false);
    this.needsDrawing = true;
  }

  private sharpen(isStill: boolean): void {
    this.isStill = isStill;
    this.resize();
  }

  /**
   * Draws fewer pixels after ten pictures in a row that came too late, down to a quarter of them, and more after enough
   * in a row that came in time; each time twice as many, so that it does not go to and fro.
   */
  private watchSpeed(now: number, busy: number): void {
    const isLate = now - this.drawn.at > SLOW_PICTURE;
    const { late, punctual } = this.drawn;
    this.drawn = busy > SLOW_PICTURE ? { at: now, late, punctual } : { at: now, late: isLate ? late + 1 : 0, punctual: isLate ? 0 : punctual + 1 };
    if (this.drawn.late >= 10 && this.sharpness > 0.5) this.sharpness -= 0.25;
    else if (this.drawn.punctual >= this.patience && this.sharpness < 1) [this.sharpness, this.patience] = [this.sharpness + 0.25, 2 * this.patience];
    else return;
    this.drawn.late = this.drawn.punctual = 0;
    this.resize();
  }

  private draw(): void {
    const [width, height] = this.size;
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.stages.forEach((stage, index) => {
      // From below, as WebGL has it.
      const place: [number, number] = this.isStacked ? [0, (this.sides - 1 - index) * height] : [index * width, 0];
      this.renderer.setViewport(...place, width, height);
      this.renderer.setScissor(...place, width, height);
      if (stage === null) return;
      this.follow(stage);
      stage.haze(distance);
      this.renderer.render(stage.scene, this.camera);
    });
    this.needsDrawing = false;
  }
}

/**
 * Where the camera looks, and from how far, so that all corners of a box are just seen; `direction` leads from there to the
 * camera, and the picture is twice `tanX` by `tanY` at unit distance. As in `cloth-show/src/render/camera.rs`. And where the
 * leftmost and the uppermost corner are seen, from the middle of the picture at unit distance.
 */
function fit(box: THREE.Box3, direction: THREE.Vector3, tanX: number, tanY: number): { target: THREE.Vector3; distance: number; left: number; up: number } {
  const middle = box.getCenter(new THREE.Vector3());
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(middle));
  const across = new THREE.Vector3(0, 1, 0).cross(direction).normalize();
  const upward = direction.clone().cross(across);
  const along = (axis: THREE.Vector3, tan: number): [shift: number, distance: number] => {
    const greatest = (sign: number): number => Math.max(...corners.map((corner) => sign * corner.dot(axis) + tan * corner.dot(direction)));
    return [(greatest(1) - greatest(-1)) / 2, (greatest(1) + greatest(-1)) / 2 / tan];
  };
  const [shiftX, distanceX] = along(across, tanX / MARGIN);
  const [shiftY, distanceY] = along(upward, tanY / MARGIN);
  const distance = Math.max(distanceX, distanceY);
  const seen = (axis: THREE.Vector3, shift: number): number[] => corners.map((corner) => (corner.dot(axis) - shift) / (distance - corner.dot(direction)));
  return {
    target: middle.addScaledVector(across, shiftX).addScaledVector(upward, shiftY), distance,
    left: Math.min(...seen(across, shiftX)), up: Math.max(...seen(upward, shiftY)),
  };
}
