import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { ADD_ONS } from "../../budgets.js";

/** The root of this repository. */
export const repository = resolve(import.meta.dirname, "../../..");

/** Whether a path is of an add-on that is left out of the tree: the documents are those of the whole tree. */
export function isLeftOut(path: string): boolean {
  const [, name = ""] = /packages\/([\w-]+)/.exec(path) ?? [];
  return ADD_ONS.includes(name) && !existsSync(join(repository, "packages", name));
}

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs a program to its end without stdin. */
export function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string | undefined>> },
): Ran {
  const done = spawnSync(command, args, {
    cwd: options.cwd,
    env: { ...withoutNpm(process.env), ...options.env },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (done.error !== undefined) throw done.error;
  return { code: done.status, stdout: done.stdout, stderr: done.stderr };
}

/** npx hands its own options on (`--allow-scripts`, say), and an npm below it would take them for its own. */
function withoutNpm(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_config_allow/i.test(name)));
}

/** The first program of that name on PATH. */
export function onPath(name: string): string | null {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
