export { planRewrite } from "./plan.js";
export type { Rewrite } from "./types.js";
export { writeRewrite } from "./write.js";
