import { readFileSync } from "node:fs";
import { join } from "node:path";
import { putSchema } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createFsStore, verifyStore } from "../../src/index.js";
import { builtIndex } from "../support/built.js";
import { startModule } from "../support/child.js";
import { dyingAt, type FsCall, isWriteSide } from "../support/fs-calls.js";
import { skipFsync } from "../support/no-fsync.js";
import { PERSON_SCHEMA, person } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";

skipFsync();

const PAYLOAD = person("Ada");

async function putAll(dir: string): Promise<string> {
  const store = createFsStore(dir);
  return store.put(await putSchema(store, PERSON_SCHEMA), PAYLOAD);
}

/** Whatever is there is whole, and the same work succeeds afterwards. */
async function expectUsable(dir: string, where: string): Promise<void> {
  expect(verifyStore(dir, () => {}).damaged, where).toBe(0);
  const hash = await putAll(dir);
  const store = createFsStore(dir);
  expect(store.listByType(await putSchema(store, PERSON_SCHEMA)), where).toEqual([hash]);
}

/** Closing changes nothing that another process could see. */
function isChange(call: FsCall): boolean {
  return isWriteSide(call) && call.name !== "closeSync";
}

function putDyingAt(n: number, dir: string) {
  return dyingAt(n, isChange, () => putAll(dir));
}

describe("a process that dies before any one call that changes the file system", () => {
  it("leaves a store that verifies and takes the same node again", async () => {
    const parent = temporaryDir();
    const { changes, died } = await putDyingAt(Number.POSITIVE_INFINITY, join(parent, "whole"));
    expect(died).toBe(false);
    expect(changes.length).toBeGreaterThan(30);
    for (const [before, change] of changes.entries()) {
      const dir = join(parent, `cas-${before}`);
      expect((await putDyingAt(before + 1, dir)).died).toBe(true);
      await expectUsable(dir, `${before + 1}: ${change.name}`);
    }
  });
});

/**
 * Puts a schema and a node; kills itself instead of the n-th call that may write (0: never). Each call is
 * logged first, over a file descriptor of its own that stays open.
 */
const WRITER = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const [, , index, core, dir, log, at, schema, payload] = process.argv;
const writing = ["mkdirSync", "openSync", "writeSync", "fsyncSync", "linkSync", "renameSync", "unlinkSync"];
const real = { ...fs };
const logFd = real.openSync(log, "w");
let calls = 0;
for (const name of writing) {
  fs[name] = (...args) => {
    if (armed) {
      calls += 1;
      real.writeSync(logFd, name + "\\n");
      if (calls === Number(at)) process.kill(process.pid, "SIGKILL");
    }
    return real[name](...args);
  };
}
let armed = false;
syncBuiltinESMExports();
const { createFsStore } = await import(index);
const { putSchema } = await import(core);
const store = createFsStore(dir);
armed = true;
const type = await putSchema(store, JSON.parse(schema));
const hash = await store.put(type, JSON.parse(payload));
armed = false;
console.log(hash);
`;

/** Real deaths take a process each, so only some of the calls meet theirs; the test above has them all. */
const EVERY = 6;

describe("kill -9", () => {
  it("of a process leaves the same as the deaths above", { timeout: 300_000 }, async () => {
    const dir = temporaryDir();
    const index = builtIndex();
    const core = new URL("../../json-cas/dist/index.js", index).href;
    const start = (name: string, at: number) => {
      const texts = [PERSON_SCHEMA, PAYLOAD].map((value) => JSON.stringify(value));
      const args = [index, core, join(dir, name), join(dir, `${name}.log`), String(at), ...texts];
      return startModule(dir, "writer", WRITER, args);
    };
    const whole = start("whole", 0);
    expect(await whole.nextLine()).toBe(await putAll(join(dir, "here")));
    await whole.exited;
    const calls = readFileSync(join(dir, "whole.log"), "utf8").trim().split("\n");
    expect(calls.length).toBeGreaterThan(30);
    const victims = [...calls.keys()].map((at) => at + 1).filter((at) => at % EVERY === 2);
    await Promise.all(
      victims.map(async (at) => {
        expect((await start(`cas-${at}`, at).exited).signal).toBe("SIGKILL");
        await expectUsable(join(dir, `cas-${at}`), `${at}: ${calls[at - 1]}`);
      }),
    );
  });
});
