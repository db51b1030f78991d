import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "@uncaged/workflow-protocol";
import { putTurns, type Ran, type RunOptions, startThread } from "../../world.js";
import { AUTHOR } from "../actors.js";
import type { Bench } from "./bench.js";

const WITHIN = "what is within the size limits is taken";
/** A note may be as long as a header. */
const NOTE = LIMITS.frontmatter;

const BEYOND = "what is beyond a size limit is refused at once";

/** Everything that has a size limit: exactly as large, and one byte larger. */
export async function sizes(bench: Bench): Promise<void> {
  const { world, session } = bench;
  await putTurns(world);
  const thread = await startThread(world);
  // The full sizes cost seconds on Node.js: a sample takes those of the workflow file only.
  for (const over of session.level === "sample" ? [1] : [0, 1]) {
    await fits(bench, over, ["workflow", "put", writeWorkflow(bench, over)]);
    const prompt = join(world.cwd, "prompt.txt");
    writeFileSync(prompt, "p".repeat(LIMITS.prompt + over));
    await fits(bench, over, ["thread", "start", "turns", "--prompt-file", prompt]);
    await fits(bench, over, ["thread", "start", "turns", "-p", "-"], { stdin: readFileSync(prompt) });
    const answer = join(world.cwd, "answer.md");
    const header = "---\ntext: mine\n---\n";
    writeFileSync(answer, header.padEnd(LIMITS.reply + over, "x"));
    const asked = await startThread(world);
    await fits(bench, over, ["thread", "answer", asked, "--take-over", "-f", answer]);
    const note = join(world.cwd, "note.md");
    writeFileSync(note, "n".repeat(NOTE + over));
    await fits(bench, over, ["thread", "note", thread, "--file", note]);
    writeConfig(bench, over);
    await fits(
      bench,
      over,
      [
        "setup",
        "--provider",
        "local",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--model",
        "m",
        "--api-key",
        "-",
      ],
      { stdin: "sk-0123456789" },
    );
    writeFileSync(join(world.root, "config.yaml"), "");
    await fits(bench, over, ["cas", "put", await stringType(bench), "-"], {
      stdin: `"${"x".repeat(LIMITS.node - 100 + over * 200)}"`,
    });
  }
  for (const dense of densest(bench)) await bench.run(["workflow", "put", dense]);
  if (session.level === "sample") await fits(bench, 0, ["workflow", "put", writeWorkflow(bench, 0)]);
  else await largeHistory(bench, thread);
  session.count("stories of size limits");
}

async function fits(
  bench: Bench,
  over: number,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ran> {
  const ran = await bench.run(args, options);
  const wanted =
    over === 0 ? ran.code === 0 : ran.code === 4 && /TOO_LARGE|NOT_STORABLE|larger|limit/.test(ran.stderr);
  if (!wanted) bench.broken(over === 0 ? WITHIN : BEYOND, args, ran, `exit ${ran.code}`);
  return ran;
}

function writeWorkflow({ world }: Bench, over: number): string {
  const base = readFileSync(join(world.cwd, "turns.yaml"), "utf8").replace("name: turns", "name: large");
  const file = join(world.cwd, "large.yaml");
  const padding = LIMITS.workflowFile - Buffer.byteLength(base) + over;
  writeFileSync(file, `${base}${"# x\n".repeat(padding / 4)}${"#".repeat(padding % 4)}`);
  return file;
}

/** As many values as a file of the limit's size can hold: whether they are taken or not, it is decided soon. */
function densest({ world, session }: Bench): readonly string[] {
  const base = readFileSync(join(world.cwd, "turns.yaml"), "utf8");
  const room = LIMITS.workflowFile - Buffer.byteLength(base) - 10;
  const lists = ["a,", "{},", "{b: 1},"].flatMap((item) =>
    [room / item.length, 33_000].map((count) => item.repeat(count)),
  );
  const some = session.level === "sample" ? lists.slice(0, 1) : lists;
  return some.map((items, index) => {
    const file = join(world.cwd, `dense-${index}.yaml`);
    writeFileSync(file, base.replace("capabilities: []", `capabilities: [${items}]`));
    return file;
  });
}

function writeConfig({ world }: Bench, over: number): void {
  mkdirSync(world.root, { recursive: true });
  const agents = Array.from(
    { length: 4_000 },
    (_, index) => `  a${index}: { command: uwf-mock, args: [] }\n`,
  ).join("");
  const base = `agents:\n${agents}`;
  writeFileSync(
    join(world.root, "config.yaml"),
    `${base}${"#".repeat(LIMITS.config - base.length + over - 1)}\n`,
  );
}

async function stringType({ world }: Bench): Promise<string> {
  return (await world.json(["cas", "schema", "put", '{"type":"string"}'])).hash;
}

/** The largest replies that are allowed, and every command that shows them. */
async function largeHistory(bench: Bench, thread: string): Promise<void> {
  const { world } = bench;
  const reply = join(world.folder, "large-reply");
  const script = (size: number): RunOptions => {
    const header = "---\ntext: large\n---\n";
    writeFileSync(reply, JSON.stringify({ text: header + "x".repeat(size - header.length) }));
    return { env: { UWF_HOSTILE_REPLY: reply } };
  };
  const step = ["thread", "step", thread, ...AUTHOR];
  const over = await bench.once(step, script(LIMITS.reply + 1));
  if (over.code !== 6 || !over.stderr.includes(`the limit is ${LIMITS.reply}`))
    bench.broken(BEYOND, step, over, "a reply over the limit");
  const within = await bench.once(step, script(LIMITS.reply));
  if (within.code !== 0) bench.broken(WITHIN, step, within, "a reply of the limit's size");
  for (const args of [
    ["thread", "read", thread],
    ["thread", "steps", thread],
    ["thread", "next", thread],
  ])
    await bench.run(args);
  const steps = JSON.parse((await bench.run(["thread", "steps", thread])).stdout).steps;
  await bench.run(["thread", "step-details", steps.at(-1).hash]);
}
