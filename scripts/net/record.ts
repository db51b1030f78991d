import { type ChildProcess, execFileSync, fork, spawn } from "node:child_process";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, hostname, tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { type Line, linesOf } from "./lines.js";
import type { Job, Ran } from "./runner.js";
import { environmentOf, makeWorld, RECORDED_MS, type World } from "./world.js";

export type Recorded = Ran & { readonly kind: string };

export type Net = {
  readonly commit: string;
  /** By the line as it is typed. */
  readonly lines: Readonly<Record<string, Recorded>>;
};

/** A line that does not end by then is recorded as one that hangs. */
const HANGS_MS = 60_000;

/** Records every line of the build in a folder. Throws when the world cannot be made with it. */
export async function record(repo: string): Promise<Net> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "uwf-net-")));
  // Before the build is copied: it may change while lines are recorded.
  const commit = commitOf(repo);
  try {
    const world = await makeWorld(resolve(repo), base);
    try {
      return { commit, lines: await recordLines(resolve(repo), base, world) };
    } finally {
      await world.close();
    }
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

async function recordLines(repo: string, base: string, world: World): Promise<Net["lines"]> {
  const count = Math.min(availableParallelism(), 4);
  const runners = Array.from({ length: count }, (_, at) => newRunner(base, world, at + 1));
  try {
    const [first] = runners;
    if (first === undefined) throw new Error("no processor");
    const lines = await linesOf(
      (line) => first.run(line),
      Object.keys(world.names).filter((name) => world.names[name]?.length === 26),
      readdirSync(join(base, "tools")).filter((name) => /^(uwf-|docx|office)/.test(name)),
    );
    const normal = normaliser(repo, base, world);
    const found = new Map<string, Recorded>();
    const queue = lines.entries();
    const work = async ({ run }: Runner): Promise<void> => {
      for (const [, line] of queue) {
        const ran = await run(line);
        found.set(keyOf(line), { kind: line.kind, ...normal(ran) });
      }
    };
    await Promise.all(runners.map(work));
    return Object.fromEntries(lines.map((line) => [keyOf(line), found.get(keyOf(line)) as Recorded]));
  } finally {
    for (const { close } of runners) close();
  }
}

function keyOf({ program, words, root }: Line): string {
  const shown = words.map((word) => (/^[\w@.,:=/+<>-]+$/.test(word) ? word : `'${word}'`));
  return [...(root === "root" ? [] : [`ROOT=${root}`]), program, ...shown].join(" ");
}

type Runner = { readonly run: (line: Line) => Promise<Ran>; readonly close: () => void };

/** One world of its own, in which one line is run at a time. */
function newRunner(base: string, world: World, number: number): Runner {
  const own = join(base, `w${number}`);
  const copy = join(base, `c${number}`);
  copyWorld(world.folder, own);
  cpSync(own, copy, { recursive: true, preserveTimestamps: true });
  const env = environmentOf(base, own);
  const cwd = join(own, "project");
  writeFileSync(join(base, "tools/clock"), String(RECORDED_MS));
  const begin = (): ChildProcess =>
    fork(join(import.meta.dirname, "runner.ts"), [own, copy, world.pids.join(",")], {
      env: { PATH: env.PATH, TZ: "UTC" },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
  let child = begin();
  let ready = once(child);
  const served = async (job: Job): Promise<Ran> => {
    if ((await ready) === null) throw new Error("a runner does not start");
    const answer = once(child);
    child.send(job);
    const ran = await answer;
    if (ran !== null) return ran as Ran;
    child.kill("SIGKILL");
    rmSync(own, { recursive: true });
    cpSync(copy, own, { recursive: true, preserveTimestamps: true });
    child = begin();
    ready = once(child);
    return { code: "it hangs, or ends its process", out: "", err: "", changed: [] };
  };
  const run = (line: Line): Promise<Ran> => {
    const argv = line.words.map((word) =>
      word.replace(/@([a-z]+(\.\d)?)/g, (all, name) => world.names[name] ?? all),
    );
    const job = {
      argv,
      env: { ...env, UNCAGED_WORKFLOW_STORAGE_ROOT: join(own, line.root) },
      cwd,
      epochMs: RECORDED_MS,
    };
    const file = IN_PROCESS[line.program];
    return file === undefined
      ? started(basename(line.program), job)
      : served({ ...job, file: join(world.build, file) });
  };
  return { run, close: () => child.kill("SIGKILL") };
}

/** Others are started as processes: their `main` gives no end that can be waited for. */
const IN_PROCESS: Readonly<Record<string, string>> = {
  uwf: "packages/cli-workflow/dist/bun/program-uwf.js",
  "json-cas": "packages/cli-json-cas/dist/bun/program-json-cas.js",
};

/** Its next message; `null` when it ends, or says nothing for too long. */
function once(child: ChildProcess): Promise<unknown> {
  return new Promise((done) => {
    const timer = setTimeout(() => done(null), HANGS_MS);
    const end = (answer: unknown): void => {
      clearTimeout(timer);
      child.off("message", end);
      child.off("exit", gone);
      done(answer);
    };
    const gone = (): void => end(null);
    child.on("message", end);
    child.on("exit", gone);
  });
}

function started(program: string, { argv, env, cwd }: Omit<Job, "file">): Promise<Ran> {
  return new Promise((done) => {
    const child = spawn(program, argv, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: HANGS_MS });
    let out = "";
    let err = "";
    child.stdout.on("data", (text) => (out += text));
    child.stderr.on("data", (text) => (err += text));
    child.on("close", (code, signal) => done({ code: code ?? String(signal), out, err, changed: [] }));
  });
}

/** A copy that its files take for the place where they were made: they hold its path, and which folder that is. */
function copyWorld(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith(".bin")) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, "utf8");
    const moved = text
      .replaceAll(from, to)
      .replace(/"folder":"([^"]*)","device":"\d+","inode":"\d+"/g, (_, folder) => {
        const { dev, ino } = statSync(folder);
        return `"folder":"${folder}","device":"${dev}","inode":"${ino}"`;
      });
    if (moved !== text) writeFileSync(path, moved);
  }
}

