import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { configure, type Subject } from "./subjects.js";

export const ROOT = resolve(import.meta.dirname, "../..");

const INSTALL_MS = 10 * 60_000;

type Installed =
  | { readonly bin: string; readonly reason: null }
  | { readonly bin: null; readonly reason: string };

/** Installs one program of exactly this version with npm into a folder of its own; gives the folder of its command, or why not. */
export function install({ program }: Subject, scratch: string): Installed {
  const folder = join(scratch, program.package.replaceAll("/", "-"));
  mkdirSync(folder, { recursive: true });
  const allowScripts = program.scripts ? { [program.package]: true } : {};
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, allowScripts }));
  const name = `${program.package}@${program.version}`;
  const options = ["--no-audit", "--no-fund", "--no-save", "--loglevel=error"];
  const words = ["install", ...options, ...(program.scripts ? [] : ["--ignore-scripts"]), name];
  // What an npx that started us says about itself would count for this install too; registry and certificates are to.
  const own = /^npm_config_(?:allow_scripts|local_prefix|global_prefix|ignore_scripts|yes)$/i;
  const env = Object.fromEntries(Object.entries(process.env).filter(([variable]) => !own.test(variable)));
  const ran = spawnSync("npm", words, { cwd: folder, env, encoding: "utf8", timeout: INSTALL_MS });
  if (ran.status === 0) return { bin: join(folder, "node_modules/.bin"), reason: null };
  const lines = ran.stderr.split("\n").filter((line) => line.startsWith("npm error"));
  const told = lines.slice(0, 3).join("; ") || (ran.error?.message ?? "npm did not say why");
  return { bin: null, reason: `${name} cannot be installed: ${told}` };
}

/** More than any command here takes; an agent that hangs is ended by the limits of config.yaml before that. */
const TIMEOUT_MS = 5 * 60_000;

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** uwf and a subject's agent in a storage root, a home and a working folder of their own. */
export type World = {
  readonly storage: string;
  readonly uwf: (...words: readonly string[]) => Promise<Ran>;
  /** Our agent itself. */
  readonly agent: (...words: readonly string[]) => Promise<Ran>;
};

export function makeWorld(subject: Subject, folder: string, bin: string, baseUrl: string): World {
  const [storage = "", home = "", work = ""] = ["storage", "home", "work"].map((name) => join(folder, name));
  for (const path of [storage, home, work]) mkdirSync(path, { recursive: true });
  configure(subject, home, baseUrl);
  const { package: owner, command, args } = subject.agent;
  const program = join(ROOT, "packages", owner, "bin", command);
  const agents = { subject: { command: program, args, timeoutSeconds: 180 } };
  writeFileSync(join(storage, "config.yaml"), JSON.stringify({ agents, defaultAgent: "subject" }));
  // Nothing of the user's own configuration or keys gets in.
  const own = {
    PATH: `${bin}:${process.env.PATH ?? ""}`,
    HOME: home,
    UNCAGED_WORKFLOW_STORAGE_ROOT: storage,
  };
  const run = (file: string, words: readonly string[]): Promise<Ran> =>
    new Promise((done, fail) => {
      const child = spawn(file, words, {
        cwd: work,
        env: { ...own, ...subject.env },
        stdio: ["ignore", "pipe", "pipe"],
        timeout: TIMEOUT_MS,
      });
      const said = { stdout: "", stderr: "" };
      for (const stream of ["stdout", "stderr"] as const) {
        child[stream].setEncoding("utf8").on("data", (text: string) => {
          said[stream] += text;
        });
      }
      child.on("error", fail);
      child.on("close", (code) => done({ code, ...said }));
    });
  const uwf = join(ROOT, "packages/cli-workflow/bin/uwf");
  return { storage, uwf: (...words) => run(uwf, words), agent: (...words) => run(program, words) };
}
