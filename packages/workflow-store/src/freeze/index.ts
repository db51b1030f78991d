export { freezeDeep } from "./freeze-deep.js";
