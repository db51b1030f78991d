export { compareContent, prepareNode } from "./prepare.js";
export { putNode, putNodeWith, settleNode } from "./put.js";
export { bootstrap, putSchema } from "./put-schema.js";
export type { Backend, PreparedNode } from "./types.js";
