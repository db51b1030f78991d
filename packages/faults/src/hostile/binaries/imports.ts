import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { openWorld, putTurns, startThread, type World } from "../../world/index.js";
import { anyJson, mutatedBytes } from "../texts/index.js";
import { type Bench, openBench } from "./bench.js";

const IMPORT_PROMISE = "an export file is taken whole or not at all";

/** Export files of a real thread with changes anywhere: refused, and nothing is written; or they are what they were. */
export async function imports(bench: Bench): Promise<void> {
  const { world, session } = bench;
  await putTurns(world);
  const thread = await startThread(world);
  await world.json(["thread", "run", thread, ...world.agent]);
  const file = join(world.folder, "export.bin");
  await world.json(["cas", "export", thread, "-o", file]);
  const rounds = session.level === "sample" ? 2 : 40;
  const seed = session.seed + session.random.below(1_000_000);
  const files = fc.sample(damaged(readFileSync(file)), { seed, numRuns: rounds });
  const receiver = openBench(session, openWorld(join(world.folder, "receiver"), "node"), bench.records);
  for (const bytes of files) await tryFile(receiver, bytes, readFileSync(file));
  const ran = await receiver.run(["cas", "import", file]);
  if (ran.code !== 0) bench.broken(IMPORT_PROMISE, ["cas", "import"], ran, "the file itself was refused");
}

function damaged(real: Uint8Array): fc.Arbitrary<Uint8Array> {
  const words = fc.constantFrom("sha256", "nodes", "roots", "threads", "..", "/", "../../canary", "\u0000");
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc
      .oneof(
        words,
        anyJson.map((value) => JSON.stringify(value)),
      )
      .map((text) => new Uint8Array(Buffer.from(text))),
  );
  return fc.oneof(
    { weight: 6, arbitrary: mutatedBytes(real, piece) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 500 }) },
    { weight: 1, arbitrary: fc.constantFrom(new Uint8Array(), new Uint8Array(1_000_000)) },
  );
}

async function tryFile(bench: Bench, bytes: Uint8Array, real: Uint8Array): Promise<void> {
  const { world, session } = bench;
  const file = join(world.folder, "damaged.bin");
  writeFileSync(file, bytes);
  const before = await contentOf(world);
  const args = ["cas", "import", file];
  const ran = await bench.run(args);
  session.count("damaged export files");
  if (ran.code === 0) {
    if (Buffer.compare(bytes, real) !== 0) bench.broken(IMPORT_PROMISE, args, ran, evidence("it was taken", bytes));
    return;
  }
  if ((await contentOf(world)) !== before)
    bench.broken(IMPORT_PROMISE, args, ran, evidence("something was written", bytes));
}

function evidence(what: string, bytes: Uint8Array): string {
  return `${what}; the file in base64: ${Buffer.from(bytes).toString("base64").slice(0, 4_000)}`;
}

/** Nodes and threads of a storage root as one text. */
async function contentOf(world: World): Promise<string> {
  const [nodes, threads] = [await world.uwf(["cas", "list"]), await world.uwf(["thread", "list", "--all"])];
  return nodes.stdout + threads.stdout;
}
