export { placeOf } from "./place.js";
export { readPlace } from "./read.js";
export type { Answered, Found, Place } from "./types.js";
export { writeText } from "./write.js";
