import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Kind, Random, Session } from "./frame.js";
import { AUTHOR, type Move, openEndpoint, SAY, saying } from "./hostile/index.js";
import {
  openWorld,
  putTurns,
  type Ran,
  RUNTIMES,
  type RunOptions,
  startThread,
  type World,
} from "./world.js";

type Key = {
  readonly variable: string;
  readonly value: string;
};

const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789";

/** A key like those of providers, with characters that URLs and JSON escape. */
function newKey(variable: string, random: Random): Key {
  const letters = Array.from({ length: 32 }, () => LETTERS.charAt(random.below(LETTERS.length)));
  return { variable, value: `sk-${letters.slice(0, 16).join("")}+/${letters.slice(16).join("")}=` };
}

/** Encodings of a key, all of which must be redacted. */
function spellingsOf({ value }: Key): readonly string[] {
  return [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString("base64"),
    JSON.stringify(JSON.stringify(value)),
  ];
}

/** The key with terminal codes in the middle, and in two writes. */
function brokenUp({ value }: Key): readonly [string, string] {
  return [value.slice(0, 15), value.slice(15)];
}

const LOOK_MS = 20;

type Listings = {
  /** Stops polling; returns every command line seen, and the number of polls. */
  readonly stop: () => { readonly lines: readonly string[]; readonly looks: number };
};

/** Polls what `ps` shows to every user. Nothing without /proc. */
function watchListings(): Listings {
  const seen = new Set<string>();
  let looks = 0;
  const look = (): void => {
    looks += 1;
    for (const pid of processes()) seen.add(commandLine(pid));
  };
  const timer = setInterval(look, LOOK_MS);
  const stop = () => {
    clearInterval(timer);
    return { lines: [...seen], looks };
  };
  return { stop };
}

function processes(): readonly string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** Finds keys in the files of a storage root, except `.env` and the files of a current run. */
export function leaksIn(root: string, keys: readonly Key[]): readonly string[] {
  return filesBelow(root)
    .filter((file) => file !== ".env" && !file.startsWith("runs/"))
    .flatMap((file) => leaksInText(file, readFileSync(join(root, file)), keys));
}

/** Finds keys in an output: which one, its encoding, and the text around it. */
export function leaksInText(where: string, said: Buffer | string, keys: readonly Key[]): readonly string[] {
  const bytes = typeof said === "string" ? Buffer.from(said) : said;
  return keys.flatMap((key) =>
    spellingsOf(key).flatMap((spelling, form) => {
      const at = bytes.indexOf(spelling);
      if (at === -1) return [];
      const around = bytes.subarray(Math.max(0, at - 120), at + spelling.length + 20).toString("utf8");
      return [`${key.variable} (${FORMS[form]}) in ${where}: ${JSON.stringify(around)}`];
    }),
  );
}

const FORMS = ["as it is", "in a URL", "in Base64", "in JSON of JSON"];

function filesBelow(root: string): readonly string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** An output with its source. */
type Output = { readonly title: string; readonly text: string };

const JSON_CAS = resolve(import.meta.dirname, "../../cli-json-cas/bin/json-cas");

type Stage = {
  readonly session: Session;
  readonly world: World;
  readonly keys: readonly Key[];
  /** Runs a command with the environment's key and keeps its output. */
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Ran>;
  readonly file: (name: string, text: string) => string;
};

/** Runs a thread whose agents and model repeat every key; returns all outputs of all commands. */
async function tellStory(session: Session, world: World, keys: readonly Key[]): Promise<readonly Output[]> {
  const outputs: Output[] = [];
  const inherited = keys[2];
  const run: Stage["run"] = async (args, options = {}) => {
    const env = {
      ...options.env,
      ...(inherited === undefined ? {} : { [inherited.variable]: inherited.value }),
    };
    const ran = await world.uwf(args, { ...options, env });
    const title = `uwf ${args.join(" ")}`;
    outputs.push(
      { title: `stdout of ${title}`, text: ran.stdout },
      { title: `stderr of ${title}`, text: ran.stderr },
    );
    return ran;
  };
  const file = (name: string, text: string): string => {
    writeFileSync(join(world.folder, name), text);
    return join(world.folder, name);
  };
  const stage: Stage = { session, world, keys, run, file };
  const endpoint = await openEndpoint();
  try {
    await configure(stage, endpoint.baseUrl);
    await putTurns(world);
    const thread = await startThread(world);
    await failingAgents(stage, thread);
    for (const move of echoes(keys)) {
      endpoint.play(move);
      const headless = file("headless", JSON.stringify({ text: `no header, ${allOf(keys)}` }));
      await run(["thread", "step", thread, ...AUTHOR], { env: { UWF_HOSTILE_REPLY: headless } });
    }
    await recordedSteps(stage, thread);
    await everyCommand(stage, thread, outputs);
  } finally {
    await endpoint.close();
  }
  return outputs;
}

