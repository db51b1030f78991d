export { answerOnRemote } from "./answer.js";
export { killOnRemote, pauseOnRemote, resumeOnRemote } from "./change.js";
export { logOnRemote } from "./log.js";
export { listOnRemote, readOnRemote, showOnRemote } from "./read.js";
