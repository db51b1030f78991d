export { loadExtract, loadLlm, loadResume } from "./load.js";
