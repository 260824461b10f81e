// What a link restores.

export interface PageState {
  scene: string;
  size: "small" | "medium" | "large";
  /** Empty: as the scene has it. */
  material: "" | "cotton" | "silk" | "denim";
  /** From the left (m/s); null: as the scene has it. */
  wind: number | null;
  gate: boolean;
  self: boolean;
  compare: boolean;
  slow: boolean;
}

export const DEFAULTS: PageState = {
  scene: "drape-sphere", size: "medium", material: "", wind: null, gate: true, self: true, compare: false, slow: false,
};

/** Reads the part of a link behind `#`; what is missing or unknown is as by default. */
export function readLink(hash: string, scenes: string[]): PageState {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const one = <T extends string>(key: string, known: readonly T[], otherwise: T): T => known.find((word) => word === given.get(key)) ?? otherwise;
  const flag = (key: string, otherwise: boolean): boolean => ({ 0: false, 1: true })[given.get(key) ?? ""] ?? otherwise;
  const wind = given.has("wind") ? Number(given.get("wind")) : NaN;
  return {
    scene: one("scene", scenes, DEFAULTS.scene),
    size: one("size", ["small", "medium", "large"] as const, DEFAULTS.size),
    material: one("material", ["", "cotton", "silk", "denim"] as const, DEFAULTS.material),
    wind: Number.isFinite(wind) ? Math.min(10, Math.max(-10, wind)) : null,
    gate: flag("gate", true),
    self: flag("self", true),
    compare: flag("compare", false),
    slow: flag("slow", false),
  };
}

/** The part of a link from `#` on: only what is not as by default, but always the scene. */
export function writeLink(state: PageState): string {
  const given = new URLSearchParams({ scene: state.scene });
  for (const key of ["size", "material", "wind", "gate", "self", "compare", "slow"] as const) {
    const value = state[key];
    if (value !== DEFAULTS[key] && value !== null) given.set(key, typeof value === "boolean" ? String(Number(value)) : String(value));
  }
  return `#${given}`;
}
