import { appendFileSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fsStoreFile } from "@uncaged/json-cas-fs";
import { openStorage, putContent } from "@uncaged/workflow-store";
import { copyWorld, type World } from "../world/index.js";
import { scene } from "./commands.js";
import type { Command, Teller } from "./types.js";

/** Older than any grace period. */
const OLD = new Date("2020-01-01T00:00:00Z");

/** The commands that keep a store. */
export async function kept(teller: Teller, world: World, folder: string, thread: string): Promise<void> {
  await collected(teller, copyWorld(world, join(folder, "collected"), "node"), thread);
  await repaired(teller, copyWorld(world, join(folder, "repaired"), "node"), thread);
  await imported(teller, world, thread);
}

/** Nodes that nothing reaches, long since. */
async function collected({ tell }: Teller, world: World, thread: string): Promise<void> {
  const storage = openStorage(world.root, { now: Date.now });
  for (const text of ["one", "two", "three"]) {
    const hash = await putContent(storage.cas, `Garbage number ${text}`);
    utimesSync(fsStoreFile(storage.paths.cas, hash), OLD, OLD);
  }
  const gc: Command = { line: () => ["cas", "gc", "--yes"], codes: [0] };
  await tell(world, { ...scene("cas gc", gc, [thread]), again: [gc] });
}

/** What interrupted writes leave: a temporary file, a line that leads nowhere, a torn one. */
async function repaired({ tell }: Teller, world: World, thread: string): Promise<void> {
  const { cas } = openStorage(world.root, { now: Date.now }).paths;
  const [index = ""] = readdirSync(join(cas, "_index"));
  appendFileSync(join(cas, "_index", index), "0123456789ABC\n0123");
  const litter = join(cas, "0123456789ABC.bin.a-1-0a1b2c3d4e5.tmp");
  writeFileSync(litter, "half a no");
  utimesSync(litter, OLD, OLD);
  const repair: Command = { line: () => ["cas", "verify", "--repair"], codes: [0] };
  await tell(world, { ...scene("cas verify --repair", repair, [thread]), again: [repair] });
}

/** A thread that was exported from this store comes into one that has only its workflow. */
async function imported({ tell, copyOf }: Teller, world: World, thread: string): Promise<void> {
  const other = copyOf("thread start");
  const file = ({ cwd }: World): string => join(cwd, "thread.export");
  await world.json(["cas", "export", thread, "-o", file(other)]);
  const take: Command = { line: (there) => ["cas", "import", file(there)], codes: [0] };
  await tell(other, { ...scene("cas import", take, []), again: [take], gives: [thread] });
}
