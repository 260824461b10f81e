// What a link restores.
import { type Beside, SCENES } from "./scenes.js";

export interface PageState {
  scene: string;
  size: "small" | "medium" | "large";
  /** Empty: as the scene has it. */
  material: "" | "cotton" | "silk" | "denim";
  /** From the left (m/s); null: as the scene has it. */
  wind: number | null;
  gate: boolean;
  self: boolean;
  /** Null: as the scene opens, here and for slow motion. */
  beside: Beside | null;
  slow: boolean | null;
}

/** The scene that opens: red appears beside it within half a second, and it takes the least time of those. */
export const DEFAULTS: PageState = {
  scene: "drape-sphere", size: "medium", material: "", wind: null, gate: true, self: true, beside: null, slow: null,
};

/** Reads the part of a link behind `#`; what is missing or unknown is as by default. */
export function readLink(hash: string): PageState {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const one = <T extends string, U>(key: string, known: readonly T[], otherwise: U): T | U => known.find((word) => word === given.get(key)) ?? otherwise;
  const flag = <U>(key: string, otherwise: U): boolean | U => ({ 0: false, 1: true })[given.get(key) ?? ""] ?? otherwise;
  const wind = given.has("wind") ? Number(given.get("wind")) : NaN;
  // `compare=1` is another way to say `beside=gate`.
  const compared = { 0: "nothing", 1: "gate" } as const;
  return {
    scene: one("scene", Object.keys(SCENES), DEFAULTS.scene),
    size: one("size", ["small", "medium", "large"] as const, DEFAULTS.size),
    material: one("material", ["", "cotton", "silk", "denim"] as const, DEFAULTS.material),
    wind: Number.isFinite(wind) ? Math.min(10, Math.max(-10, wind)) : null,
    gate: flag("gate", true),
    self: flag("self", true),
    beside: one("beside", ["nothing", "gate", "self"] as const, compared[Number(given.get("compare") ?? NaN) as 0 | 1] ?? null),
    slow: flag("slow", null),
  };
}

/** The part of a link from `#` on: only what is not as by default, but always the scene. */
export function writeLink(state: PageState): string {
  const given = new URLSearchParams({ scene: state.scene });
  for (const key of ["size", "material", "wind", "gate", "self", "beside", "slow"] as const) {
    const value = state[key];
    if (value !== DEFAULTS[key] && value !== null) given.set(key, typeof value === "boolean" ? String(Number(value)) : String(value));
  }
  return `#${given}`;
}
