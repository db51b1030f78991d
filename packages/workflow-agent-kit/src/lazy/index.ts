export { loadExtract, loadLlm } from "./load.js";
