export { answerOnRemote } from "./answer.js";
export { killOnRemote, pauseOnRemote, resumeOnRemote } from "./change.js";
export { listOnRemote, logOnRemote, readOnRemote, showOnRemote } from "./read.js";
