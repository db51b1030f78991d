import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Kind, Session } from "../frame/index.js";
import {
  MOCK,
  openWorld,
  type Ran,
  RUNTIMES,
  type RunOptions,
  type Runtime,
  type World,
} from "../world/index.js";
import { ownedBy, plantOn, TRAPS } from "./traps.js";

const PROMISE = "a project gives names and prompts, and nothing else of it has an effect";

const JSON_CAS = resolve(import.meta.dirname, "../../../cli-json-cas/bin/json-cas");
const WORKFLOW = resolve(import.meta.dirname, "../world/turns.yaml");

/** Folders of cloned repositories in which uwf is called. */
export const project: Kind = {
  name: "project",
  title:
    "commands in folders full of traps: settings, packages, programs and workflows of a stranger's repository",
  sampleRounds: 1,
  weight: 1,
  goals: { "commands between traps": 200 },
  run: async (session) => {
    for (let round = 0; session.more(round); round += 1) {
      for (const runtime of RUNTIMES) {
        const world = openWorld(join(session.folder, `round-${round}-${runtime}`), runtime);
        await walkThrough(session, world, runtime);
      }
    }
  },
};

/** Relative entries of PATH in front of the real ones, as careless people have them. */
const CARELESS = ["", ".", "./", "node_modules/.bin", "..", "./sub/../"] as const;

async function walkThrough(session: Session, world: World, runtime: Runtime): Promise<void> {
  const traps = session.level === "sample" ? TRAPS : TRAPS.filter(() => session.random.next() < 0.7);
  for (const trap of traps) plantOn(world.cwd, trap);
  session.count("traps", traps.length);
  writeLocalWorkflow(world);
  const path = `${session.random.pick(CARELESS)}:${world.environment(runtime).PATH}:${session.random.pick(CARELESS)}`;
  const run = async (args: readonly string[], options: RunOptions = {}): Promise<Ran> => {
    const ran = await world.uwf(args, { ...options, env: { PATH: path, ...options.env } });
    session.count("commands between traps");
    for (const trap of ownedBy(world.cwd)) {
      session.broken(
        PROMISE,
        `seed ${session.seed}, ${runtime}, uwf ${args.join(" ")}: caught by ${trap}, PATH ${path}`,
      );
    }
    return ran;
  };
  await tell(session, world, run);
}

/** The one thing that a project may say: a workflow, found by its name. */
function writeLocalWorkflow({ cwd }: World): void {
  mkdirSync(join(cwd, ".workflows"), { recursive: true });
  const workflow = readFileSync(WORKFLOW, "utf8")
    .replace("name: turns", "name: local-turns")
    .replace("steps[-1].output.approved = false", "$contains($string(steps[-1].output.approved), /fal/)");
  writeFileSync(join(cwd, ".workflows", "local-turns.yaml"), workflow);
}

async function tell(
  session: Session,
  world: World,
  run: (args: readonly string[], options?: RunOptions) => Promise<Ran>,
): Promise<void> {
  const demand = async (args: readonly string[], code: number, word = ""): Promise<Ran> => {
    const ran = await run(args);
    if (ran.code !== code || !`${ran.stdout}${ran.stderr}`.includes(word)) {
      session.broken(
        PROMISE,
        `uwf ${args.join(" ")} ended with ${ran.code}, not ${code} ${word}: ${ran.stderr}`,
      );
    }
    return ran;
  };
  await demand(["workflow", "put", WORKFLOW], 0);
  await demand(["workflow", "list"], 0, "local-turns");
  const started = await demand(["thread", "start", "local-turns", "-p", "Do it"], 0);
  const { thread } = JSON.parse(started.stdout || "{}");
  await demand(["thread", "step", thread], 4, "NO_AGENT");
  await demand(["thread", "step", thread, "--agent", "uwf-hermes"], 4, "AGENT_NOT_FOUND");
  await demand(["thread", "step", thread, "--agent", `'${MOCK}'`], 0);
  await demand(["thread", "run", thread, ...world.agent], 0, '"done": true');
  await demand(["thread", "read", thread], 0, "local-turns");
  await demand(["thread", "list", "--all"], 0, thread);
  await demand(["doctor"], 0);
  if (existsSync(join(world.cwd, ".workflows", "greedy.yaml")))
    await demand(["workflow", "show", "greedy"], 4, "unknown");
  const direct = await run(["--store", join(world.root, "cas"), "verify"], { program: JSON_CAS });
  if (direct.code !== 0)
    session.broken(PROMISE, `json-cas verify ended with ${direct.code}: ${direct.stderr}`);
}