/** Replaces what is another in each record: folders, ids, processes, this machine. */
function normaliser(repo: string, base: string, world: World): (ran: Ran) => Ran {
  const names = Object.entries(world.names);
  const threads = names.filter(([, id]) => id.length === 26);
  const plain: readonly (readonly [RegExp, string])[] = [
    [new RegExp(`${base}/[wc]\\d`, "g"), "<world>"],
    [new RegExp(`(/private)?${base}`, "g"), "<base>"],
    [new RegExp(`${repo}(?=[/\\s"'])`, "g"), "<repo>"],
    [new RegExp(`\\b(${world.pids.join("|")})\\b`, "g"), "<pid>"],
    [new RegExp(`\\b(${world.ended.join("|")})\\b`, "g"), "<ended pid>"],
    [new RegExp(`\\b${hostname()}\\b`, "g"), "<host>"],
    [/\b[0-9a-f]{24}\b/g, "<token>"],
    [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uuid>"],
    [/\d+ MiB are free/g, "<size> are free"],
    // Since the fixed time.
    [/\b\d{10,} ms/g, "<long> ms"],
    // A pack is named after its bytes, in which nodes stand in the order of the folder.
    [/(pack\/|pack"?: "?)[0-9A-Z]{13}/g, "$1<pack>"],
  ];
  const clean = (text: string): string => plain.reduce((seen, [from, to]) => seen.replace(from, to), text);
  const text = (raw: string): string =>
    names
      .reduce((seen, [name, id]) => seen.replaceAll(id, `<${name}>`), clean(raw))
      .replace(
        // The end of an id that is long enough to mean it.
        /(?<![0-9A-Z])[0-9A-HJKMNP-TV-Z]{4,25}(?![0-9A-Z])/g,
        (word) => {
          const found = threads.find(([, id]) => id.endsWith(word));
          return found === undefined ? word : `<${found[0]}:${word.length}>`;
        },
      );
  return ({ code, out, err, changed }) => ({
    code,
    out: text(out),
    err: text(err),
    changed: changed.map(text),
  });
}

function commitOf(repo: string): string {
  try {
    return execFileSync("git", ["-C", repo, "rev-parse", "HEAD"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return "unknown";
  }
}
