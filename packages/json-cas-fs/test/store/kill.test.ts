import { readFileSync } from "node:fs";
import { join } from "node:path";
import { putSchema } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createFsStore, verifyStore } from "../../src/index.js";
import { builtIndex } from "../support/built.js";
import { startModule } from "../support/child.js";
import { PERSON_SCHEMA, person } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";

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

describe("kill -9", () => {
  it("at any file-system call leaves a store that verifies and takes the same node again", {
    timeout: 300_000,
  }, async () => {
    const dir = temporaryDir();
    const index = builtIndex();
    const core = new URL("../../json-cas/dist/index.js", index).href;
    const payload = person("Ada");
    const log = join(dir, "log");
    const start = (store: string, at: number) => {
      const args = [
        index,
        core,
        store,
        log,
        String(at),
        JSON.stringify(PERSON_SCHEMA),
        JSON.stringify(payload),
      ];
      return startModule(dir, "writer", WRITER, args);
    };
    const whole = start(join(dir, "whole"), 0);
    const hash = await whole.nextLine();
    await whole.exited;
    const calls = readFileSync(log, "utf8").trim().split("\n");
    expect(calls.length).toBeGreaterThan(30);
    let kills = 0;
    for (let at = 1; at <= calls.length; at += 1) {
      const store = join(dir, `cas-${at}`);
      const { signal } = await start(store, at).exited;
      kills += signal === "SIGKILL" ? 1 : 0;
      expect(verifyStore(store, () => {}).damaged, `${at}: ${calls[at - 1]}`).toBe(0);
      const opened = createFsStore(store);
      const type = await putSchema(opened, PERSON_SCHEMA);
      expect(await opened.put(type, payload)).toBe(hash);
      expect(opened.listByType(type)).toEqual([hash]);
    }
    expect(kills).toBe(calls.length);
  });
});
