import { type CasRef, ENV, type ThreadId } from "@uncaged/workflow-protocol";
import type { NotifyEvent, Storage } from "@uncaged/workflow-store";
import { type ChildOutcome, definedOnly, resolveCommand, runChild } from "@uncaged/workflow-util";
import type { Host, Messages } from "../host.js";
import type { Configured } from "./plan.js";

/** A step that has done its work does not wait longer for a chat or a mail, in ms. */
const PATIENCE_MS = 30_000;
const GRACE_MS = 1000;

/** How much of what the command says goes into the warning, in bytes. */
const SAID = 500;

export type Caller = Messages &
  Configured & {
    readonly host: Host;
    readonly storage: Storage;
    readonly thread: ThreadId;
    readonly chain: {
      readonly head: CasRef;
      readonly workflow: { readonly hash: CasRef; readonly payload: { readonly name: string } };
    };
  };

/** What happened, and the command that a person types next. */
type About = { readonly role: string | null; readonly question: string | null; readonly command: string };

/** Calls `notify` of config.yaml. `false`: it failed on an event that it wants: a warning, never a fault. */
export async function notify(caller: Caller, event: NotifyEvent, about: About): Promise<boolean> {
  const { config, host, storage, thread, chain, redactor, warn } = caller;
  const wanted = config?.notify ?? null;
  if (wanted === null || !wanted.on.includes(event)) return true;
  const { hash, payload } = chain.workflow;
  const message = { event, thread, workflow: { name: payload.name, hash }, head: chain.head, ...about };
  const resolved = resolveCommand(wanted.command, { path: host.env.PATH ?? "", cwd: storage.root });
  if (!resolved.ok) {
    warn(`notify: ${wanted.command} cannot be found on PATH`);
    return false;
  }
  const outcome = await runChild({
    command: resolved.value,
    args: wanted.args,
    cwd: storage.root,
    env: { ...definedOnly(host.env), [ENV.storageRoot]: storage.root },
    stdin: { kind: "text", text: `${JSON.stringify(redactor.record(message))}\n` },
    stdout: { kind: "memory", limitBytes: SAID },
    stderr: { kind: "memory", limitBytes: SAID },
    limits: { timeoutMs: PATIENCE_MS, graceMs: GRACE_MS },
  });
  if (outcome.kind === "exited" && outcome.code === 0) return true;
  warn(redactor.text(`notify: ${wanted.command} ${wayOf(outcome)}`));
  return false;
}

function wayOf(outcome: ChildOutcome): string {
  const stderr = outcome.stderr?.trim() ?? "";
  const words = stderr === "" ? "" : `: ${stderr}`;
  switch (outcome.kind) {
    case "exited":
      return `exited with ${outcome.code}${words}`;
    case "timeout":
      return `took longer than ${PATIENCE_MS / 1000} s and was ended`;
    case "signaled":
      return `was ended by ${outcome.signal}${words}`;
    default:
      return `could not be run${words}`;
  }
}