/** The first key by `setup`, the second by hand, the third from the environment. */
async function configure({ run, world, keys }: Stage, baseUrl: string): Promise<void> {
  const [first, second] = keys;
  const flags = (provider: string) => [
    "setup",
    "--provider",
    provider,
    "--base-url",
    baseUrl,
    "--model",
    `${provider}-model`,
  ];
  await run([...flags("local"), "--api-key", "-"], { stdin: `${first?.value}\n` });
  appendFileSync(join(world.root, ".env"), `${second?.variable}='${second?.value}'\n`);
  await run(flags("other"));
}

function allOf(keys: readonly Key[]): string {
  const loud = keys.flatMap((key) => [...spellingsOf(key), brokenUp(key).join("\u001b[0m")]);
  return loud.join(" and ");
}

/** Keys in everything that belongs to a failure: both streams, halves in two writes, a thrown error, violations. */
async function failingAgents({ run, file, keys, session }: Stage, thread: string): Promise<void> {
  const loud = allOf(keys);
  const said = { stdout: file("said", `${loud}\n`), stderr: file("told", `${loud}\n${loud}`) };
  const step = ["thread", "step", thread];
  await run([...step, ...SAY], saying(said, 3));
  await run([...step, ...SAY], saying(said, 0));
  await run([...step, ...SAY, "--error-format", "json"], saying(said, 3));
  await run([...step, "--agent", `'${halves(file, keys)}'`]);
  const scripts = [
    { failure: loud },
    { text: `---\n${JSON.stringify({ text: [loud], [loud]: loud })}\n---\n${loud}`, stderr: loud },
  ];
  for (const script of scripts) {
    const env = { UWF_HOSTILE_REPLY: file("script", JSON.stringify(script)), UWF_DEBUG: "1" };
    await run([...step, ...AUTHOR], { env });
    session.count("agents that repeated keys");
  }
}

/** An agent that writes the halves of a key far enough apart to be read separately. */
function halves(file: Stage["file"], keys: readonly Key[]): string {
  const lines = keys.flatMap((key) => {
    const [left, right] = brokenUp(key);
    return [`printf %s '${left}' >&2`, "sleep 0.3", `printf '%s\\n' '${right}' >&2`];
  });
  const path = file("halves.sh", ["#!/bin/sh", ...lines, "exit 4", ""].join("\n"));
  return `/bin/sh' '${path}`;
}

/** A model that sends the request's own key back, as an error, as prose, and as a valid answer. */
function echoes(keys: readonly Key[]): readonly Move[] {
  const answer =
    (status: number, make: (key: string) => unknown): Move =>
    (response, _body, request) => {
      response.writeHead(status, { "content-type": "application/json", "retry-after": "0" });
      response.end(JSON.stringify(make(`${request.headers.authorization} ${allOf(keys)}`)));
    };
  const says = (content: string) => ({
    choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }],
  });
  return [
    answer(401, (key) => ({ error: { message: `the key ${key} is wrong`, code: key } })),
    answer(200, (key) => says(`your key is ${key}`)),
    answer(200, (key) => says(JSON.stringify({ text: [key], [key]: key }))),
    answer(200, (key) => says(JSON.stringify({ text: key }))),
  ];
}

