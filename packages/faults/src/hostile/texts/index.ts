export { mutatedBytes, mutatedText } from "./mutate.js";
export { anyJson, hashLike, keyText, nastyText, PROTOTYPE_NAMES } from "./nasty.js";
