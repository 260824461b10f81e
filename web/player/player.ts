// Plays the recorded runs of a report: one alone, or two side by side.
import * as THREE from "three";
import palette from "../../cloth-show/assets/palette.css";
import { NO_WEBGL, rows } from "../src/dom.js";
import { Stage, middle } from "../src/stage.js";
import style from "../src/style.css";
import { Viewer } from "../src/viewer.js";
import { Film, type Recording } from "./film.js";
import ownStyle from "./player.css";
import { Timeline } from "./timeline.js";

/** What the data beside the page says. */
interface Played {
  title: string;
  back: string | null;
  runs: Recording[];
}

const SPEEDS: [name: string, factor: number][] = [["full speed", 1], ["half", 0.5], ["a quarter", 0.25], ["an eighth", 0.125]];

/** One half of the view. */
interface Side {
  film: Film;
  stage: Stage;
  number: HTMLOutputElement;
}

class Player {
  private readonly films = new Map<Recording, Promise<Film>>();
  private sides: Side[] = [];
  private index = 0;
  private isPaused = matchMedia("(prefers-reduced-motion: reduce)").matches;
  private speed = 1;
  /** The time (s) that is shown; between two states, the earlier one is seen. */
  private time = 0;
  private lastTick = 0;
  private isReady = false;
  private readonly dark = matchMedia("(prefers-color-scheme: dark)");
  private readonly views = element("div", { id: "views" });
  private readonly pauseButton = element("button", { type: "button" });
  private readonly slider = element("input", { type: "range", min: "0", step: "1", value: "0" });
  private readonly beside = element("select", {});
  private readonly place = element("span", {});
  private readonly stages = element("dl", { className: "stages" });
  private readonly message: HTMLElement;
  private readonly timeline: Timeline;

  constructor(private readonly played: Played, private readonly viewer: Viewer, message: HTMLElement) {
    this.message = message;
    const [main] = played.runs;
    this.timeline = new Timeline(played.runs, (frame) => this.seek(this.sides[0]?.film.stateAt(this.timeOfFrame(frame)) ?? 0));
    this.slider.max = String(main.frames.length - 1);
    this.slider.setAttribute("aria-label", "State");
    this.slider.addEventListener("input", () => this.seek(this.slider.valueAsNumber));
    this.pauseButton.addEventListener("click", () => this.pause(!this.isPaused));
    const speed = element("select", {});
    speed.append(...SPEEDS.map(([name, factor]) => element("option", { textContent: name, value: String(factor) })));
    speed.addEventListener("change", () => (this.speed = Number(speed.value)));
    this.beside.append(element("option", { textContent: "nothing", value: "0" }), ...played.runs.slice(1).map((run, k) => element("option", { textContent: run.label, value: String(k + 1) })));
    // The difference is what there is to see.
    this.beside.value = played.runs.length > 1 ? "1" : "0";
    this.beside.addEventListener("change", () => void this.open());
    const step = (text: string, label: string, by: number): HTMLElement => {
      const button = element("button", { type: "button", textContent: text });
      button.setAttribute("aria-label", label);
      button.addEventListener("click", () => this.step(by));
      return button;
    };
    const header = element("header", {});
    header.append(element("h1", { textContent: played.title }));
    const about = element("p", {});
    about.append(...(played.back === null ? [] : [element("a", { href: played.back, textContent: "Back to the report" }), " "]),
      "Red faces intersect; every frame is counted exactly.");
    header.append(about);
    const body = element("main", {});
    this.views.append(viewer.canvas, message);
    body.append(this.views);
    const buttons = element("div", { className: "buttons" });
    const labelled = (text: string, control: HTMLElement): HTMLElement => {
      const label = element("label", { textContent: `${text} ` });
      label.append(control);
      return label;
    };
    buttons.append(this.pauseButton, step("\u2039", "One state back", -1), step("\u203a", "One state on", 1), labelled("Speed", speed));
    if (played.runs.length > 1) buttons.append(labelled("Beside it", this.beside));
    buttons.append(this.place);
    const footer = element("footer", {});
    footer.append(this.timeline.element, this.slider, buttons, this.stages);
    document.body.append(header, body, footer);
    window.addEventListener("keydown", (event) => this.key(event));
    this.dark.addEventListener("change", () => void this.open());
    this.showPause();
    void this.open();
    requestAnimationFrame((now) => this.tick(now));
  }

  /** What a test asks. */
  get figures(): { state: number; frame: number; counts: number[]; isReady: boolean; error: string } {
    return {
      state: this.index, frame: this.played.runs[0].frames[this.index], isReady: this.isReady,
      counts: this.sides.map(({ number }) => Number(number.dataset.count)), error: this.message.textContent ?? "",
    };
  }

  /** Unpacks the runs that are chosen, and shows them. */
  private async open(): Promise<void> {
    const other = this.played.runs[Number(this.beside.value)];
    const runs = other === this.played.runs[0] ? [other] : [this.played.runs[0], other];
    this.isReady = false;
    let films: Film[];
    try {
      films = await Promise.all(runs.map((run) => this.film(run)));
    } catch (error) {
      this.message.textContent = `The recording cannot be unpacked: ${error instanceof Error ? error.message : String(error)}. Make the report again.`;
      return;
    }
    const before = this.sides.length;
    const bounds = reach(films[0]);
    for (const { stage, number } of this.sides) {
      stage.dispose();
      number.parentElement?.remove();
    }
    this.views.classList.toggle("compared", films.length > 1);
    this.sides = films.map((film, side) => {
      const count = element("section", { className: "count", id: side === 0 ? "count-gate" : "count-free" });
      count.setAttribute("aria-label", film.recording.label);
      const number = element("output", { className: "number" });
      count.append(number, element("p", { textContent: `intersections, ${film.recording.label}` }));
      this.views.append(count);
      return { film, stage: new Stage(film.shape, film.state(0), this.dark.matches, bounds), number };
    });
    this.viewer.stages = this.sides.map(({ stage }) => stage);
    this.isReady = true;
    this.show();
    if (before !== this.sides.length) this.viewer.lookAt(bounds, before === 0 ? films[0].recording.layout.view : null);
  }

