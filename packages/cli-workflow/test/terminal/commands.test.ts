import { basename } from "node:path";
import { shellWord } from "@uncaged/workflow-protocol";
import { beforeAll, describe, expect, it } from "vitest";
import { widthOf } from "../../src/screen/index.js";
import { startWorking } from "../operator/support.js";
import { startGate } from "../support/gate.js";
import { COLOURS, CONTROLS, HAS_TERMINALS, onTerminal } from "../support/terminal.js";
import { ASKED_ZOO, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, TURNS, zoo } from "../support/workflows.js";

/** What runs the agents of the zoo. */
const ZOO_NAME = basename(ASKED_ZOO[0]);

let box: Sandbox;
let active: string;
let ended: string;
let failing: string;
let asked: string;
let answered: string;
let step: string;

beforeAll(async () => {
  box = sandbox();
  answered = await startGate(box);
  await box.uwf(["thread", "step", answered, "--agent", zoo("valid")]);
  await box.uwf(["thread", "answer", answered, "--field", "approved=true"]);
  active = await startTurns(
    box,
    "Fix the login redirect of the application, which leads to a page that is gone",
  );
  step = (await box.json(["thread", "step", active, "--agent", zoo("valid")])).head;
  ended = await startTurns(box, "Done by now");
  await box.uwf(["thread", "run", ended, "--agent", zoo("valid")]);
  failing = await startTurns(box, "Hopeless");
  await box.uwf(["thread", "step", failing, "--agent", "false"]);
  asked = await startGate(box);
  for (const _ of [1, 2]) await box.uwf(["thread", "step", asked, "--agent", zoo("valid")]);
}, 60_000);

const plain = (text: string): string => text.replace(COLOURS, "");
const end = (thread: string): string => thread.slice(-4);

type Case = readonly [name: string, args: () => readonly string[], words: () => readonly (string | RegExp)[]];

const READS: readonly Case[] = [
  [
    "thread show of an active thread",
    () => ["thread", "show", active],
    () => [
      /^state +active$/m,
      /^steps +1, the last: maker, /m,
      /^next +checker$/m,
      `next: uwf thread run ${end(active)}\n`,
    ],
  ],
  [
    "thread show of an ended thread",
    () => ["thread", "show", end(ended)],
    () => [/^state +ended$/m, /^steps +2, /m, `next: uwf thread read ${end(ended)}\n`],
  ],
  [
    "thread show of a failing thread",
    () => ["thread", "show", failing],
    () => [
      /^state +failing$/m,
      /^failed +.* (ago|now): agent false/m,
      `next: uwf log --thread ${end(failing)}\n`,
    ],
  ],
  [
    "thread show of a thread that asks",
    () => ["thread", "show", asked],
    () => [
      /^state +held: waits for an answer, since /m,
      /^asked +checker$/m,
      `uwf thread answer ${end(asked)} --show`,
    ],
  ],
  [
    "thread steps",
    () => ["thread", "steps", ended],
    () => [
      /^turns: Done by now$/m,
      /^# +ROLE +WHY +AGENT /m,
      /^1 +maker +always +/m,
      /^2 +checker +always .* approved: true$/m,
    ],
  ],
  ["thread steps before the first", () => ["thread", "steps", failing], () => ["no step has been taken yet"]],
  [
    "thread next",
    () => ["thread", "next", ended],
    () => [
      `thread ${end(ended)} after checker: $END`,
      /^ +maker +rejected +false +steps\[-1\]\.output\.approved = false$/m,
      /^→ +\$END +\(always\) +true$/m,
    ],
  ],
  [
    "thread next of a thread that asks",
    () => ["thread", "next", asked],
    () => ["but it waits for an answer"],
  ],
  ["thread usage", () => ["thread", "usage", ended], () => [/^ROLE +AGENT +MODEL/, /^total +/m]],
  [
    "thread usage where a person has answered",
    () => ["thread", "usage", answered],
    () => [/^checker +human( +-){5} /m],
  ],
  ["thread usage --table", () => ["thread", "usage", ended, "--table"], () => [/^ROLE +AGENT +MODEL/]],
  ["thread ps", () => ["thread", "ps"], () => ["nothing is running"]],
  ["thread limit", () => ["thread", "limit", ended], () => [/^ +SPENT +LIMIT$/m, /^steps +2 +none$/m]],
  ["log", () => ["log", "--thread", failing], () => [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}agent false/m]],
  ["log of every thread", () => ["log"], () => [/^ *WHEN +THREAD +WHAT$/m]],
  ["thread step-details", () => ["thread", "step-details", step], () => [/^\w+: /m]],
  [
    "workflow list",
    () => ["workflow", "list"],
    () => [/^NAME +HASH +FROM$/m, /^turns +[0-9A-Z]{13} +registry$/m],
  ],
  ["workflow history", () => ["workflow", "history", "turns"], () => [/^→ +[0-9A-Z]{13} +/m]],
  [
    "workflow show",
    () => ["workflow", "show", "turns"],
    () => [/^checker +an agent +checks$/m, /^checker +maker +rejected +/m],
  ],
  ["workflow show of a gate", () => ["workflow", "show", "gate"], () => [/^checker +a person/m]],
  ["cas gc", () => ["cas", "gc"], () => [/^nothing to remove: \d+ nodes/]],
  ["cas verify", () => ["cas", "verify"], () => [/^\d+ nodes and \d+ references: all sound$/m]],
  ["cas du", () => ["cas", "du"], () => [/^TYPE +NODES +SIZE$/m, /^THREAD +NODES +SIZE$/m]],
];