/** Steps that are recorded: keys in the header, the body, the session and its tool calls. */
async function recordedSteps({ run, file, keys }: Stage, thread: string): Promise<void> {
  const loud = allOf(keys);
  const call = { name: loud, arguments: loud, result: loud, durationMs: 1 };
  const turn = { input: loud, output: loud, toolCalls: [call], tokens: null, latencyMs: 1 };
  const session = { sessionId: loud, cwd: loud, model: loud, turns: [turn], usage: null };
  for (const fields of [{ approved: false }, { text: loud }, { approved: false }]) {
    const script = { text: `---\n${JSON.stringify(fields)}\n---\n${loud}\n$PROMPT`, stderr: loud, session };
    await run(["thread", "run", thread, "--max-steps", "1", ...AUTHOR], {
      env: { UWF_HOSTILE_REPLY: file("recorded", JSON.stringify(script)) },
    });
  }
}

async function everyCommand(
  { run, world, session }: Stage,
  thread: string,
  outputs: Output[],
): Promise<void> {
  const steps: { steps?: { hash: string; detail?: string }[] } = JSON.parse(
    (await run(["thread", "steps", thread])).stdout,
  );
  const last = steps.steps?.at(-1);
  if ((steps.steps?.length ?? 0) < 3)
    session.broken("the harness itself runs to its end", "no step was recorded");
  const exported = join(world.folder, "export");
  const hash = last?.hash ?? "";
  const commands: readonly (readonly string[])[] = [
    ["thread", "read", thread, "--quota", "1000000"],
    ["thread", "step-details", hash],
    ["thread", "step-details", hash, "--format", "json"],
    ["thread", "show", thread],
    ["thread", "next", thread],
    ["log"],
    ["log", "--format", "yaml"],
    ["doctor"],
    ["cas", "get", last?.detail ?? hash],
    ["cas", "walk", hash, "--tree"],
    ["cas", "verify"],
    ["cas", "du"],
    ["cas", "export", thread, "-o", exported],
    ["thread", "step", thread, "--agent", "no-such-agent", "--error-format", "json"],
    ["thread", "show", "nonsense"],
    ["setup", "--provider", "local"],
    ["thread", "fork", hash],
    ["thread", "kill", thread],
  ];
  const short = session.level === "sample" ? commands.filter((_, at) => at % 2 === 0) : commands;
  for (const args of short) await run(args, { env: { UWF_DEBUG: "1" } });
  const direct = await world.uwf(["--store", join(world.root, "cas"), "get", hash], { program: JSON_CAS });
  if (existsSync(exported)) outputs.push({ title: "the export", text: readFileSync(exported, "latin1") });
  outputs.push({ title: "json-cas get", text: direct.stdout + direct.stderr });
}

const PROMISE = "keys reach no output, no file but .env, and no process listing";

/** Puts keys into `.env` and the environment, lets agents and a model repeat them, then searches everything. */
export const secrets: Kind = {
  name: "secrets",
  title:
    "keys planted, agents and a model that repeat them; outputs, the storage root and process listings searched",
  sampleRounds: 1,
  weight: 1,
  goals: { "outputs searched": 100, "files searched": 100 },
  run: async (session) => {
    for (let round = 0; session.more(round); round += 1) {
      const runtime = RUNTIMES[round % RUNTIMES.length] ?? RUNTIMES[0];
      const folder = join(session.folder, `round-${round}`);
      mkdirSync(folder);
      const keys = ["LOCAL_API_KEY", "EXTRA_TOKEN", "OTHER_API_KEY"].map((name) =>
        newKey(name, session.random),
      );
      const listings = watchListings();
      const world = openWorld(folder, runtime);
      const outputs = await tellStory(session, world, keys).finally(() => {
        const { lines, looks } = listings.stop();
        session.count("looks at process listings", looks);
        for (const line of lines) {
          for (const leak of leaksInText("a process listing", line, keys)) session.broken(PROMISE, leak);
        }
      });
      for (const { title, text } of outputs) {
        session.count("outputs searched");
        session.count("redaction marks", text.split("[redacted:").length - 1);
        for (const leak of leaksInText(title, text, keys))
          session.broken(PROMISE, `seed ${session.seed}: ${leak}`);
      }
      for (const leak of leaksIn(world.root, keys)) session.broken(PROMISE, `seed ${session.seed}: ${leak}`);
      session.count("files searched", readdirSync(world.root, { recursive: true }).length);
    }
  },
};
