export { hostile } from "./hostile.js";
