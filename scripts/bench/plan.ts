import { rmSync } from "node:fs";
import { join } from "node:path";
import { runOnce, type Subject } from "./measure/index.js";
import {
  type BuiltStore,
  buildMap,
  buildStore,
  buildWaiting,
  type Disk,
  exportBuilt,
  packBuilt,
  type StoreSpec,
  traceOf,
} from "./stores/index.js";
import { answerOf, floorsOf, mapOf, type Surroundings, stepOf, tracedStepOf, uwf } from "./subjects.js";

/** Subjects that are timed in turn, and how often each. */
export type Batch = { readonly subjects: readonly Subject[]; readonly rounds: number };

export type Plan = { readonly batches: readonly Batch[]; readonly disk: Disk };

const PLAIN: StoreSpec = { history: 10, threads: 1, ended: 0, nodes: 100, condition: "last step" };

/**
 * What is measured: floors and steps, one after another as a loop calls them; packed stores; large ones; then the other
 * commands, then what takes seconds. A ratio is of two subjects of one batch; large writes keep the disk busy for whoever
 * comes after them.
 */
export async function planOf(
  around: Surroundings,
  folder: string,
  full: boolean,
  runs: number,
): Promise<Plan> {
  const store = (name: string, spec: Partial<StoreSpec>): Promise<BuiltStore> =>
    buildStore(join(folder, name), { ...PLAIN, ...spec });
  const [plain, long] = [await store("plain", {}), await store("long", { history: 10_000 })];
  const whole = (name: string, history: number, condition: StoreSpec["condition"]): Promise<BuiltStore> =>
    store(name, { history, condition });
  const steps = [
    stepOf("step, history 10", around, plain),
    stepOf("step, history 1000", around, await store("thousand", { history: 1000 })),
    stepOf("step, history 10000", around, long),
    stepOf("step, history 10, whole", around, await whole("whole", 10, "whole history")),
    stepOf("step, history 10000, whole", around, await whole("long-whole", 10_000, "whole history")),
    stepOf("step, history 10, JSONata", around, await whole("asked", 10, "whole history, by JSONata")),
    stepOf(
      "step, history 10000, JSONata",
      around,
      await whole("long-asked", 10_000, "whole history, by JSONata"),
    ),
    stepOf("step, 1000 threads", around, await store("threads", { threads: 1000 })),
  ];
  const packed = await store("packed", UNPACKED);
  const taken = await packBuilt(packed, UNPACKED.history);
  const traced = await store("traced", {});
  const turns = tracedStepOf("step, 50 turns", around, traced, 50);
  // The first one makes the folder of packs.
  await runOnce(turns, false);
  traced.reset();
  const disk = { ...taken, ...(await traceOf(traced, () => runOnce(turns, false))) };
  const stored = [
    stepOf("step, unpacked", around, await store("unpacked", UNPACKED)),
    stepOf("step, packed", around, packed),
    stepOf("step, no turns", around, plain),
    turns,
  ];
  const many = full ? await store("many-threads", { threads: 100_000 }) : null;
  const big = many
    ? [
        stepOf("step, beside large stores", around, plain),
        stepOf("step, 100000 threads", around, many),
        stepOf(
          "step, 10000 threads, 100000 ended",
          around,
          await store("many-ended", { threads: 10_000, ended: 100_000 }),
        ),
        stepOf("step, 1000000 nodes", around, await store("many-nodes", { nodes: 1_000_000 })),
      ]
    : [];
  const heavy = await store("heavy", { nodes: full ? 100_000 : 10_000 });
  const count = full ? 100_000 : 10_000;
  const batches = [
    { subjects: [...floorsOf(around), ...steps], rounds: runs },
    { subjects: stored, rounds: runs },
    { subjects: big, rounds: runs },
    { subjects: [...floorsOf(around).slice(0, 1), ...commands(around, plain, long)], rounds: runs },
    { subjects: [...floorsOf(around).slice(0, 1), ...(await waits(around, folder))], rounds: runs },
    { subjects: await maps(around, folder), rounds: 3 },
    { subjects: many === null ? [] : lists(around, many), rounds: 3 },
    {
      subjects: [
        uwf(`cas verify, ${count} nodes`, around, heavy, ["cas", "verify"]),
        uwf(`cas gc, ${count} nodes`, around, heavy, ["cas", "gc", "--grace", "0s"]),
      ],
      rounds: 3,
    },
    { subjects: await packs(around, folder, full), rounds: 3 },
    {
      subjects: [
        uwf("export of a thread, 100 nodes", around, plain, ["cas", "export", plain.head, "-o", "-"]),
        uwf("export of a thread, 100 times the nodes", around, heavy, [
          "cas",
          "export",
          heavy.head,
          "-o",
          "-",
        ]),
      ],
      rounds: runs,
    },
  ];
  return { batches, disk };
}

