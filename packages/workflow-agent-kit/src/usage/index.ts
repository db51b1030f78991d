export { addUsage } from "./add.js";
