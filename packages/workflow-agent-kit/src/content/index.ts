export { contentText } from "./content-text.js";