/** As many nodes as a busy day leaves. */
const UNPACKED = { history: 2500 } as const;

/** Four nodes for each step. */
const PACKED_STEPS = { quick: 7500, full: 75_000 } as const;

/** Commands over a packed store, and the import of 30,000 nodes into an empty one. */
async function packs(around: Surroundings, folder: string, full: boolean): Promise<readonly Subject[]> {
  const history = PACKED_STEPS[full ? "full" : "quick"];
  const packed = await buildStore(join(folder, "large-pack"), { ...PLAIN, history });
  await packBuilt(packed, history);
  const source = await buildStore(join(folder, "source"), { ...PLAIN, history: PACKED_STEPS.quick });
  const file = join(folder, "source.pack");
  exportBuilt(source, file);
  const target = { root: join(folder, "imported") };
  const prepare = async (): Promise<void> => rmSync(target.root, { recursive: true, force: true });
  const nodes = full ? "300000" : "30000";
  return [
    { ...uwf("cas import, 30000 nodes", around, target, ["cas", "import", file]), prepare },
    uwf(`cas verify, ${nodes} packed nodes`, around, packed, ["cas", "verify"]),
    uwf(`cas du, ${nodes} packed nodes`, around, packed, ["cas", "du"]),
    uwf(`cas gc, ${nodes} packed nodes`, around, packed, ["cas", "gc", "--grace", "0s"]),
  ];
}

/** What a loop pays for a thread that has nothing to do. */
async function waits(around: Surroundings, folder: string): Promise<readonly Subject[]> {
  const { root, held, ended } = await buildWaiting(join(folder, "waiting"), 1000);
  return [
    answerOf("step, ended", around, root, { thread: ended, exitCode: 8 }),
    answerOf("step, one of 1000 that wait", around, root, { thread: held, exitCode: 9 }),
  ];
}

/** Agents mostly wait for a model: half a second each. */
const WORK_MS = 500;

async function maps(around: Surroundings, folder: string): Promise<readonly Subject[]> {
  const { agent } = around;
  const store = (jobs: number) => buildMap(join(folder, `map-${jobs}`), { items: 8, jobs, agent });
  return [
    mapOf("map of 8 items, jobs: 1", around, await store(1), WORK_MS),
    mapOf("map of 8 items, jobs: 2", around, await store(2), WORK_MS),
  ];
}

function lists(around: Surroundings, many: BuiltStore): readonly Subject[] {
  return [
    uwf("thread list, 100000 threads", around, many, ["thread", "list"]),
    uwf("thread list --limit 20, 100000 threads", around, many, ["thread", "list", "--limit", "20"]),
    uwf("thread show by prefix, 100000 threads", around, many, ["thread", "show", many.thread.slice(0, 25)]),
  ];
}

function commands(around: Surroundings, plain: BuiltStore, long: BuiltStore): readonly Subject[] {
  const line = (name: string, store: BuiltStore, ...words: readonly string[]): Subject =>
    uwf(name, around, store, words);
  return [
    line("uwf --help", plain, "--help"),
    line("uwf --version", plain, "--version"),
    line("uwf __complete", plain, "__complete", "thread", "st"),
    line("workflow put", plain, "workflow", "put", join(around.packages, "../examples/solve-issue.yaml")),
    line("workflow show", plain, "workflow", "show", "bench"),
    line("workflow list", plain, "workflow", "list"),
    line("thread start", plain, "thread", "start", "bench", "-p", "Measure it"),
    line("thread show", plain, "thread", "show", plain.thread),
    line("thread list", plain, "thread", "list"),
    line("thread steps, history 10", plain, "thread", "steps", plain.thread),
    line("thread steps, history 10000", long, "thread", "steps", long.thread),
    line("thread read, history 10", plain, "thread", "read", plain.thread),
    line("thread read, history 10000", long, "thread", "read", long.thread),
    line("cas get", plain, "cas", "get", plain.head),
    {
      ...line("json-cas get", plain),
      command: [
        join(around.packages, "cli-json-cas/bin/json-cas"),
        "--store",
        join(plain.root, "cas"),
        "get",
        plain.head,
      ],
    },
    line("cas walk, history 10", plain, "cas", "walk", plain.head),
    line("cas walk, history 10000", long, "cas", "walk", long.head),
  ];
}
