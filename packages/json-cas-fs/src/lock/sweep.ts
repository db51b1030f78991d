import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { tryUnlink } from "../files/index.js";
import { judgeHolder } from "./judge.js";
import { readLock } from "./record.js";
import type { LockRecord } from "./types.js";

/**
 * Clears away what dead breakers of this lock left: their locks `<lock>.<nonce>` by the protocol, for somebody else
 * may sweep at the same time; temporary files directly, for only their writer uses them.
 * Called by whoever got the lock after breaking a record: without a death there is no litter.
 */
export function sweepLitter(path: string, breakDead: (path: string, dead: LockRecord) => unknown): void {
  const dir = dirname(path);
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(dir)) {
    if (!name.startsWith(prefix)) continue;
    const litter = join(dir, name);
    const record = readLock(litter);
    if (record === null || judgeHolder(record) !== "dead") continue;
    if (name.endsWith(".tmp")) tryUnlink(litter);
    else breakDead(litter, record);
  }
}
