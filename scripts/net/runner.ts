import fs, { cpSync, lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fixWorld } from "./clock.js";

// `bun runner.ts <world> <copy> <pids>`: runs command lines of built programs in this process, a tenth of what starting one
// costs. It asks the first file of a program, as the launcher does, and stands in for what a process gives it: words,
// environment, folder, stdout, stderr, the end. After each line it puts back what the line has changed in its world.

/** One line to run. */
export type Job = {
  /** The JavaScript file whose `main` the program is. */
  readonly file: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly epochMs: number;
};

export type Ran = {
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
  /** `+` new, `-` gone, `~` other content: paths within the world, sorted. */
  readonly changed: readonly string[];
};

const [world = "", copy = "", pids = ""] = process.argv.slice(2);
const FOLDER = "folder";
const load = createRequire(import.meta.url);
const { writeSync } = fs;
const { kill } = process;
let stamps = filesOf(world);
const written = { out: [] as Buffer[], err: [] as Buffer[] };
let ended: (code: number | string) => void = () => {};

type Write = (fd: number, data: string | Uint8Array, offset?: number, length?: number, at?: number) => number;

/** Catches what goes to stdout and stderr. */
const caught: Write = (fd, data, offset = 0, length = undefined, at = undefined) => {
  if (fd !== 1 && fd !== 2) return (writeSync as Write)(fd, data, offset, length, at);
  const bytes = Buffer.from(data as string);
  const taken = typeof data === "string" ? bytes : bytes.subarray(offset, offset + (length ?? bytes.length));
  written[fd === 1 ? "out" : "err"].push(taken);
  return taken.length;
};
fs.writeSync = caught as typeof writeSync;
for (const [fd, stream] of [
  [1, process.stdout],
  [2, process.stderr],
] as const)
  stream.write = ((text: string | Uint8Array) => caught(fd, text) >= 0) as typeof stream.write;
process.exit = ((code: number) => ended(code)) as typeof process.exit;
// What runs a thread of the world is needed by other lines.
process.kill = (pid, signal) => {
  if (signal === 0 || !pids.split(",").includes(String(Math.abs(pid))))
    return kill.call(process, pid, signal);
  throw Object.assign(new Error("kill EPERM"), { code: "EPERM", errno: -1, syscall: "kill" });
};
process.on("unhandledRejection", (error) => ended(`unhandled: ${error}`));
process.on("uncaughtException", (error) => ended(`uncaught: ${error}`));

async function run({ file, argv, env, cwd, epochMs }: Job): Promise<Ran> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env, { PWD: cwd });
  process.chdir(cwd);
  process.argv = [process.execPath, file, ...argv];
  written.out = [];
  written.err = [];
  fixWorld(epochMs, "a line");
  const code = await new Promise<number | string>((resolve) => {
    ended = resolve;
    try {
      void (load(file) as { readonly main: () => unknown }).main();
    } catch (error) {
      resolve(`thrown: ${error}`);
    }
  });
  process.exitCode = 0;
  const text = (parts: readonly Buffer[]): string => Buffer.concat(parts).toString("utf8");
  return { code, out: text(written.out), err: text(written.err), changed: putBack() };
}

/** Gives what was changed. */
function putBack(): readonly string[] {
  process.chdir("/");
  const found = filesOf(world);
  const changed = [...new Set([...stamps.keys(), ...found.keys()])]
    .filter((path) => stamps.get(path) !== found.get(path))
    .sort();
  if (changed.length === 0) return [];
  for (const path of changed)
    if (found.has(path)) rmSync(join(world, path), { recursive: true, force: true });
  for (const path of changed) {
    if (stamps.get(path) === FOLDER) mkdirSync(join(world, path), { recursive: true });
    else if (stamps.has(path)) cpSync(join(copy, path), join(world, path), { preserveTimestamps: true });
  }
  const told = changed.map((path) => `${stamps.has(path) ? (found.has(path) ? "~" : "-") : "+"} ${path}`);
  stamps = filesOf(world);
  return told;
}

/** Path → what changes whenever somebody writes; a folder's contents have paths of their own. */
function filesOf(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(folder.length + 1), entry.isDirectory() ? FOLDER : stampOf(path)];
    }),
  );
}

function stampOf(path: string): string {
  const { size, ino, ctimeMs } = lstatSync(path);
  return `${size} ${ino} ${ctimeMs}`;
}

process.on("message", async (job: Job) => {
  process.send?.(await run(job));
});
process.send?.("ready");
