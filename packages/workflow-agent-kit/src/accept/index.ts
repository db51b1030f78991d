export { accept } from "./accept.js";
