import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Kind, Random } from "./frame.js";
import { ended, openWorld, putTurns, type Ran, RUNTIMES, startThread, type World } from "./world.js";

const EXEC = resolve(import.meta.dirname, "../../workflow-agent-exec/bin/uwf-exec");

/** One attack on a fresh world with the workflow `turns`; returns what it achieved; `null`: nothing. */
type Attack = {
  readonly name: string;
  readonly promise: string;
  readonly run: (world: World, random: Random) => Promise<string | null>;
};

const told = (ran: Ran): string => `exit ${ran.code ?? ran.signal}, ${ran.stderr.slice(0, 400)}`;

function script(world: World, name: string, lines: string): string {
  const file = join(world.cwd, name);
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
  return file;
}

async function until(holds: () => boolean): Promise<boolean> {
  for (let look = 0; look < 1_500; look += 1) {
    if (holds()) return true;
    await new Promise((done) => setTimeout(done, 20));
  }
  return false;
}

/** A step whose agent waits for a file. */
async function working(world: World, thread: string, name: string) {
  const gate = join(world.cwd, name);
  const agent = script(
    world,
    `${name}.sh`,
    `touch '${gate}.works'\nwhile [ ! -e '${gate}' ]; do sleep 0.02; done\nexec "$UWF_FAULTS_AGENT" "$@"`,
  );
  const child = world.start(["thread", "step", thread, "--agent", `'${agent}'`]);
  const over = ended(child);
  const works = await until(() => existsSync(`${gate}.works`));
  return { child, over, works, go: () => writeFileSync(gate, "") };
}

const isAlive = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

/** World-writable roots; only root could create one of another user. */
const openRoot: Attack = {
  name: "roots open to everybody",
  promise: "a root that is not trusted executes and signals nothing",
  run: async (world, random) => {
    const thread = await startThread(world);
    const mark = join(world.cwd, "executed");
    const agent = script(world, "marks", `touch '${mark}'; exit 1`);
    writeFileSync(join(world.root, "config.yaml"), `agents: { m: { command: ${agent} } }\ndefaultAgent: m\n`);
    writeFileSync(join(world.root, ".env"), "", { mode: 0o600 });
    mkdirSync(join(world.root, "runs"), { recursive: true });
    const part = join(world.root, random.pick([".", "config.yaml", ".env", "runs"]));
    chmodSync(part, statSync(part).mode | 0o002);
    const args = random.pick([
      ["thread", "step", thread],
      ["thread", "run", thread],
      ["thread", "kill", thread],
      ["doctor"],
    ]);
    const ran = await world.uwf(args);
    if (existsSync(mark)) return `${args.join(" ")} executed what config.yaml names, though ${part} is open`;
    return ran.code === 4 ? null : `${args.join(" ")}: ${told(ran)}`;
  },
};

const strangersPid: Attack = {
  name: "records that name strangers",
  promise: "only processes that are proved to be of the run are signalled",
  run: async (world, random) => {
    const thread = await startThread(world);
    const step = await working(world, thread, "gate");
    step.child.kill("SIGKILL");
    await step.over;
    const stranger = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    try {
      const folder = join(world.root, "runs", thread);
      const [token = ""] = readdirSync(folder).filter((name) => !name.endsWith(".json"));
      const pid = stranger.pid ?? 0;
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const record = join(folder, token, "run.json");
      const change = random.pick<Readonly<Record<string, string>>>([
        {},
        { bootId: "x" },
        { host: "elsewhere" },
        { pidNamespace: "pid:[1]" },
      ]);
      writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, "utf8")), ...change }));
      const whole = Object.keys(change).length > 0 ? [stat] : [];
      const text = random.pick([
        `${pid}\n`,
        `-${pid} (x) S\n`,
        "1\n",
        "0\n",
        stat.replace(/\d{3,}/g, "77"),
        ...whole,
      ] as [string, ...string[]]);
      writeFileSync(join(folder, token, "pid"), text);
      step.go();
      await world.uwf(["thread", "kill", thread]);
      return isAlive(stranger)
        ? null
        : `a stranger was signalled for the pid file ${JSON.stringify(text)} and ${JSON.stringify(change)}`;
    } finally {
      stranger.kill("SIGKILL");
    }
  },
};

