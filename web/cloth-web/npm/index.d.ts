export * from "./cloth_web.js";
export { default } from "./cloth_web.js";

/**
 * Whether this machine runs instructions of 128 bits; without them the module takes two to three times as
 * long.
 */
export function hasVectors(): boolean;
