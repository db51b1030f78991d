export type { ModeratorContext, StepContext } from "./types.js";
