export { driveSubject, sampleSubject } from "./batch.js";
export { SUBJECTS } from "./subjects.js";
export { commandLine } from "./texts.js";
