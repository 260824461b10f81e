// The page: scenes, the count, the hand, and what can be changed while cloth moves.
import * as THREE from "three";
import type { FrameReport, SceneChoice } from "../cloth-web/pkg/cloth_web.js";
import type { Arrays, Shape } from "./protocol.js";
import { Run } from "./run.js";
import { NO_WASM, NO_WEBGL, element, hasWasm, rows } from "./dom.js";
import { type PageState, readLink, writeLink } from "./link.js";
import { type Beside, SCENES, type Scene } from "./scenes.js";
import { Stage } from "./stage.js";
import { Viewer } from "./viewer.js";

/** Slow motion shows a quarter of the speed. */
const SLOWER = 4;

const canvas = element<HTMLCanvasElement>("canvas");
const message = element("message");
const counts = [element("count-gate"), element("count-free")];
const numbers = counts.map((count) => count.querySelector("output") as HTMLOutputElement);
const inputs = {
  beside: element<HTMLSelectElement>("beside"),
  slow: element<HTMLInputElement>("slow"),
  gate: element<HTMLInputElement>("gate"),
  self: element<HTMLInputElement>("self"),
  wind: element<HTMLInputElement>("wind"),
  material: element<HTMLSelectElement>("material"),
  size: element<HTMLSelectElement>("size"),
};

/** One half of the view. */
interface Side {
  run: Run;
  stage: Stage | null;
  report: FrameReport | null;
  hash: string;
  /** Of the last frame: what its simulation took. */
  ms: number;
}

class Page {
  private sides: Side[] = [];
  private state = readLink(location.hash);
  private isPaused = false;
  private due = 0;
  /** Duration of a frame of the scene (ms). */
  private frameMs = 1000 / 60;
  private hold: { plane: THREE.Plane; pointer: number } | null = null;
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private readonly still = matchMedia("(prefers-reduced-motion: reduce)");

  constructor(private readonly viewer: Viewer) {
    this.buildScenes();
    this.listen();
    this.open();
    requestAnimationFrame((now) => this.tick(now));
  }

  /** What a test asks: frames and counts of both sides. */
  get figures(): { frames: number[]; counts: number[]; hashes: string[]; error: string } {
    return {
      frames: this.sides.map((side) => side.report?.frame ?? 0),
      counts: this.sides.map((side) => side.report?.intersections ?? 0),
      hashes: this.sides.map((side) => side.hash),
      error: message.textContent ?? "",
    };
  }

  /** Whether the scene is there. */
  get isStarted(): boolean {
    return this.sides.every((side) => side.stage !== null);
  }

  /** Where the cloth is (m): three numbers for each vertex. */
  get positions(): number[] {
    return this.sides[0].stage?.targets.flatMap((mesh) => Array.from(mesh.geometry.getAttribute("position").array)) ?? [];
  }

  /** Where the scene is seen from (m). */
  get view(): number[] {
    return this.viewer.camera.position.toArray();
  }

  private buildScenes(): void {
    for (const [name, { title }] of Object.entries(SCENES)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = title;
      button.dataset.scene = name;
      // Nothing beside it stays so; a comparison is that of the scene.
      button.addEventListener("click", () => this.change({ scene: name, slow: null, beside: this.state.beside === "nothing" ? "nothing" : null }));
      element("scenes").append(button);
    }
    // At an edge behind which there are more, the row fades.
    const row = element("scenes");
    const fade = (): void => {
      const behind = row.scrollWidth - row.clientWidth - row.scrollLeft;
      row.style.setProperty("--before", `${Math.min(48, row.scrollLeft)}px`);
      row.style.setProperty("--behind", `${Math.min(48, behind)}px`);
    };
    row.addEventListener("scroll", fade, { passive: true });
    new ResizeObserver(fade).observe(row);
  }

