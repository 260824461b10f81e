export * from "./cloth_web.js";
export { default } from "./cloth_web.js";
