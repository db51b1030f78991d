import { type ConfigLocation, openModel, renderFault } from "@uncaged/workflow-agent-kit";
import { type Kind, parseOptions, usageOf } from "./options.js";

/** The report of `--check`, and whether a step could call its model. */
export type Checked = { readonly ok: boolean; readonly text: string };

export function isCheck(argv: readonly string[]): boolean {
  return argv.includes("--check");
}

/** `--check [options]`: whether the model and its key are configured. Sends no request. */
export async function check(argv: readonly string[], kind: Kind, place: ConfigLocation): Promise<Checked> {
  const parsed = parseOptions(
    argv.filter((word) => word !== "--check"),
    kind,
  );
  if (!parsed.ok) return { ok: false, text: `${parsed.reason}\n${usageOf(kind)}` };
  const opened = await openModel(place, { alias: parsed.options.model, overrides: [] });
  if (!opened.ok) return { ok: false, text: renderFault(opened.error, false).trimEnd() };
  const { alias, name, provider, baseUrl, keyName } = opened.value;
  const key = keyName === null ? "no key needed" : `key ${keyName} is set`;
  return { ok: true, text: `model ${alias} (${name}) of ${provider} at ${baseUrl}, ${key}` };
}
