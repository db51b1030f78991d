import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Place, Subject } from "./types.js";

export const ROOT = resolve(import.meta.dirname, "../..");

/** More than any command here takes; an agent that hangs is ended by the limits of config.yaml before that. */
const TIMEOUT_MS = 5 * 60_000;

export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** uwf and a subject's agent in a storage root, a home and a working folder of their own. */
export type World = {
  readonly storage: string;
  readonly place: Place;
  readonly uwf: (...words: readonly string[]) => Promise<Ran>;
  /** Our agent itself. */
  readonly agent: (...words: readonly string[]) => Promise<Ran>;
};

export function makeWorld(subject: Subject, folder: string, bin: string, baseUrl: string): World {
  const [storage, home, work] = ["storage", "home", "work"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [storage, home, work]) mkdirSync(path, { recursive: true });
  const place: Place = { home, work, baseUrl };
  subject.configure(place);
  const { package: owner, command, args } = subject.agent;
  const program = join(ROOT, "packages", owner, "bin", command);
  const agents = { subject: { command: program, args, timeoutSeconds: 180 } };
  writeFileSync(join(storage, "config.yaml"), JSON.stringify({ agents, defaultAgent: "subject" }));
  const env = environment(subject, { home, storage, bin });
  const uwf = join(ROOT, "packages/cli-workflow/bin/uwf");
  return {
    storage,
    place,
    uwf: (...words) => run(uwf, words, env, work),
    agent: (...words) => run(program, words, env, work),
  };
}

/** Nothing of the user's own configuration or keys gets in. */
function environment(
  subject: Subject,
  { home, storage, bin }: { readonly home: string; readonly storage: string; readonly bin: string },
): Readonly<Record<string, string>> {
  return {
    PATH: `${bin}:${process.env.PATH ?? ""}`,
    HOME: home,
    UNCAGED_WORKFLOW_STORAGE_ROOT: storage,
    ...subject.env,
  };
}

function run(
  command: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<Ran> {
  return new Promise((done, fail) => {
    const child = spawn(command, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: TIMEOUT_MS });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.on("error", fail);
    child.on("close", (code) => done({ code, stdout, stderr }));
  });
}
