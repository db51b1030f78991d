export { ATTACKS, strangers } from "./strangers.js";