  private film(run: Recording): Promise<Film> {
    const film = this.films.get(run) ?? Film.unpack(run);
    this.films.set(run, film);
    return film;
  }

  private timeOfFrame(frame: number): number {
    const { frames, times } = this.played.runs[0];
    const later = frames.findIndex((own) => own >= frame);
    return times[later < 0 ? times.length - 1 : later];
  }

  private seek(index: number): void {
    const { times } = this.played.runs[0];
    this.index = Math.max(0, Math.min(times.length - 1, index));
    this.time = times[this.index];
    this.show();
  }

  private step(by: number): void {
    this.pause(true);
    this.seek(this.index + by);
  }

  private show(): void {
    if (!this.isReady) return;
    const [main] = this.played.runs;
    const frame = main.frames[this.index];
    this.slider.value = String(this.index);
    this.slider.setAttribute("aria-valuetext", `frame ${frame}`);
    this.sides.forEach(({ film, stage, number }, side) => {
      const own = side === 0 ? this.index : film.stateAt(this.time);
      stage.show(film.state(own));
      const count = film.recording.intersections[film.recording.frames[own]];
      number.textContent = count.toLocaleString("en");
      number.dataset.count = String(count);
      number.classList.toggle("bad", count > 0);
    });
    // Frames between two states are not shown, and their cuts with the next one.
    const isCut = main.cuts.some((cut) => cut.frame <= frame && cut.frame > (main.frames[this.index - 1] ?? 0));
    this.place.textContent = `Frame ${frame} of ${main.intersections.length - 1}, ${this.time.toFixed(2)} s${isCut ? ", teleported" : ""}`;
    this.timeline.show(frame);
    this.showTimes(main, frame);
    this.viewer.needsDrawing = true;
  }

  private showTimes({ stages, stageMs }: Recording, frame: number): void {
    const times = stageMs[frame - 1];
    const all = rows(stages.map((name, stage) => [name, times === undefined ? "-" : `${times[stage].toFixed(2)} ms`]));
    all.forEach((row, stage) => row.style.setProperty("--color", `var(--stage-${stages[stage]})`));
    this.stages.replaceChildren(...all);
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next));
    // After a pause of the page it goes on where it was.
    const passed = Math.min(0.1, (now - this.lastTick) / 1000);
    this.lastTick = now;
    const { times } = this.played.runs[0];
    if (!this.isPaused && this.isReady) {
      this.time += passed * this.speed;
      // A second of rest at the end, then again from the start.
      if (this.time > times[times.length - 1] + 1) this.time = 0;
      const index = this.sides[0].film.stateAt(this.time);
      if (index !== this.index) {
        this.index = index;
        this.show();
      }
    }
    this.viewer.update(now);
  }

  private pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.showPause();
  }

  private showPause(): void {
    this.pauseButton.textContent = this.isPaused ? "Play" : "Pause";
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isControl = event.target instanceof HTMLElement && event.target.matches("a, button, input, select");
    if (event.key === ".") this.step(1);
    else if (event.key === ",") this.step(-1);
    else if (isControl) return;
    else if (event.key === " ") this.pause(!this.isPaused);
    else if (event.key === "Home") this.seek(0);
    else if (event.key === "End") this.seek(Infinity);
    else if (!this.viewer.turn(event.key)) return;
    event.preventDefault();
  }
}

/** Around all that a run shows (m), as who walks sees it. */
function reach(film: Film): THREE.Box3 {
  const bounds = new THREE.Box3();
  const point = new THREE.Vector3();
  const start = middle(film.state(0).skin);
  for (let state = 0; state < film.count; state += Math.max(1, Math.floor(film.count / 24))) {
    const { positions, skin, poses } = film.state(state);
    const walked = middle(skin).sub(start).setY(0);
    film.shape.layout.colliders.forEach(({ kind }, k) => {
      if (kind !== "plane") bounds.expandByPoint(point.fromArray(poses, 7 * k).sub(walked));
    });
    for (const places of [positions, skin]) {
      for (let k = 0; k < places.length; k += 3) bounds.expandByPoint(point.fromArray(places, k).sub(walked));
    }
  }
  return bounds;
}

function element<K extends keyof HTMLElementTagNameMap>(name: K, properties: Partial<HTMLElementTagNameMap[K]>): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(name), properties);
}

const sheet = element("style", { textContent: palette + style + ownStyle });
document.head.append(sheet);
const message = element("p", { id: "message" });
message.setAttribute("role", "status");
const played = (globalThis as { clothRecording?: Played }).clothRecording;
const canvas = element("canvas", { tabIndex: 0 });
canvas.setAttribute("aria-label", "The run. Drag to turn the view; arrow keys turn it too.");
const viewer = played === undefined ? null : Viewer.create(canvas);
if (played === undefined) {
  message.textContent = "The data of this page is missing: the script of the same name has to be in the same folder.";
  document.body.append(message);
} else if (typeof DecompressionStream !== "function") {
  message.textContent = "This browser cannot unpack recordings: Chrome and Edge can from 80 on, Firefox from 113, Safari from 16.4.";
  document.body.append(message);
} else if (viewer === null) {
  message.textContent = NO_WEBGL;
  document.body.append(message);
} else {
  Object.assign(globalThis, { player: new Player(played, viewer, message) });
}
