import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CompletionToolCall, JsonValue } from "@uncaged/workflow-agent-kit";
import { callTool, TOOLS, type Workshop } from "../../src/tools.js";

export type TestShop = {
  /** The folder around the working folder. */
  readonly around: string;
  readonly cwd: string;
  readonly use: (name: string, given: JsonValue, changes?: Partial<Workshop>) => Promise<string>;
  readonly remove: () => void;
};

/** Tools in a working folder of their own. */
export function makeShop(): TestShop {
  const around = realpathSync(mkdtempSync(join(tmpdir(), "uwf-tools-")));
  const cwd = join(around, "project");
  mkdirSync(cwd);
  const shop: Workshop = {
    cwd,
    storageRoot: join(around, "storage"),
    env: { PATH: process.env.PATH ?? "" },
    outputLimit: 1000,
    commandMs: 30_000,
    graceMs: 200,
    readNode: (given) => JSON.stringify(given),
    putText: async (text) => `hash of ${text}`,
    conceal: (text) => text.replaceAll("the-secret-key", "[redacted:K]"),
    signal: new AbortController().signal,
    heartbeat: () => {},
  };
  return {
    around,
    cwd,
    use: async (name, given, changes = {}) => {
      const call: CompletionToolCall = {
        id: "c",
        name,
        arguments: given,
        raw: JSON.stringify(given),
        whole: {},
      };
      return (await callTool(TOOLS, call, { ...shop, ...changes })).result;
    },
    remove: () => rmSync(around, { recursive: true, force: true }),
  };
}