  private listen(): void {
    inputs.beside.addEventListener("change", () => this.change({ beside: inputs.beside.value as Beside }, true));
    inputs.slow.addEventListener("change", () => this.change({ slow: inputs.slow.checked }));
    inputs.gate.addEventListener("change", () => this.change({ gate: inputs.gate.checked }, true));
    inputs.self.addEventListener("change", () => this.change({ self: inputs.self.checked }, true));
    inputs.size.addEventListener("change", () => this.change({ size: inputs.size.value as PageState["size"] }, true));
    inputs.material.addEventListener("change", () => this.change({ material: inputs.material.value as PageState["material"] }, inputs.material.value === ""));
    inputs.wind.addEventListener("input", () => this.change({ wind: inputs.wind.valueAsNumber }));
    element("pause").addEventListener("click", () => this.pause(!this.isPaused));
    element("one").addEventListener("click", () => this.one());
    element("restart").addEventListener("click", () => this.restart());
    element("link").addEventListener("click", () => void this.copyLink());
    window.addEventListener("hashchange", () => {
      this.state = readLink(location.hash);
      this.open();
    });
    window.addEventListener("keydown", (event) => this.key(event));
    this.dark.addEventListener("change", () => this.restart());
    canvas.addEventListener("pointerdown", (event) => this.grab(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"] as const) canvas.addEventListener(end, (event) => this.release(event));
    canvas.addEventListener("webglcontextlost", () => this.say("The graphics card was taken away. Load the page again."));
  }

  private get scene(): Scene {
    return SCENES[this.state.scene];
  }

  /** What is seen beside it. */
  private get beside(): Beside {
    return this.state.beside ?? this.scene.beside;
  }

  private get isSlow(): boolean {
    return this.state.slow ?? this.scene.waits !== undefined;
  }

  /** What is left and right, from left to right. */
  private get choices(): { gate: boolean; selfCollision: boolean }[] {
    const { gate, self } = this.state;
    switch (this.beside) {
      case "nothing":
        return [{ gate, selfCollision: self }];
      case "gate":
        return [{ gate: true, selfCollision: self }, { gate: false, selfCollision: self }];
      case "self":
        return [{ gate: true, selfCollision: self }, { gate: false, selfCollision: false }];
    }
  }

  /** Opens a scene: paused, where it waits or the device asks for it. */
  private open(): void {
    const { waits } = this.scene;
    this.isPaused = waits !== undefined || this.still.matches;
    this.showState();
    this.restart();
    if (waits !== undefined) this.say(waits);
    else if (this.isPaused) this.say("Paused, because this device asks for reduced motion. Press Space to play.");
  }

  private change(changed: Partial<PageState>, restarts = false): void {
    this.state = { ...this.state, ...changed };
    history.replaceState(null, "", writeLink(this.state));
    if (changed.scene !== undefined) return this.open();
    this.showState();
    if (restarts) return this.restart();
    for (const { run } of this.sides) {
      if (typeof changed.wind === "number") run.send({ kind: "wind", velocity: [changed.wind, 0, 0] });
      if (changed.material) run.send({ kind: "material", name: changed.material });
    }
  }

  private showState(): void {
    const { scene, gate, self, material, size, wind } = this.state;
    for (const button of element("scenes").querySelectorAll("button")) {
      const isShown = button.dataset.scene === scene;
      button.setAttribute("aria-pressed", String(isShown));
      if (isShown) element("scenes").scrollTo({ left: button.offsetLeft + button.offsetWidth / 2 - innerWidth / 2 });
    }
    const isCompared = this.beside !== "nothing";
    inputs.beside.value = this.beside;
    Object.assign(inputs.slow, { checked: this.isSlow });
    Object.assign(inputs.gate, { checked: gate, disabled: isCompared });
    Object.assign(inputs.self, { checked: self });
    inputs.material.value = material;
    inputs.size.value = size;
    inputs.wind.value = String(wind ?? 0);
    element("wind-value").textContent = wind === null ? "as the scene has it" : `${wind} m/s`;
    element("pause").textContent = this.isPaused ? "Play" : "Pause";
    element("views").classList.toggle("compared", isCompared);
    counts[1].hidden = !isCompared;
    this.choices.forEach((choice, index) => {
      counts[index].setAttribute("aria-label", label(choice));
      (counts[index].querySelector(".which") as HTMLElement).textContent = label(choice);
    });
  }

  private restart(): void {
    for (const side of this.sides) {
      side.run.end();
      side.stage?.dispose();
    }
    this.hold = null;
    if (!this.isPaused) this.say("");
    const { scene, material, size, wind } = this.state;
    const choice: SceneChoice = { size, material: material === "" ? null : material, wind: wind === null ? null : [wind, 0, 0] };
    this.sides = this.choices.map((own, index) => {
      const side: Partial<Side> = { stage: null, report: null, hash: "", ms: 0 };
      side.run = new Run(scene, { ...choice, ...own }, {
        onStart: (shape, state, report) => this.start(side as Side, index, shape, state, report),
        onFrame: (state, report, hash, ms) => this.frame(side as Side, index, state, report, hash, ms),
        onError: (text) => this.say(text),
      });
      return side as Side;
    });
    this.viewer.stages = this.sides.map(() => null);
  }

  private start(side: Side, index: number, shape: Shape, state: Arrays, report: FrameReport): void {
    const box = new THREE.Box3(...this.scene.box.map((corner) => new THREE.Vector3(...corner)));
    side.stage = new Stage(shape, state, this.dark.matches, box);
    side.report = report;
    this.count(index, report);
    this.frameMs = 1000 * shape.layout.dt;
    this.viewer.stages[index] = side.stage;
    if (index === 0) this.viewer.lookAt(box, shape.layout.view);
    this.viewer.needsDrawing = true;
  }

  private frame(side: Side, index: number, state: Arrays, report: FrameReport, hash: string, ms: number): void {
    side.report = report;
    side.hash = hash;
    side.ms = ms;
    side.stage?.show(state);
    this.count(index, report);
    if (index === 0) this.times(report, ms);
    this.viewer.needsDrawing = true;
  }

  private count(index: number, report: FrameReport): void {
    const text = report.intersections.toLocaleString("en");
    if (numbers[index].textContent !== text) numbers[index].textContent = text;
    numbers[index].classList.toggle("bad", report.intersections > 0);
  }

  private times(report: FrameReport, ms: number): void {
    if (!element<HTMLDetailsElement>("settings").open) return;
    element("times").replaceChildren(...rows([
      ["frame", String(report.frame)],
      ["whole", `${ms.toFixed(1)} ms`],
      ...Object.entries(report.stages).map(([name, time]) => [name, `${time.toFixed(1)} ms`] as [string, string]),
      ["contacts", report.contacts.toLocaleString("en")],
    ]));
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    if (!this.isPaused && now >= this.due && this.sides.every((side) => side.run.isReady)) {
      const dt = this.frameMs;
      // Late frames are not caught up with.
      this.due = Math.max(this.due, now - dt) + dt * (this.isSlow ? SLOWER : 1);
      for (const { run } of this.sides) run.step();
    }
    this.viewer.update(now, Math.max(...this.sides.map((side) => side.ms)));
  }

  private pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.say("");
    this.showState();
  }

  /** Simulates one frame, and stands still. */
  one(): void {
    this.pause(true);
    for (const { run } of this.sides) run.step();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isControl = event.target instanceof HTMLElement && event.target.matches("button, input, select, summary");
    if (isControl && ![".", "r", "R"].includes(event.key)) return;
    if (event.key === " ") this.pause(!this.isPaused);
    else if (event.key === ".") this.one();
    else if (event.key === "r" || event.key === "R") this.restart();
    else if (!this.viewer.turn(event.key)) return;
    event.preventDefault();
  }

  private grab(event: PointerEvent): void {
    if (event.button !== 0 || this.hold !== null) return;
    const { ray, side } = this.viewer.ray(event);
    const hit = ray.intersectObjects(this.sides[side]?.stage?.targets ?? [], false)[0];
    if (hit === undefined) return;
    // The hand moves in the plane through the cloth that faces the viewer.
    const normal = this.viewer.camera.getWorldDirection(new THREE.Vector3());
    this.hold = { plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, hit.point), pointer: event.pointerId };
    event.stopImmediatePropagation();
    canvas.setPointerCapture(event.pointerId);
    const [origin, direction] = [ray.ray.origin.toArray(), ray.ray.direction.toArray()];
    for (const { run } of this.sides) run.send({ kind: "grab", origin, direction });
    if (this.isPaused) this.pause(false);
  }

