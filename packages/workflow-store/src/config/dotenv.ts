import { statSync } from "node:fs";
import { type Fault, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { readOptionalText } from "../text-file/index.js";
import { parseEnv } from "./env-text.js";
import { envFile } from "./files.js";
import type { AtRoot, DotEnv } from "./types.js";

const OTHERS = 0o077;

/** `.env` of the storage root; no variables where there is no such file. Faults as of `loadConfig`, without INVALID_CONFIG. */
export async function loadDotEnv(storage: AtRoot): Promise<Result<DotEnv, Fault>> {
  const file = envFile(storage);
  const text = readOptionalText(file, LIMITS.config);
  if (!text.ok) return text;
  if (text.value === null) return ok({ file, variables: {}, warning: null });
  return ok({ file, variables: await parseEnv(text.value), warning: modeWarning(file) });
}

function modeWarning(file: string): string | null {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS) === 0) return null;
  const octal = (mode & 0o777).toString(8).padStart(4, "0");
  return `${file} holds keys and has mode ${octal}: other users can reach it; run chmod 600 ${file}`;
}
