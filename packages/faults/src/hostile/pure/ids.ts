import { CasError, createMemoryStore, isHash, parseHash, resolveHash } from "@uncaged/json-cas";
import { messageOf } from "@uncaged/workflow-protocol";
import {
  ensureTypes,
  findLocalWorkflow,
  findThread,
  isWorkflowName,
  openStorage,
  runDirOf,
} from "@uncaged/workflow-store";
import { isThreadIdPart, parseThreadId } from "@uncaged/workflow-util";
import fc from "fast-check";
import { corpus } from "../corpus/index.js";
import { hashLike, nastyText } from "../texts/index.js";
import { batchOf } from "./batch.js";
import type { Subject } from "./types.js";

const inputs = fc.oneof(
  nastyText,
  hashLike,
  fc.constantFrom(...corpus("paths")),
  fc.tuple(fc.constantFrom(...corpus("paths")), hashLike).map(([path, hash]) => path + hash),
);

/** Ids, tokens and names from the command line and from files: what becomes part of a path is of a closed alphabet. */
export const ids: Subject = {
  name: "ids and names",
  sample: 3_000,
  batch: 10_000,
  weight: 1,
  open: async ({ folder, slowMs }) => {
    const store = createMemoryStore();
    await ensureTypes(store);
    const storage = openStorage(folder, { now: Date.now });
    return batchOf(inputs, slowMs, async (text) => {
      checkAlphabet(text);
      checkRunFolder(runDirOf(storage, "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" as never, text)?.dir ?? null, folder);
      checkResolved(() => resolveHash(store, text));
      const found = await findThread(storage, text);
      if (found.ok || !["MALFORMED_THREAD_ID", "THREAD_NOT_FOUND"].includes(found.error.code)) {
        throw new Error(`a thread ${found.ok ? "is found" : messageOf(found.error)}`);
      }
      const local = findLocalWorkflow(folder, text);
      if (!local.ok || local.value !== null) throw new Error("a workflow is found in an empty folder");
    });
  },
};

function checkAlphabet(text: string): void {
  const hash = parseHash(text);
  if (hash !== null && !(isHash(hash) && /^[0-9A-F][0-9A-Z]{12}$/.test(hash)))
    throw new Error(`the hash ${hash}`);
  const thread = parseThreadId(text);
  if (thread.ok && !/^[0-7][0-9A-Z]{25}$/.test(thread.value)) throw new Error(`the thread ${thread.value}`);
  if (isThreadIdPart(text) && !/^[0-9A-Za-z]{1,26}$/.test(text)) throw new Error("a part of a thread id");
  if (isWorkflowName(text) && !/^[a-z0-9-]+$/.test(text)) throw new Error("a workflow name");
}

function checkRunFolder(dir: string | null, folder: string): void {
  if (dir !== null && !dir.startsWith(`${folder}/runs/`)) throw new Error(`the run ${dir}`);
}

function checkResolved(resolve: () => string): void {
  try {
    const hash = resolve();
    if (!isHash(hash)) throw new Error(`the hash ${hash}`);
  } catch (error) {
    if (!(error instanceof CasError)) throw error;
  }
}
