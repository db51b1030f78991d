import { CasError, createMemoryStore, isHash, parseHash, resolveHash } from "@uncaged/json-cas";
import { isWorkflowName } from "@uncaged/workflow-protocol";
import { isThreadIdPart, parseThreadId } from "@uncaged/workflow-util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { corpus, hashLike, nastyText } from "../../../json-cas/test/support/nasty.js";
import { ensureTypes, findLocalWorkflow, findThread, openStorage, runDirOf } from "../../src/index.js";
import { bad } from "../support/results.js";
import { tempRoot } from "../support/temp.js";

const words = fc.oneof(
  nastyText,
  hashLike,
  fc.constantFrom(...corpus("paths")),
  fc.tuple(fc.constantFrom(...corpus("paths")), hashLike).map(([path, hash]) => path + hash),
);

function isOfItsAlphabet(text: string): void {
  const hash = parseHash(text);
  if (hash !== null) expect(hash).toMatch(/^[0-9A-F][0-9A-Z]{12}$/);
  const thread = parseThreadId(text);
  if (thread.ok) expect(thread.value).toMatch(/^[0-7][0-9A-Z]{25}$/);
  if (isThreadIdPart(text)) expect(text).toMatch(/^[0-9A-Za-z]{1,26}$/);
  if (isWorkflowName(text)) expect(text).toMatch(/^[a-z0-9-]+$/);
}

it("an id, token or name from outside that becomes part of a path is of a closed alphabet, and leads nowhere else", async () => {
  const folder = tempRoot();
  const store = createMemoryStore();
  await ensureTypes(store);
  const storage = openStorage(folder, { now: Date.now });
  const judge = async (text: string): Promise<void> => {
    isOfItsAlphabet(text);
    const run = runDirOf(storage, "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" as never, text);
    if (run !== null) expect(run.dir.startsWith(`${folder}/runs/`)).toBe(true);
    try {
      expect(isHash(resolveHash(store, text))).toBe(true);
    } catch (error) {
      expect(error).toBeInstanceOf(CasError);
    }
    expect(["MALFORMED_THREAD_ID", "THREAD_NOT_FOUND"]).toContain(bad(await findThread(storage, text)).code);
    expect(findLocalWorkflow(folder, text)).toEqual({ ok: true, value: null });
  };
  await fc.assert(fc.asyncProperty(words, judge), { numRuns: 1_000 });
});