describe.skipIf(!HAS_TERMINALS)("a person at a terminal sees words, and no document, of", () => {
  it.each(READS)("%s", async (_name, args, words) => {
    const before = box.snapshot();
    for (const columns of [80, 200]) {
      const { code, stdout } = await onTerminal(box, args(), { columns, env: {} });
      expect(code).toBe(0);
      const shown = plain(stdout);
      for (const word of words()) expect(shown).toMatch(word);
      expect(shown).not.toMatch(/^[[{]/);
      // The sentences of the log are whole, and so is a command that is to be copied.
      const cuttable = shown.split("\n").filter((line) => args()[0] !== "log" && !line.startsWith("next:"));
      for (const line of cuttable) expect(widthOf(line)).toBeLessThanOrEqual(columns);
      const without = await onTerminal(box, args(), { columns, env: { NO_COLOR: "1" } });
      expect(without.stdout).not.toMatch(CONTROLS);
    }
    expect(box.snapshot()).toEqual(before);
  });

  it("doctor: what is wrong first, with its remedy, the rest as one line", async () => {
    const { stdout, code } = await onTerminal(box, ["doctor"], { columns: 100, env: {} });
    expect(code).toBe(0);
    expect(plain(stdout)).toMatch(/^warning {2}config\.yaml: there is no .*\n( {9}.*\n)+( {9}.*\n)*/m);
    expect(plain(stdout)).toMatch(/^ {9}fix: `uwf setup/m);
    expect(plain(stdout)).toMatch(/^everything else is fine: \d+ checks of root, /m);
    const broken = sandbox();
    broken.write(`${broken.root}/config.yaml`, "agents: 3\n");
    const bad = await onTerminal(broken, ["doctor"], { columns: 100, env: {} });
    expect(bad.code).toBe(4);
    expect(plain(bad.stdout)).toMatch(/^error {4}config\.yaml: /);
  });

  it("thread ps, show and list while an agent works", async () => {
    const own = sandbox();
    const thread = await startTurns(own);
    const { uwf, go } = await startWorking(own, thread);
    const see = async (...args: readonly string[]) =>
      plain((await onTerminal(own, ["thread", ...args])).stdout);
    expect(await see("ps")).toMatch(
      new RegExp(`^${end(thread)} +turns +maker +${ZOO_NAME} +.* +${uwf.pid}$`, "m"),
    );
    const shown = await see("show", thread);
    expect(shown).toMatch(/^state +running$/m);
    expect(shown).toMatch(new RegExp(`^running +maker, played by ${ZOO_NAME}, for `, "m"));
    expect(await see("list")).toMatch(/ running +maker +0 /);
    go();
    await new Promise((resolve) => uwf.once("exit", resolve));
    expect(await see("list")).toMatch(/ active +checker +1 /);
  }, 60_000);
});

describe.skipIf(!HAS_TERMINALS)("what a person has done is one sentence, and the next command", () => {
  const say = async (own: Sandbox, ...args: readonly string[]): Promise<string> => {
    const { code, stdout } = await onTerminal(own, args, { columns: 200, env: { NO_COLOR: "1" } });
    expect({ args, code }).toEqual({ args, code: 0 });
    expect(stdout).not.toMatch(CONTROLS);
    return stdout;
  };

  it("from workflow put to thread kill", async () => {
    const own = sandbox();
    const file = own.write("turns.yaml", TURNS);
    expect(await say(own, "workflow", "put", file)).toMatch(
      /^turns is workflow [0-9A-Z]{13}\nnext: uwf thread start turns -p "<task>"\n$/,
    );
    expect(await say(own, "workflow", "put", file)).toMatch(/^turns is still workflow /);
    own.write("turns.yaml", TURNS.replace("Make it", "Make this"));
    expect(await say(own, "workflow", "put", file)).toMatch(/^turns is now workflow .*, before /);
    expect(await say(own, "workflow", "rollback", "turns")).toMatch(/^turns is now workflow /);
    const started = await say(own, "thread", "start", "turns", "-p", "Do it");
    const [, thread = ""] =
      /^started thread (\S+) of turns\nnext: uwf thread run \S{4}\n$/.exec(started) ?? [];
    expect(started).toContain(`run ${end(thread)}\n`);
    expect(await say(own, "thread", "pause", "latest")).toBe(
      `thread ${thread} is paused\nnext: uwf thread resume ${end(thread)}\n`,
    );
    expect(await say(own, "thread", "limit", "latest", "--max-steps", "9")).toContain(
      `next: uwf thread resume ${end(thread)}\n`,
    );
    expect(await say(own, "thread", "resume", end(thread))).toBe(
      `thread ${thread} goes on\nnext: uwf thread run ${end(thread)}\n`,
    );
    expect(await say(own, "thread", "note", "latest", "keep it short")).toBe(
      `1 note for the next run of thread ${thread}\n`,
    );
    expect(await say(own, "thread", "limit", "latest", "--max-steps", "3")).toMatch(/^steps +0 +3$/m);
    expect(await say(own, "thread", "unlock", "latest")).toBe(`nobody holds thread ${thread}\n`);
    const { head } = await own.json(["thread", "show", thread]);
    expect(await say(own, "thread", "fork", head)).toMatch(
      new RegExp(
        `^two threads go on .*\nthe files in .* stay .*\nthread \\S+ goes on from ${head}\nits agents work in .*\nnext: uwf thread run \\S{4}\n$`,
      ),
    );
    expect(await say(own, "thread", "fork", head, "--workflow", "turns", "--dry-run")).toMatch(
      new RegExp(`^a thread would go on from ${head} under workflow turns\nwith 0 steps; next comes maker\n`),
    );
    expect(await say(own, "thread", "kill", thread)).toBe(`killed thread ${thread}\n`);
    expect(await say(own, "workflow", "rm", "turns")).toMatch(/^turns is no longer a workflow; it was /);
  }, 60_000);

  it("of a key that is taken, an answer, setup and the store", async () => {
    const own = sandbox();
    await startTurns(own);
    const keyed = ["thread", "start", "turns", "-p", "Do it", "--key", "k"];
    expect(await say(own, ...keyed)).toMatch(/^started thread /);
    expect(await say(own, ...keyed)).toMatch(/^there is thread \S+ of turns\nnext: uwf thread show /);
    expect(await say(own, "setup", "--agent", zoo("valid"))).toMatch(new RegExp(`^agent +${ZOO_NAME}$`, "m"));
    const gate = await startGate(own);
    await own.uwf(["thread", "run", gate]);
    expect(await say(own, "thread", "answer", gate, "--field", "approved=true")).toBe(
      `answered as checker; thread ${gate} has ended\nnext: uwf thread read ${end(gate)}\n`,
    );
    expect(await say(own, "cas", "export", end(gate), "-o", "x.jsonl")).toMatch(
      /^wrote \d+ nodes to x\.jsonl, /,
    );
    expect(await say(own, "cas", "import", "x.jsonl")).toMatch(
      /^0 nodes of \d+ in x\.jsonl are new\nthread .*: unchanged\n$/,
    );
    expect(await say(own, "cas", "put-text", "a text")).toMatch(/^[0-9A-Z]{13}\n$/);
    expect(await say(own, "cas", "gc", "--grace", "0s", "--yes")).toMatch(/^removed 1 of \d+ nodes, /);
    expect(await say(own, "cas", "verify", "--repair")).toMatch(/all sound\nrepaired: nothing\n$/);
  }, 60_000);
});

describe("a reader that goes away after the first line", () => {
  it("is no error of any command that reads", async () => {
    const commands = [
      ...READS.map(([, args]) => args()),
      ["workflow", "graph", "turns"],
      ["thread", "read", ended],
    ];
    for (const args of commands.filter((each) => !each.includes("--table"))) {
      const line = [...args, "--format", "text"].map(shellWord).join(" ");
      const script = `{ "$0" ${line}; echo "exit $?" >&2; } | head -n 1`;
      const { stdout, stderr } = await box.uwf([], { through: ["sh", "-c", script] });
      expect({ args, stderr, lines: stdout.split("\n").length }).toEqual({
        args,
        stderr: "exit 0\n",
        lines: 2,
      });
    }
  }, 60_000);
});

describe("what programs read", () => {
  it("is the same document in a pipe as with --format json on a terminal", async () => {
    const commands = READS.map(([, args]) => args()).filter((args) => !args.includes("--table"));
    for (const args of [...commands, ["doctor"]]) {
      const piped = await box.uwf(args);
      expect(() => JSON.parse(piped.stdout)).not.toThrow();
      if (HAS_TERMINALS && !["gc", "verify", "doctor"].includes(args.at(-1) ?? "")) {
        const shown = await onTerminal(box, [...args, "--format", "json"]);
        expect(shown.stdout).toBe(piped.stdout);
      }
    }
  }, 120_000);

  it("of thread usage --table in a pipe is exact, lower case and without colour", async () => {
    const { stdout } = await box.uwf(["thread", "usage", ended, "--table"]);
    expect(stdout).toMatch(/^role +agent +model +input +output +total +cost +step\n/);
    expect(stdout).not.toMatch(CONTROLS);
  });

  it("is read by the short id, in lower case too, and by latest", async () => {
    for (const id of [end(ended), end(ended).toLowerCase(), ended.slice(-7)])
      expect(await box.json(["thread", "show", id])).toMatchObject({ thread: ended });
    expect(await box.json(["thread", "show", "latest"])).toMatchObject({ thread: asked });
    expect((await box.uwf(["log", "--thread", "latest"])).stdout).toContain(asked);
    expect(await box.json(["thread", "fork", step, "--dry-run"])).toMatchObject({ thread: null });
  });

  it("of latest in another folder is no thread of this one", async () => {
    const ran = await box.uwf(["thread", "kill", "latest"], { cwd: box.home });
    expect(ran).toMatchObject({ code: 3, stdout: "" });
    expect(ran.stderr).toContain(`error[NO_LATEST_THREAD]: no thread was started in ${box.home}`);
  });

  it("of latest after its end is still that thread, not an older one", async () => {
    const own = sandbox();
    await startTurns(own);
    const newest = await startTurns(own);
    await own.uwf(["thread", "run", "latest", "--agent", zoo("valid")]);
    expect(await own.json(["thread", "show", "latest"])).toMatchObject({ thread: newest, done: true });
    const ran = await own.uwf(["thread", "kill", "latest"]);
    expect(ran.code).toBe(8);
    expect(ran.stderr).toContain(newest);
  });
});
