import { createHash } from "node:crypto";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { computeHash, type Hash } from "@uncaged/json-cas";
import { openStorage, putFile, TYPE } from "@uncaged/workflow-store";
import { MOCK, openWorld, putTurns, RUNTIMES, type World } from "../world.js";

const BIN = join(import.meta.dirname, "../../..");
const AGENT = join(import.meta.dirname, "agent.sh");
const CLAUDE = join(import.meta.dirname, "claude.sh");

/** Whose session is the owner's, and whose the stranger's. */
type Side = { readonly session: string; readonly key: string; readonly approves: boolean };

/** A key that has a thread, and one that has none yet. */
export const KEY = "release-7";
export const NEW_KEY = "release-8";

export const OWNER: Side = { session: "session-of-the-owner", key: KEY, approves: false };
export const STRANGER: Side = { session: "session-of-a-stranger", key: "theirs", approves: true };

/** A thread of each kind, by what it is for. */
export const NAMES = ["visit", "gate", "ended", "ship", "fresh", "keyed", "paper"] as const;
export type Name = (typeof NAMES)[number];

export type Stage = {
  readonly world: World;
  readonly env: Readonly<Record<string, string>>;
  readonly threads: Readonly<Record<Name, string>>;
  /** The child of `ship`, whose person has not answered; at the stranger's it has ended. */
  readonly child: string;
  /** Where each thread stands. */
  readonly heads: Readonly<Record<Name, string>>;
  /** The folder where each start leaves its words. */
  readonly starts: string;
};

const VERDICT = {
  type: "object",
  required: ["approved"],
  properties: { approved: { type: "boolean" }, comment: { type: "string" } },
};

const DOCUMENT = {
  type: "object",
  required: ["document"],
  properties: {
    document: { type: "string", format: "cas_ref" },
    notes: { type: "array", items: { type: "object" } },
  },
};

const role = (does: string, meta: object, agent: unknown = undefined) => ({
  description: does,
  goal: `It ${does}`,
  capabilities: ["doing it"],
  procedure: "As always.",
  output: "What was asked for.",
  meta,
  ...(agent === undefined ? {} : { agent }),
});

const to = (name: string, condition: string | null = null) => ({ role: name, condition });

/** A person decides; what is shipped if a person says so; a document and what is said about it. */
const WORKFLOWS = {
  gate: {
    roles: { approver: role("decides", VERDICT, "human") },
    graph: { $START: [to("approver")], approver: [to("$END")] },
  },
  ship: {
    roles: {
      lead: role("has somebody decide", VERDICT, { workflow: "gate" }),
      checker: role("ships", { ...VERDICT, required: [] }),
    },
    conditions: {
      approved: { description: "may be shipped", expression: "steps[-1].output.approved = true" },
    },
    graph: {
      $START: [to("lead")],
      lead: [to("checker", "approved"), to("$END")],
      checker: [to("$END")],
    },
  },
  paper: {
    roles: { writer: role("writes", DOCUMENT), reader: role("reads", VERDICT) },
    graph: { $START: [to("writer")], writer: [to("reader")], reader: [to("$END")] },
  },
};

const CONFIG = `agents:
  recorder: { command: ${AGENT}, args: [] }
  claude: { command: ${join(BIN, "workflow-agent-cli/bin/uwf-claude")}, args: [] }
defaultAgent: recorder
providers: {}
models: {}
defaultModel: null
modelOverrides: null
agentOverrides: { turns: { maker: claude } }
`;

/** A document in two chunks, as one of more than 16 MiB has them. */
async function putDocument({ root }: World, { session }: Side): Promise<Hash> {
  const halves = ["first", "second"].map((half) => Buffer.from(`${half} half of ${session}\n`.repeat(50)));
  const bytes = Buffer.concat(halves);
  const sum = createHash("sha256").update(bytes).digest("hex");
  const parts = halves.map((half) => ({ type: TYPE.fileChunk, payload: { data: half.toString("base64") } }));
  const chunks = parts.map(({ type, payload }) => computeHash(type, payload));
  const about = { name: "document.txt", mediaType: "text/plain", size: bytes.length, sha256: sum };
  const whole = { type: TYPE.chunkedFile, payload: { ...about, chunks } };
  const hash = computeHash(whole.type, whole.payload);
  const { cas } = openStorage(root, { now: Date.now });
  return putFile(cas, { hash, nodes: [...parts, whole], size: bytes.length, text: bytes.toString() });
}

/**
 * The owner's storage root with a thread of each kind, or a stranger's with the same workflows and tasks: its nodes may
 * be the owner's too.
 */
