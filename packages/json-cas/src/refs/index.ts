export { placeOf } from "./place.js";
export { refs } from "./refs.js";
export { refsOf } from "./refs-of.js";
