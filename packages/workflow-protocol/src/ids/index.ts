export type { CasRef, Ref, ThreadId } from "./types.js";
