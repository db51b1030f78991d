import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { afterEachFile } from "../../../json-cas-fs/test/support/ends.js";
import { RUNTIMES, type Runtime } from "../../../json-cas-fs/test/support/runtimes.js";

const packageDir = resolve(import.meta.dirname, "../..");
const launcher = join(packageDir, "bin/json-cas");
const bundle = join(packageDir, "dist/bin/json-cas.js");

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type RunOptions = {
  readonly stdin: string | Uint8Array | null;
  readonly env: Readonly<Record<string, string>>;
  readonly runtime: Runtime;
};

const path = process.env.PATH ?? "";

export { RUNTIMES, type Runtime };

const made: string[] = [];

export function temporaryDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "cli-json-cas-"));
  made.push(dir);
  return dir;
}

// Not after each test: they run several at once.
afterEachFile(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** Starts the built binary through its launcher. */
export function start(args: readonly string[], options: Partial<RunOptions> = {}) {
  if (!existsSync(bundle)) throw new Error("the binary is not built: bun run build:bins");
  const env = {
    PATH: `${dirname(process.execPath)}${delimiter}${path}`,
    HOME: tmpdir(),
    UWF_RUNTIME: options.runtime ?? "node",
    ...options.env,
  };
  return spawn(launcher, args, { env, stdio: "pipe" });
}

/** Runs the built binary to its end. */
export function jsonCas(args: readonly string[], options: Partial<RunOptions> = {}): Promise<Ran> {
  const child = start(args, options);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  child.stdin.on("error", () => {});
  child.stdin.end(options.stdin ?? "");
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) =>
      done({
        code,
        stdout: Buffer.concat(out).toString("utf8"),
        stderr: Buffer.concat(err).toString("utf8"),
      }),
    );
  });
}

/** Runs on a store, expects exit 0 and gives the document; the tests look at whatever they expect in it. */

export async function json(
  dir: string,
  args: readonly string[],
  options: Partial<RunOptions> = {},
  // biome-ignore lint/suspicious/noExplicitAny: a document of a test
): Promise<any> {
  const ran = await jsonCas(["--store", dir, ...args], options);
  if (ran.code !== 0) throw new Error(`json-cas ${args.join(" ")} exited with ${ran.code}: ${ran.stderr}`);
  return JSON.parse(ran.stdout);
}
