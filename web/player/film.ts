// Unpacks a recording into states. What the bytes are is described in `cloth-show/src/recording/packer.rs`.
import type { Layout } from "../cloth-web/pkg/cloth_web.js";
import type { Arrays, Shape } from "../src/protocol.js";

/** A recorded run, as a report has it. */
export interface Recording {
  label: string;
  layout: Layout;
  /** Vertices of the surfaces of bodies. */
  surfaceVertices: number;
  /** Faces of the cloths, and of the surfaces. */
  faces: [number, number];
  /** A step of a coordinate (m). */
  step: number;
  /** The frame of each state, 0 for the start, and its time (s). */
  frames: number[];
  times: number[];
  /** Intersections at the start and after each frame. */
  intersections: number[];
  /** The cloths that were teleported at the start of a frame. */
  cuts: { frame: number; cloth: number; name?: string; metres: number | null; degrees: number | null }[];
  stages: string[];
  /** Of each frame, the time of each stage (ms). */
  stageMs: number[][];
  /** The states, compressed, in base64. */
  data: string;
}

/** From so many states to the next they are unpacked one by one; where they begin is kept. */
const STRIDE = 32;

/** What a state is unpacked from: itself, the one before, and where the next one begins. */
interface Reached {
  next: number;
  steps: Int32Array;
  before: Int32Array;
  poses: Uint32Array;
  marks: Uint8Array;
}

/** The states of a run, any of which can be shown. */
export class Film {
  readonly shape: Shape;
  private readonly kept: Reached[] = [];
  private reached: Reached;
  private at = 0;
  private readonly vertices: number;

  private constructor(readonly recording: Recording, private readonly bytes: Uint8Array) {
    const { layout, surfaceVertices, faces: [cloth, surface] } = recording;
    this.vertices = layout.vertices + surfaceVertices;
    const corners = new Uint32Array(3 * (cloth + surface));
    join(bytes, 0, corners);
    for (let k = 1; k < corners.length; k += 1) corners[k] += corners[k - 1];
    this.shape = { layout, faces: corners.subarray(0, 3 * cloth), skinFaces: corners.subarray(3 * cloth) };
    this.reached = {
      next: 12 * (cloth + surface),
      steps: new Int32Array(3 * this.vertices), before: new Int32Array(3 * this.vertices),
      poses: new Uint32Array(7 * layout.colliders.length), marks: new Uint8Array(Math.ceil(cloth / 8)),
    };
    this.unpackNext(0);
    this.keep();
  }

  static async unpack(recording: Recording): Promise<Film> {
    const packed = Uint8Array.from(atob(recording.data), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Film(recording, new Uint8Array(await new Response(stream).arrayBuffer()));
  }

  /** How many states there are. */
  get count(): number {
    return this.recording.frames.length;
  }

  /** The last state that is not after a time (s). */
  stateAt(time: number): number {
    const later = this.recording.times.findIndex((own) => own > time + 1e-6);
    return later < 0 ? this.count - 1 : Math.max(0, later - 1);
  }

  /** A state, with the normals of the cloths. */
  state(index: number): Arrays {
    this.seek(index);
    const { steps, poses, marks } = this.reached;
    const [cloth, all] = [this.recording.layout.vertices, this.vertices];
    const place = (first: number, count: number): Float32Array => {
      const numbers = new Float32Array(3 * count);
      for (let v = 0; v < count; v += 1) {
        for (let axis = 0; axis < 3; axis += 1) numbers[3 * v + axis] = steps[axis * all + first + v] * this.recording.step;
      }
      return numbers;
    };
    const positions = place(0, cloth);
    const marked: number[] = [];
    marks.forEach((byte, k) => {
      for (let bit = 0; byte >> bit > 0; bit += 1) if ((byte >> bit) & 1) marked.push(8 * k + bit);
    });
    return {
      positions, normals: normals(positions, this.shape.faces), poses: new Float32Array(poses.buffer.slice(0)),
      skin: place(cloth, all - cloth), marked: Uint32Array.from(marked),
    };
  }

  private seek(index: number): void {
    const from = Math.min(Math.floor(index / STRIDE), this.kept.length - 1);
    if (index < this.at || from * STRIDE > this.at) {
      this.reached = copy(this.kept[from]);
      this.at = from * STRIDE;
    }
    while (this.at < index) {
      this.at += 1;
      this.unpackNext(this.at);
      if (this.at === this.kept.length * STRIDE) this.keep();
    }
  }

  private keep(): void {
    this.kept.push(copy(this.reached));
  }

  /** Unpacks a state; the one before it is reached. */
  private unpackNext(index: number): void {
    const { steps, before, poses, marks } = this.reached;
    const count = steps.length;
    let at = this.reached.next;
    const order = index === 0 ? 3 : this.bytes[at];
    if (index > 0) at += 1;
    if (order === 3) {
      join(this.bytes, at, steps);
      before.set(steps);
      at += 4 * count;
    } else {
      for (let k = 0; k < count; k += 1) {
        const zigzag = this.bytes[at + k] | (this.bytes[at + count + k] << 8);
        const residual = (zigzag >>> 1) ^ -(zigzag & 1);
        const now = steps[k];
        steps[k] = now + (order === 2 ? now - before[k] : 0) + residual;
        before[k] = now;
      }
      at += 2 * count;
    }
    const changed = new Uint32Array(poses.length);
    join(this.bytes, at, changed);
    changed.forEach((bits, k) => (poses[k] ^= bits));
    at += 4 * poses.length;
    for (let k = 0; k < marks.length; k += 1) marks[k] ^= this.bytes[at + k];
    this.reached.next = at + marks.length;
  }
}

function copy({ next, steps, before, poses, marks }: Reached): Reached {
  return { next, steps: steps.slice(), before: before.slice(), poses: poses.slice(), marks: marks.slice() };
}

/** Joins numbers of four bytes that stand in planes, the lowest bytes first. */
function join(bytes: Uint8Array, at: number, numbers: Int32Array | Uint32Array): void {
  const count = numbers.length;
  for (let k = 0; k < count; k += 1) {
    numbers[k] = bytes[at + k] | (bytes[at + count + k] << 8) | (bytes[at + 2 * count + k] << 16) | (bytes[at + 3 * count + k] << 24);
  }
}

/** Unit normals of vertices, by the areas of their faces. */
function normals(positions: Float32Array, faces: Uint32Array): Float32Array {
  const sums = new Float32Array(positions.length);
  for (let f = 0; f < faces.length; f += 3) {
    const [a, b, c] = [3 * faces[f], 3 * faces[f + 1], 3 * faces[f + 2]];
    const [ux, uy, uz] = [positions[b] - positions[a], positions[b + 1] - positions[a + 1], positions[b + 2] - positions[a + 2]];
    const [vx, vy, vz] = [positions[c] - positions[a], positions[c + 1] - positions[a + 1], positions[c + 2] - positions[a + 2]];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const v of [a, b, c]) {
      sums[v] += x;
      sums[v + 1] += y;
      sums[v + 2] += z;
    }
  }
  for (let v = 0; v < sums.length; v += 3) {
    const length = Math.hypot(sums[v], sums[v + 1], sums[v + 2]) || 1;
    for (let axis = 0; axis < 3; axis += 1) sums[v + axis] /= length;
  }
  return sums;
}
