export { archiveThread, completeEnding, logLeftRun } from "./archive.js";
export { readEnding, readHead, readHeads, refuseEnded, updateHead, writeEnding } from "./ending.js";
export { addThread, advanceHead, stillHeld, type ThreadLock, withdrawThread } from "./head.js";
