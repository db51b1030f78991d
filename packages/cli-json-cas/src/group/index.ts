export { mountCas } from "./mount.js";
export type { CasContext } from "./types.js";
