import { execFileSync, spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const packageDir = resolve(import.meta.dirname, "../..");
const root = resolve(packageDir, "../..");

/** No child of these tests lives longer, whatever happens. */
const LIFE_MS = 50_000;

export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
};

let built = false;

/** URL of the built index for child processes, which cannot read TypeScript; built first, so that a fresh clone can test. */
export function builtIndex(): string {
  if (!built)
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "--build", packageDir]);
  built = true;
  return pathToFileURL(join(packageDir, "dist/index.js")).href;
}

/** Runs a module of plain JavaScript as a process of its own, to its end. */
export function runModule(
  dir: string,
  name: string,
  source: string,
  args: readonly string[],
): Promise<Ended> {
  const file = join(dir, `${name}.mjs`);
  // Once: a child that is just starting must not find the file cut short by the next one's start.
  if (!existsSync(file)) writeFileSync(file, source);
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: LIFE_MS,
  });
  let stdout = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString("utf8");
  });
  return new Promise((done, failed) => {
    child.on("error", failed);
    child.on("close", (code, signal) => done({ code, signal, stdout }));
  });
}
