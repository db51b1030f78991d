import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect } from "vitest";
import { type Ran, type Sandbox, SCRIPT_RUNNER } from "../support/uwf.js";

export const LEAKY = resolve(import.meta.dirname, "../../dist/test-agents/leaky.mjs");

/** In `.env` of the storage root, with everything that has to be written differently somewhere. */
export const FILE_KEY = `sk-"file"\\key/0123+4567=89 ${"ä".repeat(3)}`;

/** In uwf's environment, named by config.yaml. */
export const PROVIDER_KEY = "sk-provider-0a1b2c3d4e5f6071";

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);

/** What must stand nowhere. Of Base64 the part that is the same whatever stands before and behind. */
const SPELLINGS = [FILE_KEY, PROVIDER_KEY].flatMap((key) => [
  key,
  quoted(key),
  quoted(quoted(key)),
  encodeURIComponent(key),
  ...["", "u", "us"].map((before) =>
    Buffer.from(`${before}${key}`).toString("base64").replace(/=+$/, "").slice(4, -4),
  ),
]);

/** Writes config.yaml with one agent, and `.env`. */
export function configure(box: Sandbox, agent: object, more: object = {}): void {
  const providers = { local: { baseUrl: "http://127.0.0.1:9/v1", apiKeyEnv: "PROVIDER_KEY" } };
  const models = { small: { provider: "local", name: "small-1" } };
  const config = { providers, models, agents: { it: agent }, defaultAgent: "it", ...more };
  box.write(join(box.root, "config.yaml"), JSON.stringify(config));
  writeFileSync(join(box.root, ".env"), `FILE_KEY='${FILE_KEY}'\n`, { mode: 0o600 });
}

/** The agent of leaky.mjs with this behaviour. */
export function leaky(...behaviour: readonly string[]) {
  return { command: SCRIPT_RUNNER, args: [LEAKY, ...behaviour] };
}

export const ENVIRONMENT = { PROVIDER_KEY, UWF_BACKOFF_SECONDS: "0" };

/** Every file of the storage root that holds a key, but `.env`. */
export function filesWithKeys(root: string, holds = holdsKey): readonly string[] {
  return filesIn(root, "").filter((path) => path !== ".env" && holds(readFileSync(join(root, path), "utf8")));
}

export function expectClean(ran: Pick<Ran, "stdout" | "stderr">): void {
  expect(spellingsIn(ran.stdout)).toEqual([]);
  expect(spellingsIn(ran.stderr)).toEqual([]);
}

export function spellingsIn(text: string): readonly string[] {
  return SPELLINGS.filter((spelling) => text.includes(spelling));
}

export function holdsKey(text: string): boolean {
  return spellingsIn(text).length > 0;
}

/** The command lines of all processes that we may look at. */
export function commandLines(): string {
  const pids = readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name));
  return pids.map((pid) => readOrNothing(`/proc/${pid}/cmdline`)).join("\n");
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function filesIn(root: string, prefix: string): readonly string[] {
  if (!existsSync(join(root, prefix))) return [];
  return readdirSync(join(root, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
    return entry.isDirectory() ? filesIn(root, path) : [path];
  });
}
