import type { AddOn } from "@uncaged/cli-workflow/add-on";
import * as commands from "./commands/index.js";
import {
  answerOnRemote,
  killOnRemote,
  listOnRemote,
  logOnRemote,
  pauseOnRemote,
  readOnRemote,
  resumeOnRemote,
  showOnRemote,
} from "./on-remote/index.js";
import { topic } from "./topic.js";

/** Remotes, as uwf loads them. */
export const addOn: AddOn = {
  commands: Object.values(commands),
  groups: {
    remote: {
      summary: "threads in PostgreSQL, for workers on several machines",
      examples: [],
      notes: `Its threads: uwf thread submit, push, fetch, and --remote on list, show, read,
steps, usage, answer, pause, resume and kill. More: uwf help remotes`,
      first: ["init"],
    },
  },
  topics: [topic],
  agents: [],
  differences: null,
  onRemote: {
    log: logOnRemote,
    "thread answer": answerOnRemote,
    "thread kill": killOnRemote,
    "thread list": listOnRemote,
    "thread pause": pauseOnRemote,
    "thread read": readOnRemote,
    "thread resume": resumeOnRemote,
    "thread show": showOnRemote,
    "thread steps": readOnRemote,
    "thread usage": readOnRemote,
  },
};
