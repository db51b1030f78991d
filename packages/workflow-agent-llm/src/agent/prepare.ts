import { type AgentContext, answerCasGet, type Fault, openModel } from "@uncaged/workflow-agent-kit";
import { type Kind, type Options, parseOptions, usageOf } from "../options/index.js";
import { TOOLS } from "../tools/index.js";
import type { Port, Work } from "./types.js";

type Prepared = { readonly ok: true; readonly work: Work } | { readonly ok: false; readonly fault: Fault };

/** Options, model and tools of one call; everything that can be refused before anybody is asked. */
export async function prepare(kind: Kind, context: AgentContext, port: Port): Promise<Prepared> {
  const parsed = parseOptions(context.args, kind);
  if (!parsed.ok) {
    return { ok: false, fault: { code: "USAGE", reason: parsed.reason, usage: usageOf(kind) } };
  }
  const { options } = parsed;
  const overrides = [context.role, context.workflow.name].filter((name) => name !== "extract");
  const opened = await openModel({ ...port, env: context.env }, { alias: options.model, overrides });
  if (!opened.ok) return { ok: false, fault: opened.error };
  const model = opened.value;
  const { conceal } = model;
  const shop = {
    cwd: port.cwd,
    storageRoot: context.storageRoot,
    env: commandEnv(model.withoutKeys(context.env), options),
    outputLimit: options.outputLimit,
    commandMs: options.commandMs,
    graceMs: port.graceMs,
    readNode: (given: Parameters<typeof answerCasGet>[0]) => answerCasGet(given, context.store),
    putText: context.putText,
    conceal,
    signal: signalOf(context, options),
    heartbeat: context.heartbeat,
  };
  const tools = kind === "llm" ? [] : TOOLS.filter(({ name }) => options.shell || name !== "shell_exec");
  return { ok: true, work: { kind, model, options, tools, shop, port } };
}

function signalOf({ signal }: AgentContext, { timeoutMs }: Options): AbortSignal {
  return timeoutMs === null ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}

/** A key of another program than ours: a model's command has no business with it. */
const KEY_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;

function commandEnv(
  env: Readonly<Record<string, string>>,
  { passEnv }: Options,
): Readonly<Record<string, string>> {
  const kept = Object.entries(env).filter(([name]) => passEnv.includes(name) || !KEY_NAME.test(name));
  return Object.fromEntries(kept);
}