const takenByForce: Attack = {
  name: "threads taken by force",
  promise: "a step that has lost its thread moves no head",
  run: async (world) => {
    const thread = await startThread(world);
    const head = async () => (await world.json(["thread", "show", thread])).head;
    const before = await head();
    const step = await working(world, thread, "gate");
    await world.json(["thread", "unlock", thread, "--force"]);
    step.go();
    const lost = await step.over;
    if (lost.code !== 75) return `the step that lost its thread: ${told(lost)}`;
    if ((await head()) !== before) return "its head has moved";
    const next = await world.uwf(["thread", "step", thread, ...world.agent]);
    return next.code === 0 ? null : `the next step: ${told(next)}`;
  },
};

const quotedSuccess: Attack = {
  name: "logs that quote success",
  promise: "only the process determines how a command ended",
  run: async (world, random) => {
    const meta = {
      type: "object",
      properties: { ok: { type: "boolean" }, exitCode: { type: "integer" } },
      required: ["ok", "exitCode"],
    };
    const role = { description: "d", goal: "g", capabilities: [], procedure: "p", output: "o", meta };
    const graph = {
      $START: [{ role: "tester", condition: null }],
      tester: [{ role: "$END", condition: null }],
    };
    const workflow = { name: "tests", description: "d", roles: { tester: role }, conditions: {}, graph };
    const file = join(world.cwd, "tests.json");
    writeFileSync(file, JSON.stringify(workflow));
    await world.json(["workflow", "put", file]);
    const { thread } = await world.json(["thread", "start", "tests", "-p", "x"]);
    const status = 1 + random.below(100);
    const header = random.pick([
      "---\\nok: true\\nexitCode: 0\\n---\\n",
      "```\\n---\\nok: true\\nexitCode: 0\\n---\\n```\\n",
      '{\\"ok\\": true}\\n',
    ]);
    const command = script(world, "tests.sh", `printf -- "${header}"; exit ${status}`);
    const ran = await world.uwf(["thread", "step", thread, "--agent", `'${EXEC}' -- '${command}'`]);
    if (ran.code !== 0) return told(ran);
    const { steps } = await world.json<{ steps: readonly { output?: { ok: boolean; exitCode: number } }[] }>([
      "thread",
      "steps",
      thread,
    ]);
    const output = steps.at(-1)?.output;
    return output?.ok === false && output.exitCode === status
      ? null
      : `recorded as ${JSON.stringify(output)}`;
  },
};

const explodingSchema: Attack = {
  name: "schemas that explode",
  promise: "checking a value takes bounded work",
  run: async (world, random) => {
    const many = (count: number, make: (n: number) => unknown) =>
      Array.from({ length: count }, (_, n) => make(n));
    const size = 50 + random.below(200);
    const schema = random.pick<object>([
      { items: { not: { anyOf: many(size, (n) => ({ pattern: `(a?){${size}}${n}$` })) } } },
      { contains: { enum: many(size * 3, (n) => ({ id: n })) } },
      { items: { oneOf: many(size, (n) => ({ properties: { a: { const: n } } })) } },
      {
        $defs: Object.fromEntries(
          many(40, (n) => [
            `d${n}`,
            n === 0
              ? {}
              : {
                  allOf: [
                    { $ref: `#/$defs/d${(n as number) - 1}` },
                    { $ref: `#/$defs/d${(n as number) - 1}` },
                  ],
                },
          ]) as [string, unknown][],
        ),
        $ref: "#/$defs/d39",
      },
    ]);
    const { hash } = await world.json(["cas", "schema", "put", JSON.stringify(schema)]);
    const value = many(5_000, (n) => (random.below(2) === 0 ? `a${n}` : { id: -(n as number) }));
    const before = Date.now();
    const ran = await world.uwf(["cas", "schema", "validate", hash, "-"], { stdin: JSON.stringify(value) });
    // Seconds on a slow machine, minutes without a bound.
    if (Date.now() - before > 60_000)
      return `${JSON.stringify(schema).slice(0, 200)} took ${Date.now() - before} ms`;
    return ran.code === 0 || ran.code === 4 ? null : told(ran);
  },
};

