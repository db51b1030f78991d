import { lstatSync } from "node:fs";
import type { RunDir } from "./types.js";

/**
 * When the agent last did what an idle limit looks at: it wrote something, or touched its heartbeat. Epoch ms; `null`:
 * neither yet.
 */
export function lastSignOfLife({ stdout, stderr, heartbeat }: RunDir): number | null {
  // Both are made, empty, before the agent begins.
  const outputs = [stdout, stderr].map(statOf).filter((stat) => stat !== undefined && stat.size > 0);
  const times = [...outputs, statOf(heartbeat)].map((stat) => stat?.mtimeMs ?? 0);
  const last = Math.max(...times);
  return last === 0 ? null : Math.round(last);
}

function statOf(path: string) {
  return lstatSync(path, { throwIfNoEntry: false });
}