export async function buildStage(folder: string, side: Side): Promise<Stage> {
  const open = openStage(folder, side);
  const { world, env } = open;
  const run = async (args: readonly string[], codes: readonly number[] = [0]) => {
    const ran = await world.uwf(args, { env });
    if (!codes.includes(ran.code ?? -1)) throw new Error(`uwf ${args.join(" ")}: ${ran.code} ${ran.stderr}`);
    return ran.stdout.startsWith("{") ? JSON.parse(ran.stdout) : null;
  };
  mkdirSync(join(folder, "bin"));
  symlinkSync(CLAUDE, join(folder, "bin/claude"));
  await putTurns(world);
  for (const [name, workflow] of Object.entries(WORKFLOWS)) {
    const about = { name, description: `It is called ${name}`, conditions: {} };
    writeFileSync(join(world.cwd, `${name}.yaml`), JSON.stringify({ ...about, ...workflow }));
    await run(["workflow", "put", join(world.cwd, `${name}.yaml`)]);
  }
  writeFileSync(join(world.root, "config.yaml"), CONFIG);
  writeFileSync(join(world.root, ".env"), `FAULTS_API_KEY=${SECRET}\n`, { mode: 0o600 });
  writeFileSync(join(world.cwd, "canary"), "Nobody but the owner changes this.\n");
  writeFileSync(env.UWF_MOCK_SCENARIO ?? "", scenarioWith(await putDocument(world, side)));
  const start = async (workflow: string, ...more: readonly string[]): Promise<string> =>
    (await run(["thread", "start", workflow, "-p", TASKS[workflow] ?? "", ...more])).thread;
  const step = (thread: string) => run(["thread", "step", thread], [0, 9]);
  const answer = (thread: string) =>
    run(["thread", "answer", thread, "--field", `approved=${side.approves}`, "--field", "comment=as said"]);
  const [visit, gate, ended, ship, fresh, keyed, paper] = [
    await start("turns"),
    await start("gate"),
    await start("gate"),
    await start("ship"),
    await start("ship"),
    await start("gate", "--key", side.key),
    await start("paper"),
  ];
  for (const thread of [visit, visit, gate, ended, ship, keyed, paper]) await step(thread);
  await answer(ended);
  const { children } = await run(["thread", "show", ship]);
  const child: string = children[0].thread;
  if (side.approves) {
    await answer(child);
    await answer(keyed);
    await step(ship);
  }
  rmSync(open.starts, { recursive: true });
  mkdirSync(open.starts);
  const threads = { visit, gate, ended, ship, fresh, keyed, paper };
  const heads = { ...threads };
  for (const name of NAMES) heads[name] = (await run(["thread", "show", threads[name]])).head;
  return { ...open, threads, child, heads };
}

/** Of the owner's `.env`. */
export const SECRET = "sk-a-key-that-nobody-else-may-see";

/** One workflow, one task: the start of a stranger's thread is the start of the owner's. */
export const TASKS: Readonly<Record<string, string>> = {
  turns: "Write it",
  gate: "May release 7 be shipped?",
  ship: "Ship release 7",
  paper: "Write the paper",
};

function openStage(folder: string, { session }: Side) {
  const world = openWorld(folder, RUNTIMES[0]);
  const starts = join(folder, "starts");
  mkdirSync(starts, { recursive: true });
  const own = world.environment(RUNTIMES[0]);
  const env = {
    ...own,
    PATH: `${join(folder, "bin")}:${own.PATH}`,
    USER: "owner",
    UWF_FAULTS_AGENT: MOCK,
    UWF_MOCK_SCENARIO: join(folder, "scenario.json"),
    UWF_AUTHORITY_STARTS: starts,
    UWF_AUTHORITY_SESSION: session,
  };
  return { world, env, starts };
}

function scenarioWith(document: string): string {
  const reply = (header: string) => ({ reply: `---\n${header}\n---\nDone.` });
  return JSON.stringify({
    roles: {
      maker: [reply("text: made")],
      checker: [reply("approved: false"), reply("approved: true")],
      writer: [reply(`document: ${document}\nnotes: [{ name: one }, { name: two }]`)],
      reader: [reply("approved: true")],
    },
  });
}

/** Makes the stage's folder as it was when `copy` was made of it; the starts are gone. */
export function restoreStage({ world, starts }: Stage, copy: string): void {
  // Folders stay what they are: with other inodes the root and its runs are a copy, whose keys and children do not count. An
  // empty disk gives a new folder the inode of the old one, a busy one does not.
  for (const name of readdirSync(world.folder, { recursive: true, encoding: "utf8" })) {
    const isThere = (path: string): boolean =>
      lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
    const path = join(world.folder, name);
    if (!isThere(path) || !isThere(join(copy, name))) rmSync(path, { recursive: true, force: true });
  }
  cpSync(copy, world.folder, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  mkdirSync(starts, { recursive: true });
}

/** What a program was started with. */
export type Start = {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
};

/** The starts that are not known yet, which are then. */
export function startsOf({ starts }: Stage, known: Set<string>): readonly Start[] {
  return readdirSync(starts)
    .filter((name) => !known.has(name))
    .sort()
    .map((name) => {
      known.add(name);
      const words = (file: string) =>
        readFileSync(join(starts, name, file), "utf8")
          .split("\0")
          .slice(0, -1);
      const env = Object.fromEntries(
        words("env").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
      );
      return { argv: words("argv"), env, cwd: readFileSync(join(starts, name, "cwd"), "utf8").trim() };
    });
}
