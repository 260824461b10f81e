// Draws what happened in every frame: where each run intersects, and where its time went.
import type { Recording } from "./film.js";

/** Heights (CSS pixels) of a label, of the strip of a run below its label, and of the times. */
const LABEL = 18;
const STRIP = 16;
const TIMES = 56;
/** What stands above frames whose bar is cut off. */
const CAP = 4;

export class Timeline {
  private readonly canvas = document.createElement("canvas");
  private at = 0;
  readonly element = document.createElement("div");

  /** Runs in the order of their strips; the times are those of the first. `onSeek` gets a frame of the first. */
  constructor(private readonly runs: Recording[], onSeek: (frame: number) => void) {
    this.element.className = "timeline";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", runs.map(inWords).join(" "));
    this.element.append(this.canvas, ...[...runs.map((run) => `Intersections, ${run.label}`), this.timesInWords()].map((text, row) => {
      const label = document.createElement("span");
      label.textContent = text;
      label.style.top = `${row * (LABEL + STRIP)}px`;
      return label;
    }));
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

  /** The times of the first run (ms), a number for each frame. */
  private get totals(): number[] {
    return this.runs[0].stageMs.map(total);
  }

  /** The time (ms) of the highest bar that is not cut off: the longest, unless a frame in a hundred is far longer than all others. */
  private get highest(): number {
    const totals = this.totals.sort((a, b) => a - b);
    const [most, longest] = [totals[Math.floor(0.99 * (totals.length - 1))] ?? 0, totals[totals.length - 1] ?? 0];
    return Math.max(1e-3, longest > 3 * most ? most : longest);
  }

  /** Says how long the frames take, and which bars are cut off. */
  private timesInWords(): string {
    const { totals, highest } = this;
    const text = (ms: number): string => `${ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString("en")} ms`;
    const above = totals.filter((ms) => ms > highest).length;
    const longest = Math.max(0, ...totals);
    const scale = `Up to ${text(highest)} a frame`;
    return above === 0 ? scale : `${scale}; ${above} above, most ${text(longest)} in frame ${totals.indexOf(longest) + 1}`;
  }

  private draw(): void {
    const height = this.runs.length * (LABEL + STRIP) + LABEL + TIMES;
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
      const bottom = (row + 1) * (LABEL + STRIP) - 3;
      context.fillStyle = color("--line");
      context.fillRect(0, bottom, x(run.intersections.length - 1), 1);
      columns(this.last + 1).forEach(([from, to], column) => {
        const worst = Math.max(0, ...run.intersections.slice(from, to));
        context.fillStyle = color(worst > 0 ? "--bad" : "--good");
        const high = worst > 0 ? Math.max(4, (Math.log1p(worst) / most) * (STRIP - 3)) : 2;
        if (from < run.intersections.length) context.fillRect(column, bottom - high, 1, high);
      });
    });
    const { stages, stageMs: times } = this.runs[0];
    const { highest } = this;
    columns(times.length).forEach(([from, to], column) => {
      const own = times.slice(from, to);
      const worst = own.reduce((a, b) => (total(b) > total(a) ? b : a), own[0] ?? []);
      // One that is cut off keeps its shares, below a gap and a cap.
      const isCut = total(worst) > highest;
      const scale = (TIMES - 2 * CAP) / (isCut ? total(worst) : highest);
      let bottom = height;
      worst.forEach((ms, stage) => {
        context.fillStyle = color(`--stage-${stages[stage]}`);
        context.fillRect(column, bottom - ms * scale, 1, ms * scale);
        bottom -= ms * scale;
      });
      if (!isCut) return;
      // A single frame is seen among hundreds.
      context.fillStyle = color("--text");
      context.fillRect(column - 1, height - TIMES, 3, CAP);
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
