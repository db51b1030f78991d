import { realpathSync } from "node:fs";
import { writeFileAtomic } from "@uncaged/json-cas-fs";
import type { Fault, Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { ensureFolder } from "../files/index.js";
import { configFile, envFile } from "./files.js";
import type { AtRoot, ConfigPaths, ConfigTexts } from "./types.js";

const PRIVATE = 0o600;

/**
 * Writes what is not `null`, each file whole or not at all. `.env` first: config.yaml names the variable, and one that
 * is set and not yet named does no harm. Faults: IO_FAILED. For a read-modify-write take `updateConfigFiles`.
 */
export function writeConfigFiles(storage: AtRoot, { config, env }: ConfigTexts): Result<ConfigPaths, Fault> {
  const paths = { config: configFile(storage), env: envFile(storage) };
  return attempt(() => {
    ensureFolder(storage.root);
    if (env !== null) writeFileAtomic(targetOf(paths.env), env, { mode: PRIVATE });
    if (config !== null) writeFileAtomic(targetOf(paths.config), config, { mode: null });
    return paths;
  });
}

/** A linked file (people keep their dotfiles elsewhere) is replaced where it lies; the link stays. */
function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
