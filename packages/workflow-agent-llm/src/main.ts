import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import {
  type ConfigLocation,
  createAgent,
  openModel,
  printText,
  renderFault,
  writeStderr,
} from "@uncaged/workflow-agent-kit";
import { llmAgent, type Port } from "./agent.js";
import { helpOf, type Kind, parseOptions, usageOf } from "./options.js";

/** The `main` of both binaries: help, `--check`, or one step. */
export async function llmMain(kind: Kind, version: string, argv: readonly string[]): Promise<void> {
  const port = processPort();
  if (isCheck(argv)) {
    const { ok, text } = await check(argv, kind, port);
    if (!ok) writeStderr(`${text}\n`);
    process.exitCode = ok ? printText(`${text}\n`, 0) : 1;
  } else {
    await createAgent({ name: `uwf-${kind}`, version, help: helpOf(kind), ...llmAgent(kind, port) })(argv);
  }
}

/** The process around the agent. */
function processPort(): Port {
  return {
    env: process.env,
    cwd: process.cwd(),
    home: process.env.HOME || homedir(),
    now: Date.now,
    newId: randomUUID,
    stderr: (line) => writeStderr(`${line}\n`),
    graceMs: 2000,
  };
}

/** The report of `--check`, and whether a step could call its model. */
type Checked = { readonly ok: boolean; readonly text: string };

function isCheck(argv: readonly string[]): boolean {
  return argv.includes("--check");
}

/** `--check [options]`: whether the model and its key are configured. Sends no request. */
export async function check(argv: readonly string[], kind: Kind, place: ConfigLocation): Promise<Checked> {
  const parsed = parseOptions(
    argv.filter((word) => word !== "--check"),
    kind,
  );
  if (!parsed.ok) return { ok: false, text: `${parsed.error}\n${usageOf(kind)}` };
  const opened = await openModel(place, { alias: parsed.value.model, overrides: [] });
  if (!opened.ok) return { ok: false, text: renderFault(opened.error, false).trimEnd() };
  const { alias, name, provider, baseUrl, keyName } = opened.value;
  const key = keyName === null ? "no key needed" : `key ${keyName} is set`;
  return { ok: true, text: `model ${alias} (${name}) of ${provider} at ${baseUrl}, ${key}` };
}
