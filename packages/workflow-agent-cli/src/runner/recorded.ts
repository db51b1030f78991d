import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { SessionFacts } from "@uncaged/workflow-agent-kit";
import type { Adapter, Place } from "../adapters/index.js";
import { recordIn } from "../events/index.js";

/** No session of a single step comes near it; a longer file is not read. */
const LARGEST = 64 * 1024 * 1024;

type Run = Pick<Place, "env" | "home"> & {
  readonly sessionId: string;
  /** When it began, epoch ms. */
  readonly since: number;
};

/** What a run has used by the file that its CLI keeps of the session; `null`: there is none, or it does not tell. */
export function recordedUsage({ sessionFile }: Adapter, run: Run): SessionFacts["usage"] {
  if (sessionFile === undefined) return null;
  try {
    const file = newestIn(sessionFile.folder(run), (name) => sessionFile.isOf(name, run.sessionId));
    if (file === null) return null;
    const records = readFileSync(file, "utf8")
      .split("\n")
      .map(recordIn)
      .filter((record) => record !== null);
    const tokens = sessionFile.tokens(records, run.since);
    if (tokens === null) return null;
    const { input, output, costUsd } = tokens;
    return { inputTokens: input, outputTokens: output, totalTokens: input + output, costUsd };
  } catch {
    // It is the CLI's own: whatever is wrong with it, it only tells nothing.
    return null;
  }
}

function newestIn(folder: string, isOf: (name: string) => boolean): string | null {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => isOf(basename(path)))
    .map((path) => ({ path: join(folder, path), stat: statSync(join(folder, path)) }))
    .filter(({ stat }) => stat.isFile() && stat.size <= LARGEST)
    .sort((one, other) => other.stat.mtimeMs - one.stat.mtimeMs);
  return files[0]?.path ?? null;
}
