import { openStorage } from "@uncaged/workflow-store";
import { expect, it } from "vitest";
import { runChild } from "../../src/children/child.js";

it("a workflow that an item of an output names is no option of uwf", async () => {
  const calls: (readonly string[])[] = [];
  const port = {
    uwf: async (words: readonly string[]) => {
      calls.push(words);
      return { code: 2, wasKilled: false, document: null, stderr: "", fault: null, failure: null };
    },
    storage: openStorage("/nowhere", { now: () => 0 }),
    signal: new AbortController().signal,
    isRemote: false,
  };
  const child = { parent: "01KAJ5E8Q0W8YB0000000000AA", key: "K/lead/0", workflow: "--cwd=/", prompt: "-" };
  await runChild(port, child as Parameters<typeof runChild>[1]);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.slice(-2)).toEqual(["--", "--cwd=/"]);
});
