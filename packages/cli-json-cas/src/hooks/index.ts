export type { CasHooks, NamedEntry, NodeReader, Owners } from "./types.js";
