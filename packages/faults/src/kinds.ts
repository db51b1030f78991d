import { authority } from "./authority/authority.js";
import { children } from "./children/children.js";
import { concurrency } from "./concurrency/concurrency.js";
import { corruption } from "./corruption/corruption.js";
import { crash } from "./crash.js";
import { cron } from "./cron/cron.js";
import { disk } from "./disk.js";
import type { Kind } from "./frame.js";
import { hostile } from "./hostile/index.js";
import { locks } from "./locks/locks.js";
import { power } from "./power/power.js";
import { project } from "./project.js";
import { remote } from "./remote/remote.js";
import { secrets } from "./secrets.js";
import { strangers } from "./strangers.js";
import { window } from "./window/window.js";

/** All kinds of faults, in the order of the report. */
export const KINDS: readonly Kind[] = [
  crash,
  children,
  cron,
  remote,
  power,
  disk,
  concurrency,
  locks,
  corruption,
  hostile,
  secrets,
  project,
  strangers,
  authority,
  window,
];
