// A mesh to try the check on: a band whose ends swing through each other, as frames of an OBJ sequence.
import type { ChosenFile } from "./folders.js";

const FRAMES = 16;
const ALONG = 60;
const ACROSS = 16;
/** Of the band, m. */
const [LENGTH, WIDTH] = [1.2, 0.4];

/** The files of the sequence. */
export function sampleFiles(): ChosenFile[] {
  return Array.from({ length: FRAMES }, (_, frame) => {
    const path = `band_${String(frame + 1).padStart(2, "0")}.obj`;
    return { path, file: new File([band(1.2 + (1.8 * frame) / (FRAMES - 1))], path) };
  });
}

/**
 * The band as OBJ. Its slope runs from `angle` (rad) to minus that, as a cosine: beyond 2.4, where the mean
 * of its cosine (a Bessel function) is negative, the legs of the loop cross. One side is bent less, and the
 * legs are no mirror images: edges cross faces, and do not touch edges.
 */
function band(angle: number): string {
  const lines: string[] = [];
  for (let j = 0; j <= ACROSS; j += 1) {
    const bent = angle * (0.88 + (0.12 * j) / ACROSS);
    const slope = (i: number): number => bent * Math.cos((Math.PI * (i + 0.5)) / ALONG + 0.13);
    const [dx, dy] = [Math.cos, Math.sin].map((part) => Array.from({ length: ALONG }, (_, i) => (part(slope(i)) * LENGTH) / ALONG));
    let [x, y] = [-dx.reduce((sum, step) => sum + step, 0) / 2, 0];
    for (let i = 0; i <= ALONG; i += 1) {
      lines.push(`v ${x.toFixed(6)} ${y.toFixed(6)} ${((WIDTH * (j + (0.4 * i) / ALONG)) / ACROSS).toFixed(6)}`);
      [x, y] = [x + (dx[i] ?? 0), y + (dy[i] ?? 0)];
    }
  }
  const at = (i: number, j: number): number => j * (ALONG + 1) + i + 1;
  for (let j = 0; j < ACROSS; j += 1) {
    for (let i = 0; i < ALONG; i += 1) lines.push(`f ${at(i, j)} ${at(i + 1, j)} ${at(i + 1, j + 1)} ${at(i, j + 1)}`);
  }
  return `${lines.join("\n")}\n`;
}
