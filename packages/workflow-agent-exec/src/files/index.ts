export { type Files, makeFiles, OUTPUT_FILE, readOutput, STEPS_FILE } from "./file.js";
