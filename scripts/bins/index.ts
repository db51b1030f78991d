export { BANNER, type Bundle, bundle } from "./bundle.js";
export { bundleForBun } from "./bytecode.js";
export { sizeOf } from "./size.js";
export { writeBundle } from "./write.js";
