import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { JsonObject } from "@uncaged/json-cas";
import { fault } from "@uncaged/workflow-protocol";
import { once } from "@uncaged/workflow-util";
import { FaultError } from "../fault.js";
import { ask, play, type Setting } from "./play.js";
import { advance, makeThread } from "./scratch.js";
import type { Lab } from "./types.js";

const META: JsonObject = {
  type: "object",
  properties: {
    note: { type: "string", minLength: 1, description: "What you have written." },
    done: { type: "boolean", description: "Whether the task is done." },
  },
  required: ["note", "done"],
};

/** What the cases work with, on one scratch root. Throws `FaultError`. */
export function makeLab(setting: Setting): Lab {
  const { scratch, request, host } = setting;
  const meta = request.metaFile === null ? META : readMeta(resolve(host.cwd, request.metaFile));
  const newThread: Lab["newThread"] = (given) =>
    makeThread(scratch, host.now(), {
      role: request.role,
      meta: given.meta ?? meta,
      task: given.task ?? request.task,
    });
  const good = once(async () => {
    const thread = await newThread({ task: null, meta: null });
    return { thread, ran: await play(setting, thread, {}) };
  });
  return {
    storage: scratch.storage,
    request,
    graceMs: setting.graceMs,
    keys: scratch.keys,
    meta,
    newThread,
    play: (thread, variation) => play(setting, thread, variation),
    ask: (words) => ask(setting, words),
    cwd: setting.cwd,
    good,
    advance: (thread, next) => advance(scratch, thread, next),
  };
}

function readMeta(file: string): JsonObject {
  const wrong = (reason: string): FaultError =>
    new FaultError(fault("INVALID_INPUT", { what: file, reason }));
  try {
    const meta: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof meta === "object" && meta !== null && !Array.isArray(meta)) return meta as JsonObject;
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
  throw wrong("it is not a JSON Schema of an object");
}
