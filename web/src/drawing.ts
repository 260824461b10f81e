// What every view needs: a renderer, light, faces in red, and keys that turn the view.
import * as THREE from "three";
import type { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

/** Front and back of each cloth, one after another: those of the pictures of a report (`cloth-show/src/render/palette.rs`). */
export const CLOTHS = [
  [0x2b74ad, 0xdfae52], [0xd79a2b, 0x9db4d8], [0x3f9a5c, 0xd3b8dc], [0x8a5fb5, 0xd6d289],
  [0x2aa5a0, 0xe0bfa4], [0x9aa83a, 0xb9b3e0], [0x4c56b0, 0xa8d3a2], [0xc262a8, 0xa9d8d6],
] as const;

/** Of bodies. */
export const BODY = 0xb9b2a8;

/** An arrow key turns the view by this much (rad). */
const TURN = 0.12;

/**
 * What draws on a canvas; null without WebGL 2. Without a graphics card it takes one sample a pixel: with several, faces behind
 * the outline of a fold are drawn before it, as dark dots.
 */
export function createRenderer(canvas: HTMLCanvasElement): THREE.WebGLRenderer | null {
  const context = canvas.getContext("webgl2", { antialias: true, failIfMajorPerformanceCaveat: true }) ?? canvas.getContext("webgl2", { antialias: false });
  if (context === null) return null;
  const renderer = new THREE.WebGLRenderer({ canvas, context });
  renderer.toneMapping = THREE.ACESFilmicToneMapping;
  return renderer;
}

/**
 * Background and lights for who looks from an azimuth (degrees). The sun, which may throw shadows, stands above, to the left: folds
 * throw their shadows to the right, as in the pictures of a report.
 */
export function addLights(scene: THREE.Scene, isDark: boolean, azimuth = 0): THREE.DirectionalLight {
  scene.background = new THREE.Color(isDark ? 0x15181d : 0xeef1f5);
  scene.add(new THREE.HemisphereLight(0xffffff, isDark ? 0x30343c : 0x8a8f98, isDark ? 0.9 : 1.3));
  const sun = new THREE.DirectionalLight(0xffffff, 2.2);
  const up = new THREE.Vector3(0, 1, 0);
  sun.position.set(-2, 3.6, 2.2).applyAxisAngle(up, THREE.MathUtils.degToRad(azimuth));
  scene.add(sun);
  // From the other side, so that folds read in the shade too.
  const fill = new THREE.DirectionalLight(0xffffff, isDark ? 0.7 : 0.9);
  fill.position.set(2.5, 1.2, 1.2).applyAxisAngle(up, THREE.MathUtils.degToRad(azimuth));
  scene.add(fill);
  return sun;
}

/** A material with a colour for either side. */
export function twoSided([front, back]: readonly [front: number, back: number], options: THREE.MeshStandardMaterialParameters = {}): THREE.MeshStandardMaterial {
  const material = new THREE.MeshStandardMaterial({ color: front, side: THREE.DoubleSide, roughness: 0.85, ...options });
  material.onBeforeCompile = (shader) => {
    shader.uniforms.back = { value: new THREE.Color(back) };
    shader.fragmentShader = `uniform vec3 back;\n${shader.fragmentShader}`
      .replace("#include <color_fragment>", "#include <color_fragment>\nif (!gl_FrontFacing) diffuseColor.rgb = back;");
  };
  return material;
}

/** Faces in a colour, red if no other is given, seen through everything. */
export class Marks {
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>;

  constructor(color = 0xff1f1f) {
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({
      color, side: THREE.DoubleSide, depthTest: false, transparent: true, opacity: 0.85,
    }));
    this.mesh.renderOrder = 1;
    this.mesh.frustumCulled = false;
  }

  show(positions: Float32Array, faces: Uint32Array, marked: Uint32Array): void {
    const corners = new Float32Array(9 * marked.length);
    marked.forEach((face, k) => {
      for (let corner = 0; corner < 3; corner += 1) {
        const v = faces[3 * face + corner];
        corners.set(positions.subarray(3 * v, 3 * v + 3), 9 * k + 3 * corner);
      }
    });
    this.mesh.visible = corners.length > 0;
    if (!this.mesh.visible) return;
    this.mesh.geometry.dispose();
    this.mesh.geometry = new THREE.BufferGeometry();
    this.mesh.geometry.setAttribute("position", new THREE.BufferAttribute(corners, 3));
  }
}

/** Frees the memory of everything in a scene. */
export function disposeScene(scene: THREE.Scene): void {
  scene.traverse((object) => {
    if (object instanceof THREE.Mesh || object instanceof THREE.LineSegments) {
      object.geometry.dispose();
      for (const material of [object.material as THREE.Material | THREE.Material[]].flat()) material.dispose();
    }
    if (object instanceof THREE.DirectionalLight) object.shadow.dispose();
  });
}

/** Turns the view if the key is an arrow, and says whether it is. */
export function turnByKey(key: string, camera: THREE.Camera, controls: OrbitControls): boolean {
  const turn = { ArrowLeft: [-TURN, 0], ArrowRight: [TURN, 0], ArrowUp: [0, -TURN], ArrowDown: [0, TURN] }[key];
  if (turn === undefined) return false;
  const offset = camera.position.clone().sub(controls.target);
  const spherical = new THREE.Spherical().setFromVector3(offset);
  spherical.theta += turn[0];
  spherical.phi = THREE.MathUtils.clamp(spherical.phi + turn[1], 0.05, Math.min(controls.maxPolarAngle, Math.PI - 0.05));
  camera.position.copy(controls.target).add(new THREE.Vector3().setFromSpherical(spherical));
  controls.update();
  return true;
}