  private drag(event: PointerEvent): void {
    if (this.hold?.pointer !== event.pointerId) return;
    const at = this.viewer.ray(event).ray.ray.intersectPlane(this.hold.plane, new THREE.Vector3());
    if (at === null) return;
    for (const { run } of this.sides) run.send({ kind: "drag", target: at.toArray() });
  }

  private release(event: PointerEvent): void {
    if (this.hold?.pointer !== event.pointerId) return;
    this.hold = null;
    for (const { run } of this.sides) run.send({ kind: "release" });
  }

  private async copyLink(): Promise<void> {
    const link = new URL(writeLink(this.state), location.href).href;
    try {
      await navigator.clipboard.writeText(link);
      this.say("The link is copied: it restores scene and settings.");
    } catch {
      this.say(link);
    }
  }

  private say(text: string): void {
    message.textContent = text;
  }
}

/**
 * What a run has and lacks, behind "intersections". Without self-collision there is no gate either, but where
 * it stands alone.
 */
function label({ gate, selfCollision }: { gate: boolean; selfCollision: boolean }): string {
  if (selfCollision) return gate ? "with the gate" : "without the gate";
  return gate ? "with the gate alone" : "without self-collision";
}

const viewer = Viewer.create(canvas);
if (!hasWasm()) {
  message.textContent = NO_WASM;
} else if (viewer === null) {
  message.textContent = NO_WEBGL;
} else {
  Object.assign(globalThis, { page: new Page(viewer) });
}
