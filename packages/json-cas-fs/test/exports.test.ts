import { expect, it } from "vitest";

it("exports the store, the file primitives and the locks", async () => {
  expect(Object.keys(await import("../src/index.js")).sort()).toEqual([
    "acquireLock",
    "appendLine",
    "bootId",
    "bootTime",
    "createFileExclusive",
    "createFsStore",
    "describeHolder",
    "errnoOf",
    "fsStoreFile",
    "fsyncDir",
    "ioFault",
    "isTemporaryName",
    "judgeHolder",
    "listTypes",
    "livingStartTime",
    "makeDir",
    "ownRecord",
    "pidNamespace",
    "processStartTime",
    "processState",
    "readLock",
    "reindexStore",
    "releaseLock",
    "temporaryPath",
    "tryLock",
    "uniqueName",
    "verifyStore",
    "writeFileAtomic",
  ]);
});
