import type { Kind } from "./frame/index.js";

/** Every way in which the harness breaks things, in the order of the report. */
export const KINDS: readonly Kind[] = [];
