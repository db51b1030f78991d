export { addThread } from "./add.js";
export { advanceHead } from "./advance.js";
export { archiveThread, completeEnding } from "./archive.js";
export { writeEnding } from "./ending.js";
export { readEnding } from "./ending-file.js";
export { readHead, readHeads, updateHead } from "./heads-file.js";
export { logLeftRun } from "./log-left-runs.js";
export { refuseEnded } from "./refuse-ended.js";
export { withdrawThread } from "./withdraw.js";
