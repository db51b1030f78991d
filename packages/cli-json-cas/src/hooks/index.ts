export type { BrokenPlace, CasHooks, NamedEntry, NodeReader, Owners } from "./types.js";
