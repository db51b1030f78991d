import { concurrency } from "./concurrency/index.js";
import { corruption } from "./corruption/index.js";
import { crash } from "./crash/index.js";
import { disk } from "./disk/index.js";
import type { Kind } from "./frame/index.js";
import { hostile } from "./hostile/index.js";
import { locks } from "./locks/index.js";
import { power } from "./power/index.js";
import { project } from "./project/index.js";
import { secrets } from "./secrets/index.js";
import { strangers } from "./strangers/index.js";
import { window } from "./window/index.js";

/** Every way in which the harness breaks things, in the order of the report. */
export const KINDS: readonly Kind[] = [
  crash,
  power,
  disk,
  concurrency,
  locks,
  corruption,
  hostile,
  secrets,
  project,
  strangers,
  window,
];
