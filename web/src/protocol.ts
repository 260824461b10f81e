// What the page and a worker say to each other.
import type { FrameReport, Layout, SceneChoice } from "../cloth-web/pkg/cloth_web.js";

/** To a worker. Answers come in the order of the requests. */
export type Request =
  | { kind: "start"; scene: string; choice: SceneChoice }
  /** One frame; `room` are the arrays of an earlier answer, to be filled again. */
  | { kind: "step"; room: Arrays | null }
  | { kind: "grab"; origin: number[]; direction: number[] }
  | { kind: "drag"; target: number[] }
  | { kind: "release" }
  | { kind: "wind"; velocity: number[] }
  | { kind: "material"; name: string };

/** Numbers of a state, three a vertex; poses have seven a collider. */
export interface Arrays {
  positions: Float32Array;
  normals: Float32Array;
  poses: Float32Array;
  skin: Float32Array;
  /** The faces that intersect anything. */
  marked: Uint32Array;
}

/** What does not change while a scene runs. */
export interface Shape {
  layout: Layout;
  faces: Uint32Array;
  skinFaces: Uint32Array;
}

/** From a worker. */
export type Answer =
  | { kind: "ready"; shape: Shape; state: Arrays; report: FrameReport }
  | { kind: "frame"; state: Arrays; report: FrameReport; hash: string; ms: number }
  | { kind: "error"; message: string };
