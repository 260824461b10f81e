// Compares the GLB of `sway_glb` as three.js plays it with the positions that were written; see README.md
// next to this file.

import fs from "node:fs";
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const RATE = 60;
const GARMENT_TOLERANCE = 1e-4; // m
const SKIN_TOLERANCE = 1e-4; // of the height
globalThis.self ??= globalThis;

/** Frames of a PC2 cache, each a Float32Array; none if there is no file. */
function readPc2(path) {
  if (!fs.existsSync(path)) return [];
  const data = fs.readFileSync(path);
  const points = data.readInt32LE(16);
  const count = data.readInt32LE(28);
  const floats = new Float32Array(data.buffer.slice(data.byteOffset + 32, data.byteOffset + 32 + 12 * points * count));
  return Array.from({ length: count }, (_, k) => floats.subarray(3 * points * k, 3 * points * (k + 1)));
}

/** World positions of all vertices of meshes, with morph targets and bones. */
function worldPositions(meshes) {
  const all = [];
  const p = new THREE.Vector3();
  for (const mesh of meshes) {
    for (let i = 0; i < mesh.geometry.attributes.position.count; i++) {
      mesh.getVertexPosition(i, p).applyMatrix4(mesh.matrixWorld);
      all.push(p.x, p.y, p.z);
    }
  }
  return all;
}

const largest = (a, b) => {
  if (a.length !== b.length) return Infinity;
  let worst = 0;
  for (let i = 0; i < a.length; i += 3) worst = Math.max(worst, Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]));
  return worst;
};

/** Largest errors of garment (m) and skin (share of the height) over five frames. */
async function compare(prefix) {
  const data = fs.readFileSync(`${prefix}.glb`);
  const gltf = await new GLTFLoader().parseAsync(data.buffer.slice(data.byteOffset, data.byteOffset + data.length), "");
  const [garments, skins] = [readPc2(`${prefix}.garment.pc2`), readPc2(`${prefix}.skin.pc2`)];
  const meshes = [];
  gltf.scene.traverse((object) => object.isMesh && meshes.push(object));
  const garment = meshes.filter((mesh) => mesh.name === "garment");
  // In the order of the file.
  const index = (mesh) => { const a = gltf.parser.associations.get(mesh); return gltf.parser.json.nodes.findIndex((n) => n.mesh === a.meshes) * 1e4 + (a.primitives ?? 0); };
  const body = meshes.filter((mesh) => mesh.name !== "garment").sort((a, b) => index(a) - index(b));
  const mixer = new THREE.AnimationMixer(gltf.scene);
  gltf.animations.forEach((clip) => mixer.clipAction(clip).setLoop(THREE.LoopOnce).play().clampWhenFinished = true);
  const worst = [0, 0];
  for (let n = 0; n < 5; n++) {
    const frame = Math.floor(((garments.length - 1) * n) / 4);
    mixer.setTime(frame / RATE);
    gltf.scene.updateMatrixWorld(true);
    meshes.forEach((mesh) => mesh.skeleton?.update());
    worst[0] = Math.max(worst[0], largest(worldPositions(garment), garments[frame]));
    if (skins.length === 0) continue;
    const heights = skins[frame].filter((_, i) => i % 3 === 1);
    const height = heights.reduce((a, b) => Math.max(a, b)) - heights.reduce((a, b) => Math.min(a, b));
    worst[1] = Math.max(worst[1], largest(worldPositions(body), skins[frame]) / height);
  }
  const clips = gltf.animations.map((clip) => `${clip.name} (${clip.tracks.length} tracks)`).join(", ");
  console.log(`${prefix.split("/").pop()}: ${clips}, garment ${worst[0].toExponential(1)} m, skin ${worst[1].toExponential(1)} of the height`);
  return worst[0] <= GARMENT_TOLERANCE && worst[1] <= SKIN_TOLERANCE;
}

let good = true;
for (const prefix of process.argv.slice(2)) good = (await compare(prefix)) && good;
process.exit(good ? 0 : 1);
