import { readFileSync } from "node:fs";
import { join } from "node:path";
import { codex } from "../adapters/index.js";
import { cliAgentMain } from "../main/index.js";

// No `await` here: a lazily loaded chunk may import from this file, and would wait for it for ever.
void cliAgentMain(codex, ownVersion(), process.argv.slice(2));

/** The version in this package's own package.json, two folders above the bundle. */
function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  return (manifest as { readonly version: string }).version;
}
