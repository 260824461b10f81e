// Draws what happened in every frame: where each run intersects, and where its time went.
import type { Recording } from "./film.js";

/** Height (CSS pixels) of the strip of a run, and of the times. */
const STRIP = 22;
const TIMES = 56;

export class Timeline {
  private readonly canvas = document.createElement("canvas");
  private at = 0;
  readonly element = document.createElement("div");

  /** Runs in the order of their strips; the times are those of the first. `onSeek` gets a frame of the first. */
  constructor(private readonly runs: Recording[], onSeek: (frame: number) => void) {
    this.element.className = "timeline";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", runs.map(inWords).join(" "));
    const labels = document.createElement("div");
    labels.className = "labels";
    labels.append(...[...runs.map((run) => run.label), `up to ${this.greatest.toFixed(this.greatest < 10 ? 1 : 0)} ms a frame`].map((text) => {
      const label = document.createElement("span");
      label.textContent = text;
      return label;
    }));
    this.element.append(labels, this.canvas);
    const seek = (event: PointerEvent): void => {
      const box = this.canvas.getBoundingClientRect();
      onSeek(Math.round(((event.clientX - box.left) / box.width) * this.last));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener("pointermove", (event) => event.buttons > 0 && seek(event));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  /** Moves the line to a frame. */
  show(frame: number): void {
    this.at = frame;
    this.draw();
  }

  /** The last frame of the first run. */
  private get last(): number {
    return Math.max(1, this.runs[0].intersections.length - 1);
  }

  /** The longest frame (ms), but for one in a hundred. */
  private get greatest(): number {
    const totals = this.runs[0].stageMs.map(total).sort((a, b) => a - b);
    return Math.max(1e-3, totals[Math.floor(0.99 * (totals.length - 1))] ?? 0);
  }

  private draw(): void {
    const height = this.runs.length * STRIP + TIMES;
    const width = this.canvas.clientWidth;
    const context = this.canvas.getContext("2d");
    if (context === null || width === 0) return;
    const ratio = Math.min(devicePixelRatio, 2);
    Object.assign(this.canvas, { width: width * ratio, height: height * ratio });
    this.canvas.style.height = `${height}px`;
    context.scale(ratio, ratio);
    const style = getComputedStyle(this.element);
    const color = (name: string): string => style.getPropertyValue(name);
    const x = (frame: number): number => (frame / this.last) * width;
    // Columns of pixels: where frames outnumber them, each shows the worst of its frames.
    const columns = (count: number): [number, number][] => Array.from({ length: Math.ceil(width) }, (_, column) => [
      Math.floor((column / width) * count), Math.max(Math.floor((column / width) * count) + 1, Math.floor(((column + 1) / width) * count)),
    ]);
    const most = Math.log1p(Math.max(1, ...this.runs.flatMap((run) => run.intersections)));
    this.runs.forEach((run, row) => {
      const top = row * STRIP;
      context.fillStyle = color("--line");
      context.fillRect(0, top + STRIP - 3, x(run.intersections.length - 1), 1);
      columns(this.last + 1).forEach(([from, to], column) => {
        const worst = Math.max(0, ...run.intersections.slice(from, to));
        context.fillStyle = color(worst > 0 ? "--bad" : "--good");
        const high = worst > 0 ? Math.max(4, (Math.log1p(worst) / most) * (STRIP - 5)) : 2;
        if (from < run.intersections.length) context.fillRect(column, top + STRIP - 3 - high, 1, high);
      });
    });
    const times = this.runs[0].stageMs;
    columns(times.length).forEach(([from, to], column) => {
      const own = times.slice(from, to);
      const worst = own.reduce((a, b) => (total(b) > total(a) ? b : a), own[0] ?? []);
      let bottom = height;
      worst.forEach((ms, stage) => {
        const high = (ms / this.greatest) * (TIMES - 6);
        context.fillStyle = color(`--stage-${stage}`);
        context.fillRect(column, Math.max(this.runs.length * STRIP, bottom - high), 1, high);
        bottom -= high;
      });
    });
    context.fillStyle = color("--text");
    context.fillRect(Math.min(width - 1, Math.max(0, x(this.at) - 1)), 0, 2, height);
  }
}

function total(times: number[]): number {
  return times.reduce((sum, ms) => sum + ms, 0);
}

function inWords({ label, intersections }: Recording): string {
  const bad = intersections.filter((count) => count > 0).length;
  const first = intersections.findIndex((count) => count > 0);
  return bad === 0
    ? `${label}: no intersection in ${intersections.length} states.`
    : `${label}: intersections in ${bad} of ${intersections.length} states, first in frame ${first}, up to ${Math.max(...intersections)}.`;
}
