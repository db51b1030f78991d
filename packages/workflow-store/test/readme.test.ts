import { readFileSync } from "node:fs";
import { join } from "node:path";
import { newThreadId } from "@uncaged/workflow-util";
import { describe, expect, it } from "vitest";
import * as store from "../src/index.js";
import { tempRoot } from "./support/index.js";

const README = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");

type AsyncBody = (...args: readonly unknown[]) => Promise<unknown>;

const AsyncFunction = (async () => {}).constructor as new (...text: readonly string[]) => AsyncBody;

describe("the README", () => {
  it("shows an example that works as typed", async () => {
    const example = /```ts\n([\s\S]*?)```/.exec(README)?.[1] ?? "";
    const lines = example.replace('"./state"', JSON.stringify(join(tempRoot(), "state"))).split("\n");
    const body = lines.filter((line) => !line.startsWith("import ")).join("\n");
    const run = new AsyncFunction(...Object.keys(store), "newThreadId", `${body}\nreturn chain;`);
    const chain = await run(...Object.values(store), newThreadId);
    expect(chain).toMatchObject({
      ok: true,
      value: { steps: [], start: { payload: { prompt: "Nothing to do" } } },
    });
  });
});
