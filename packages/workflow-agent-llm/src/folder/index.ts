export { placeOf } from "./place.js";
export { readPlace } from "./read.js";
export type { Answered, Found, Ground, Place } from "./types.js";
export { writeText } from "./write.js";
