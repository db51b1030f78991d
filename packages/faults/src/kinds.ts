import { authority } from "./authority/authority.js";
import { concurrency } from "./concurrency/concurrency.js";
import { corruption } from "./corruption/corruption.js";
import { crash } from "./crash.js";
import { disk } from "./disk.js";
import type { Kind } from "./frame.js";
import { locks } from "./locks/locks.js";
import { power } from "./power/power.js";
import { remote } from "./remote/remote.js";

/** All kinds of faults, in the order of the report. */
export const KINDS: readonly Kind[] = [crash, remote, power, disk, concurrency, locks, corruption, authority];
