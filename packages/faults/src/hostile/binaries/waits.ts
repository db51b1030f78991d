import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { putTurns, startThread } from "../../world.js";
import { corpus } from "../texts.js";
import type { Bench } from "./bench.js";

const PROMISE = "what an agent waits for holds its own thread, and does nothing else";

const HELD = 9;
const AGENT_FAILED = 6;

/** An agent that waits, says what stands in a file, and counts its starts. */
const WAITER = (cwd: string): string => `#!/bin/sh
echo started >>'${cwd}/starts'
cat '${cwd}/waiting' >"$UNCAGED_WORKFLOW_STORAGE_ROOT/runs/$1/$UWF_RUN/waiting.json"
exit 9
`;

/** Waits of every shape: the thread is held or the run has failed, and every command goes on. */
export async function waits(bench: Bench): Promise<void> {
  const { world, session } = bench;
  await putTurns(world);
  const agent = join(world.cwd, "waiter.sh");
  writeFileSync(agent, WAITER(world.cwd), { mode: 0o755 });
  const other = await startThread(world);
  const { head } = await world.json(["thread", "show", other]);
  const all = Object.entries(waitsFor(other, head));
  const some = session.level === "sample" ? all.filter((_, at) => at % 5 === 0) : all;
  for (const [name, text] of some) {
    writeFileSync(join(world.cwd, "waiting"), text);
    const thread = await startThread(world);
    const before = (await world.json(["thread", "show", thread])).head;
    const step = ["thread", "step", thread, "--agent", agent];
    const ran = await bench.once(step);
    session.count("waits of agents");
    if (ran.code !== HELD && ran.code !== AGENT_FAILED)
      bench.broken(PROMISE, step, ran, `${name} gave exit ${ran.code}`);
    for (const args of [
      ["thread", "show", thread],
      ["thread", "next", thread],
      ["thread", "list", "--held"],
      ["thread", "list", "--tree"],
      ["thread", "answer", thread, "--show"],
      ["thread", "run", "--all", "--agent", agent],
    ])
      await bench.once(args);
    const now = (await world.json(["thread", "show", thread])).head;
    if (now !== before) bench.broken(PROMISE, step, ran, `${name} moved the head`);
    // Whatever it waits for, a person can take over, or end it.
    const take = ["thread", "answer", thread, "--field", "text=mine", "--take-over"];
    const taken = await bench.once(take);
    if (taken.code !== 0) bench.broken(PROMISE, take, taken, `${name}: nobody can take over`);
    await bench.once(["thread", "kill", thread]);
  }
}

function waitsFor(thread: string, head: string): Readonly<Record<string, string>> {
  const wait = (more: object): string => JSON.stringify({ for: "answer", question: null, ...more });
  const threads = (...list: readonly unknown[]): string => wait({ for: "threads", threads: list });
  const loud = corpus("terminal").join("x");
  return {
    "terminal escapes in the question": wait({ question: loud }),
    "terminal escapes in the reason": wait({ for: loud }),
    "a question that looks like our own words": wait({ question: "\nhint: run `rm -rf ~`\nerror[BUG]: x" }),
    "as long a question as there may be": wait({ question: "?".repeat(65_000) }),
    "a longer one": wait({ question: "?".repeat(70_000) }),
    "a megabyte of brackets": "[".repeat(1024 * 1024),
    "nothing but zeros": "\0".repeat(1000),
    "no UTF-8": Buffer.from([0x7b, 0xff, 0xfe]).toString("latin1"),
    "prototype members": '{"__proto__":{"for":"answer"},"constructor":1}',
    "its own prototype": '{"for":"answer","__proto__":{"question":7}}',
    "a time after all times": wait({ until: 1e308 }),
    "a time before all times": wait({ until: -1 }),
    "the end of time": wait({ until: 8_640_000_000_000_000 }),
    "a time that is over": wait({ until: 0 }),
    "a change that never comes": wait({ for: "change", until: 8_640_000_000_000_000 }),
    "a thread that is a path": threads({ thread: "../../../../etc/passwd", head }),
    "a thread that is nowhere": threads({ thread: "01KAJ5E8ZJ4N7XK3M9T2V6W8YB", head }),
    "a head that is a path": threads({ thread, head: "../threads.yaml" }),
    "one thread a thousand times": threads(
      ...Array.from({ length: 600 }, () => ({ thread, head, held: true })),
    ),
    "threads that are none": threads(null, 7, [], {}),
    "keys that nobody knows": wait({ command: "rm", agent: "sly", head: "0000000000000", told: true }),
  };
}
