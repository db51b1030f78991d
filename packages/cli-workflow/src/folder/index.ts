export { givenFolder } from "./given.js";
export { refusalOf } from "./refusal.js";
