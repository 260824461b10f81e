// One scene in a worker of its own: asks for frames, and shows what comes.
import type { FrameReport, SceneChoice } from "../cloth-web/pkg/cloth_web.js";
import type { Answer, Arrays, Request, Shape } from "./protocol.js";

/** What becomes of a run. */
export interface RunEvents {
  onStart(shape: Shape, state: Arrays, report: FrameReport): void;
  onFrame(state: Arrays, report: FrameReport, hash: string, ms: number): void;
  onError(message: string): void;
}

/** A worker that was started before the page was there (`first.ts`). */
export interface EarlyWorker { worker: Worker; hasFailed: boolean }

/** That worker, once; else a new one, which says by itself what is wrong. */
function takeWorker(): Worker {
  const scope = globalThis as { early?: EarlyWorker };
  const early = scope.early;
  delete scope.early;
  return early === undefined || early.hasFailed ? new Worker("worker.js", { type: "module" }) : early.worker;
}

export class Run {
  private readonly worker = takeWorker();
  private room: Arrays | null = null;
  private shown: Arrays | null = null;
  /** Whether a frame has been asked for that has not come. */
  private waits = true;

  constructor(scene: string, choice: SceneChoice, private readonly events: RunEvents) {
    this.worker.onmessage = (event: MessageEvent<Answer>) => this.receive(event.data);
    this.worker.onerror = (event) => events.onError(event.message || "the worker could not be started");
    this.send({ kind: "start", scene, choice });
  }

  /** Whether the next frame can be asked for. */
  get isReady(): boolean {
    return !this.waits;
  }

  step(): void {
    if (this.waits) return;
    this.waits = true;
    const room = this.room;
    this.room = null;
    const buffers = room === null ? [] : [room.positions, room.normals, room.poses, room.skin, room.marked].map((a) => a.buffer);
    this.worker.postMessage({ kind: "step", room } satisfies Request, buffers);
  }

  send(request: Request): void {
    this.worker.postMessage(request);
  }

  end(): void {
    this.worker.terminate();
  }

  private receive(answer: Answer): void {
    switch (answer.kind) {
      case "error":
        return this.events.onError(answer.message);
      case "ready":
        this.waits = false;
        this.shown = answer.state;
        return this.events.onStart(answer.shape, answer.state, answer.report);
      case "frame":
        this.waits = false;
        this.events.onFrame(answer.state, answer.report, answer.hash, answer.ms);
        // The arrays of the frame before are free for the next one.
        this.room = this.shown;
        this.shown = answer.state;
    }
  }
}
