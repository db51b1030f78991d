export { STEPS_FILE, type StepsFile, writeStepsFile } from "./file.js";
