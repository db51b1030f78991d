export { mannersOf } from "./manners.js";
export { rawControl } from "./raw-control.js";
