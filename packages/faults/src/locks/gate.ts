import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MOCK, type World } from "../world/index.js";

const GATED = join(import.meta.dirname, "gated.sh");

const PATIENCE_MS = 60_000;

/** An agent that works until it is let go. */
export type Gate = {
  /** The environment of a uwf whose agent is to wait. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when the agent runs. */
  readonly reached: () => Promise<void>;
  readonly open: () => void;
};

export function closeGate(world: World, name: string): Gate {
  const file = join(world.folder, `gate-${name}`);
  writeFileSync(file, "");
  return {
    env: { UWF_FAULTS_AGENT: GATED, UWF_FAULTS_GATED: MOCK, UWF_FAULTS_GATE: file },
    reached: () => until(`the agent of ${name} runs`, () => existsSync(`${file}.open`)),
    open: () => rmSync(file),
  };
}

/** Looks until it is true. Throws after a minute. */
export async function until(what: string, isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