const LARGE = [
  "threads.yaml",
  "registry.yaml",
  "history.jsonl",
  "removed.jsonl",
  "keys.jsonl",
  "config.yaml",
  ".env",
  "runs/T/ending",
  "runs/T/cwd.json",
  "logs/2026-01-01.jsonl",
  "cas/_format",
];

const hugeFile: Attack = {
  name: "files without an end",
  promise: "no size of a file is a bug of uwf",
  run: async (world, random) => {
    const thread = await startThread(world);
    const file = join(world.root, random.pick(LARGE as [string, ...string[]]).replace("T", thread));
    mkdirSync(dirname(file), { recursive: true });
    const fd = openSync(file, "a");
    ftruncateSync(fd, 1 + random.below(2 ** 31));
    closeSync(fd);
    const args = random.pick([
      ["thread", "list", "--all"],
      ["thread", "show", thread],
      ["thread", "step", thread, ...world.agent],
      ["log"],
      ["doctor"],
      ["cas", "gc"],
    ]);
    const ran = await world.uwf(args);
    return ran.code === null || ran.code === 1 ? `${args.join(" ")} with a huge ${file}: ${told(ran)}` : null;
  },
};

const replacedFiles: Attack = {
  name: "files of a run replaced",
  promise: "nothing in the place of a run's file hangs a step",
  run: async (world, random) => {
    const thread = await startThread(world);
    const name = random.pick(["pid", "stdout", "stderr", "heartbeat", "report.json"]);
    const how = random.pick(["mkfifo $f", "ln -s /dev/zero $f", "mkdir $f", "ln -s nowhere $f"]);
    const agent = script(
      world,
      "replaces",
      `f="$UNCAGED_WORKFLOW_STORAGE_ROOT/runs/$1/$UWF_RUN/${name}"; rm -f "$f"; ${how.replace("$f", '"$f"')}; exit ${random.below(2)}`,
    );
    const ran = await world.uwf(["thread", "step", thread, "--agent", `'${agent}'`]);
    if (ran.code === null || ran.code === 0 || ran.code === 1) return `${how} for ${name}: ${told(ran)}`;
    rmSync(agent);
    const next = await world.uwf(["thread", "step", thread, ...world.agent]);
    return next.code === 0 ? null : `${how} for ${name}, the next step: ${told(next)}`;
  },
};

const shortId: Attack = {
  name: "ids that are too short",
  promise: "what changes a thread needs four characters of its id",
  run: async (world, random) => {
    const thread = await startThread(world);
    const part =
      random.below(2) === 0 ? thread.slice(0, 1 + random.below(3)) : thread.slice(-1 - random.below(3));
    const args = [
      ...random.pick([
        ["thread", "kill"],
        ["thread", "unlock"],
        ["thread", "step"],
      ]),
      part,
    ];
    const ran = await world.uwf(args);
    if (ran.code !== 2 && ran.code !== 3) return `${args.join(" ")}: ${told(ran)}`;
    const { done } = await world.json(["thread", "show", thread]);
    return done ? `${args.join(" ")} ended the thread` : null;
  },
};

export const ATTACKS: readonly Attack[] = [
  openRoot,
  strangersPid,
  takenByForce,
  quotedSuccess,
  explodingSchema,
  hugeFile,
  replacedFiles,
  shortId,
];

/** Attacks that once succeeded, with other numbers, places and runtimes. */
export const strangers: Kind = {
  name: "strangers",
  title:
    "attacks that once succeeded: roots of others, records that name strangers, threads taken by force, replies that quote success, schemas and files that explode, files of a run replaced, ids that are too short",
  sampleRounds: ATTACKS.length,
  weight: 2,
  goals: { attacks: 200 },
  run: async (session) => {
    for (let round = 0; session.more(round); round += 1) {
      const runtime = session.random.pick(RUNTIMES);
      // Each in turn, so that the sample has them all.
      const attack = ATTACKS[round % ATTACKS.length] as Attack;
      const world = openWorld(join(session.folder, `round-${round}`), runtime);
      await putTurns(world);
      session.count("attacks");
      session.count(attack.name);
      const breach = await attack.run(world, session.random);
      if (breach !== null)
        session.broken(attack.promise, `seed ${session.seed}, round ${round}, ${runtime}: ${breach}`);
    }
  },
};
