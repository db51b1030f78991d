import { mkdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { putSchema } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { createFsStore, fsStoreFile, verifyStore } from "../../src/index.js";
import { builtIndex } from "../support/built.js";
import { startModule } from "../support/child.js";
import { PERSON_SCHEMA, person } from "../support/store.js";
import { temporaryDir } from "../support/temp.js";

/**
 * Builds the same few chains over and over. A folder `busy` says since when it is at it, a folder `roots` which heads
 * stand; a head that is there must reach everything. Heads go again, so there is always garbage that comes back.
 */
const WRITER = `
import fs from "node:fs";
const [, , index, core, dir, rounds, seed] = process.argv;
const { createFsStore } = await import(index);
const { putSchema, walk } = await import(core);
const schema = { type: "object", properties: { n: { type: "integer" }, next: { type: "string", format: "cas_ref" } } };
const store = createFsStore(dir + "/cas");
const mine = String(process.pid);
let lost = 0;
for (let round = 0; round < Number(rounds); round += 1) {
  fs.writeFileSync(dir + "/busy/" + mine + ".new", String(Date.now()));
  fs.renameSync(dir + "/busy/" + mine + ".new", dir + "/busy/" + mine);
  const type = await putSchema(store, schema);
  let head = await store.put(type, { n: (round + Number(seed)) % 3 });
  for (let n = 10; n < 14; n += 1) head = await store.put(type, { n, next: head });
  fs.writeFileSync(dir + "/roots/" + head + "." + mine, "");
  fs.unlinkSync(dir + "/busy/" + mine);
  walk(store, head, ({ node }) => { if (node === null) lost += 1; }, { followTypes: true });
  fs.unlinkSync(dir + "/roots/" + head + "." + mine);
}
console.log(lost);
`;

/** Collects without a grace period but for the work under way, as often as it can, until its stdin ends. */
const COLLECTOR = `
import fs from "node:fs";
const [, , index, dir] = process.argv;
const { collectGarbage } = await import(index);
let over = false;
process.stdin.on("end", () => { over = true; }).resume();
let removed = 0;
const names = (folder) => fs.readdirSync(dir + "/" + folder);
const read = (file) => { try { return Number(fs.readFileSync(file, "utf8")); } catch { return Infinity; } };
do {
  await new Promise((resolve) => setImmediate(resolve));
  const now = Date.now();
  const busy = names("busy").filter((name) => !name.endsWith(".new")).map((name) => read(dir + "/busy/" + name));
  const figures = await collectGarbage(dir + "/cas", {
    roots: async (tell) => { for (const name of names("roots")) tell({ hash: name.slice(0, 13), label: "roots", required: false }); },
    accepted: new Set(),
    cutoff: Math.min(now, ...busy) - 100,
    remove: true,
    hold: (work) => work(),
    pack: null,
    pause: async () => {},
    startSlice: () => { let left = 2; return () => left-- <= 0; },
    tell: () => {},
    removed: () => {},
  });
  removed += figures.removed;
} while (!over);
console.log(removed);
`;

const ROUNDS = 60;

/** A node that nobody will ever want: however the processes meet, there is something to collect. */
async function putOldGarbage(cas: string): Promise<void> {
  const store = createFsStore(cas);
  const hash = await store.put(await putSchema(store, PERSON_SCHEMA), person("Nobody"));
  utimesSync(fsStoreFile(cas, hash), 1, 1);
}

describe("gc beside writers", () => {
  it("takes nothing that a head reaches, and leaves nothing that is broken", {
    timeout: 300_000,
  }, async () => {
    const dir = temporaryDir();
    for (const folder of ["cas", "roots", "busy"]) mkdirSync(join(dir, folder));
    const index = builtIndex();
    const core = new URL("../../json-cas/dist/index.js", index).href;
    await putOldGarbage(join(dir, "cas"));
    const collectors = [1, 2].map(() => startModule(dir, "collector", COLLECTOR, [index, dir]));
    const writers = [1, 2, 3].map((seed) =>
      startModule(dir, "writer", WRITER, [index, core, dir, String(ROUNDS), String(seed)]),
    );
    for (const writer of writers) expect(await writer.nextLine()).toBe("0");
    for (const { child } of collectors) child.stdin?.end();
    const removed = await Promise.all(collectors.map(({ nextLine }) => nextLine()));
    expect(removed.reduce((sum, count) => sum + Number(count), 0)).toBeGreaterThan(0);
    const problems: unknown[] = [];
    verifyStore(join(dir, "cas"), (problem) => problems.push(problem));
    expect(problems).toEqual([]);
    expect(createFsStore(join(dir, "cas")).list().length).toBeLessThan(30);
  });
});
