export { commandLine } from "./command-lines.js";
export { driveSubject, sampleSubject } from "./lane.js";
export { SUBJECTS } from "./subjects.js";
export type { Batch, BatchReport, Desk, Subject } from "./types.js";
