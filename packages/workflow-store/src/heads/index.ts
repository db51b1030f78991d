export { archiveThread, completeEnding, logLeftRun } from "./archive.js";
export {
  endedOrUnknown,
  notFound,
  readEnding,
  readHead,
  readHeads,
  setHeads,
  writeEnding,
  writeEndingUnderLock,
} from "./ending.js";
export {
  addThread,
  addThreadUnderLock,
  advanceHead,
  stillHeld,
  type ThreadLock,
  withdrawThread,
  withdrawThreadUnderLock,
} from "./head.js";
