import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as core from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import * as backend from "../src/index.js";
import { temporaryDir } from "./support/temp.js";

const README = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");

type AsyncBody = (putSchema: unknown, createFsStore: unknown) => Promise<unknown>;

const AsyncFunction = (async () => {}).constructor as new (...text: string[]) => AsyncBody;

describe("the README", () => {
  it("shows an example that works as typed", async () => {
    const example = /```ts\n([\s\S]*?)```/.exec(README)?.[1] ?? "";
    const lines = example.replaceAll('"./cas"', JSON.stringify(join(temporaryDir(), "cas"))).split("\n");
    const body = lines.filter((line) => !line.startsWith("import ")).join("\n");
    const run = new AsyncFunction("putSchema", "createFsStore", `${body}\nreturn store.get(hash);`);
    expect(await run(core.putSchema, backend.createFsStore)).toMatchObject({ payload: { name: "Ada" } });
  });
});
