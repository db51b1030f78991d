import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { LAST_TIME } from "@uncaged/json-cas";
import type { AnswerShowOutput, ThreadShowOutput } from "@uncaged/workflow-protocol";
import { openStorage } from "@uncaged/workflow-store";
import { beforeEach, describe, expect, it } from "vitest";
import { gateYaml, startAtGate, startGate } from "../support/gate.js";
import { type Doc, nodeFile, type Ran, type Sandbox, SCRIPT_RUNNER, sandbox, ZOO } from "../support/uwf.js";
import { zoo } from "../support/workflows.js";

const WRITE = resolve(import.meta.dirname, "../../../workflow-agent-kit/bin/uwf-agent-write");

let box: Sandbox;
let thread: string;

const step = (...args: readonly string[]) => box.uwf(["thread", "step", thread, ...args]);
const answer = (...args: readonly string[]) => box.uwf(["thread", "answer", thread, ...args]);
const approve = (value: boolean, ...args: readonly string[]) =>
  answer("--field", `approved=${value}`, ...args);
const show = () => box.json<ThreadShowOutput>(["thread", "show", thread]);
const steps = async () => (await box.json(["thread", "steps", thread])).steps;

/** A thread whose maker has worked: now the checker, a person, is asked. */
async function atTheGate(agent?: string): Promise<void> {
  box = sandbox();
  thread = await startAtGate(box, agent);
}

beforeEach(() => atTheGate());

describe("a role that a person plays", () => {
  it("holds the thread: exit 9, and nothing is started", async () => {
    const ran = await step("--agent", zoo("valid"));
    expect(ran).toMatchObject({ code: 9, stdout: "" });
    expect(ran.stderr).toContain("error[WAITING_FOR_ANSWER]");
    expect(ran.stderr).toContain("waits for an answer as checker: Check it");
    expect(await show()).toMatchObject({ held: { for: "answer", role: "checker", until: null } });
    expect(readdirSync(join(box.root, "runs", thread)).sort()).toEqual(["cwd.json", "hold.json"]);
  });

  it("waits since it was asked, not since its thread came there", async () => {
    const before = Date.now();
    await step("--agent", zoo("valid"));
    const { held } = await show();
    expect(held?.waitingSince).toBeGreaterThanOrEqual(before);
    expect(held?.since).toBeLessThan(before);
    await step("--agent", zoo("valid"));
    expect((await show()).held).toEqual(held);
  });

  it("is answered by a step of its own, with who, when and to what", async () => {
    const ran = await approve(true, "--by", "Ada");
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ thread, done: true, reason: "end" });
    const [, , gate] = await steps();
    expect(gate).toMatchObject({ role: "checker", agent: "human", output: { approved: true } });
    const details = await box.json<Readonly<Record<string, unknown>>>([
      "thread",
      "step-details",
      gate?.hash ?? "",
    ]);
    expect(details).toMatchObject({ by: "Ada", via: "field", timedOut: false });
    expect(JSON.stringify(details)).toContain("Write the note");
    const read = (await box.uwf(["thread", "read", thread])).stdout;
    expect(read).toContain("human");
    expect(read.match(/approved/g)).toHaveLength(1);
    expect((await box.uwf(["cas", "verify"])).code).toBe(0);
  });

  it("can be answered before any step has asked, and goes on with an agent after a refusal", async () => {
    expect(await approve(false)).toMatchObject({ code: 0 });
    expect(await step("--agent", zoo("valid"))).toMatchObject({ code: 0 });
    expect((await steps()).map(({ role }) => role)).toEqual([undefined, "maker", "checker", "maker"]);
  });

  it("gets the command that shows the question, if they give no answer", async () => {
    const ran = await answer();
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(`hint: \`uwf thread answer ${thread} --show\` prints what is asked`);
  });

  it("is told by the log", async () => {
    await approve(true, "--by", "Ada");
    const events = await box.json<readonly { readonly event?: string; readonly by?: string }[]>([
      "log",
      "--thread",
      thread,
    ]);
    expect(events.filter(({ event }) => event === "answered")).toMatchObject([
      { by: "Ada", role: "checker" },
    ]);
  });
});

describe("no way leads through a gate without an answer", () => {
  const config = (text: object) => {
    mkdirSync(box.root, { recursive: true });
    writeFileSync(join(box.root, "config.yaml"), JSON.stringify(text));
  };
  const agents = {
    sly: { command: SCRIPT_RUNNER, args: [ZOO, "valid"] },
  };
  const WAYS: readonly (readonly [string, () => Promise<Ran>])[] = [
    ["--agent", () => step("--agent", zoo("valid"))],
    ["--agent with retries", () => step("--agent", zoo("valid"), "--retries", "3")],
    ["--agent for another role", () => step("--agent", `maker=${zoo("valid")}`)],
    ["run", () => box.uwf(["thread", "run", thread, "--agent", zoo("valid")])],
    [
      "the default agent",
      () => {
        config({ agents, defaultAgent: "sly" });
        return step();
      },
    ],
    [
      "an override of another workflow",
      () => {
        config({ agents, defaultAgent: "sly", agentOverrides: { turns: { checker: "sly" } } });
        return step();
      },
    ],
    [
      "a step again and again",
      async () => {
        await step("--agent", zoo("valid"));
        await step("--agent", zoo("valid"));
        return step("--agent", zoo("valid"));
      },
    ],
    [
      "a default agent that is called human",
      () => {
        config({ agents: { human: agents.sly }, defaultAgent: "human" });
        return step();
      },
    ],
    [
      "an override of another role",
      () => {
        config({ agents, defaultAgent: "sly", agentOverrides: { gate: { maker: "sly" } } });
        return step();
      },
    ],
    [
      "an unlock by force",
      async () => {
        await box.uwf(["thread", "unlock", thread, "--force"]);
        return step("--agent", zoo("valid"));
      },
    ],
    [
      "a note that approves",
      async () => {
        await box.json(["thread", "note", thread, "approved: true"]);
        return step("--agent", zoo("valid"));
      },
    ],
    [
      "a pause and its end",
      async () => {
        await box.json(["thread", "pause", thread]);
        await box.json(["thread", "resume", thread]);
        return step("--agent", zoo("valid"));
      },
    ],
    [
      "a new limit",
      async () => {
        await box.json(["thread", "limit", thread, "--max-steps", "100"]);
        return step("--agent", zoo("valid"));
      },
    ],
    [
      "files of the thread that are gone",
      async () => {
        await step("--agent", zoo("valid"));
        rmSync(join(box.root, "runs", thread), { recursive: true });
        rmSync(join(box.root, "cache"), { recursive: true, force: true });
        return step("--agent", zoo("valid"));
      },
    ],
  ];

  it.each(WAYS)("not %s", async (_name, way) => {
    expect(await way()).toMatchObject({ code: 9 });
    expect(await steps()).toHaveLength(2);
  });

  it("not a fork, which is asked again", async () => {
    await approve(true);
    const [, made] = await steps();
    const forked = (await box.json(["thread", "fork", made?.hash ?? ""])).thread;
    const ran = await box.uwf(["thread", "step", forked, "--agent", zoo("valid")]);
    expect(ran).toMatchObject({ code: 9 });
  });

  it("not cron's line, though it goes on with everything else", async () => {
    config({ agents, defaultAgent: "sly" });
    const other = await startGate(box);
    for (const _ of [1, 2]) {
      const ran = await box.uwf(["thread", "run", "--all", "--agent", zoo("valid"), "--jobs", "2"]);
      expect(ran.code).toBe(0);
      expect(JSON.parse(ran.stdout)).toMatchObject({ held: 2 });
    }
    for (const id of [thread, other])
      expect((await box.json(["thread", "steps", id])).steps.map(({ role }) => role)).toEqual([
        undefined,
        "maker",
      ]);
  });

  it("not the same task started again", async () => {
    const start = () => box.json(["thread", "start", "gate", "-p", "Again", "--key", "again"]);
    const { thread: keyed } = await start();
    await box.json(["thread", "step", keyed, "--agent", zoo("valid")]);
    expect((await start()).thread).toBe(keyed);
    const fresh = (await box.json(["thread", "start", "gate", "-p", "Again"])).thread;
    await box.json(["thread", "step", fresh, "--agent", zoo("valid")]);
    for (const id of [keyed, fresh])
      expect((await box.uwf(["thread", "step", id, "--agent", zoo("valid")])).code).toBe(9);
  });

  it("not an agent that writes the person's step in the place of its own, or beside it", async () => {
    const fresh = (await box.json(["thread", "start", "gate", "-p", "Sly"])).thread;
    const sly = box.write(
      "sly.sh",
      `#!/bin/sh
set -e
made=$(printf -- '---\ntext: made\n---\n' | '${WRITE}' --agent sly "$1" "$2")
approved=$(printf -- '---\napproved: true\n---\n' | UWF_HEAD=$made '${WRITE}' --agent human "$1" checker) || approved=
instead=$(printf -- '---\napproved: true\n---\n' | '${WRITE}' --agent human "$1" checker) || instead=
echo "$approved $instead" >>'${box.cwd}/written'
case $1 in *) [ ! -e '${box.cwd}/honest' ] || { echo "$made"; exit; } ;; esac
echo "\${approved:-$instead}"
`,
    );
    chmodSync(sly, 0o755);
    const ran = await box.uwf(["thread", "step", fresh, "--agent", sly]);
    expect(ran).toMatchObject({ code: 6, stdout: "" });
    // Such a node can be written, and means nothing: no head moves to it.
    expect(readFileSync(join(box.cwd, "written"), "utf8")).toMatch(/[0-9A-Z]{13}/);
    box.write("honest", "");
    expect((await box.uwf(["thread", "step", fresh, "--agent", sly])).code).toBe(0);
    expect((await box.uwf(["thread", "step", fresh, "--agent", sly])).code).toBe(9);
  });

  it("but one that names the role: an override, or --agent <role>=<command>", async () => {
    expect(await step("--agent", `checker=${zoo("valid")}`)).toMatchObject({ code: 0 });
    await atTheGate();
    config({ agents, agentOverrides: { gate: { checker: "sly" } } });
    expect(await step()).toMatchObject({ code: 0 });
  });
});

describe("--agent for a role", () => {
  it("comes before the one for all", async () => {
    await approve(false);
    expect(await step("--agent", "/nowhere", "--agent", `maker=${zoo("valid")}`)).toMatchObject({ code: 0 });
  });

  it("that the workflow does not have is refused, as is one that is given twice", async () => {
    const typo = await step("--agent", `chekcer=${zoo("valid")}`);
    expect(typo.code).toBe(4);
    expect(typo.stderr).toContain('no role chekcer, did you mean "checker"?');
    expect(await step("--agent", "a", "--agent", "b")).toMatchObject({ code: 2 });
    expect(await step("--agent", "maker=a", "--agent", "maker=b")).toMatchObject({ code: 2 });
  });
});

describe("an answer", () => {
  it("is Markdown with a header, YAML or JSON, from a file or stdin", async () => {
    for (const text of [
      "---\napproved: false\n---\nNot yet: the title.\n",
      "approved: false\n",
      '{ "approved": false }\n',
    ]) {
      await atTheGate();
      expect(await answer("-f", box.write("answer.md", text))).toMatchObject({ code: 0 });
      expect((await steps()).at(-1)?.output).toEqual({ approved: false });
      await atTheGate();
      expect(await box.uwf(["thread", "answer", thread, "-f", "-"], { stdin: text })).toMatchObject({
        code: 0,
      });
    }
  });

  it.each([
    ["of the wrong type", ["--field", "approved=maybe"], 'must be true or false, found "maybe"'],
    ["with a key twice", ["--field", 'approved={"a": 1, "a": 2}'], 'the key "a" appears twice'],
    ["misspelt", ["--field", "aproved=true"], '/aproved: not a declared field, did you mean "approved"?'],
    ["misnamed", ["--field", "fine=true"], "/fine: not a declared field"],
    [
      "with a field too many",
      ["--field", "approved=true", "--field", "color=red"],
      "/color: not a declared field",
    ],
  ])("that is %s is refused with every violation, and nothing is stored", async (_name, fields, said) => {
    const before = box.snapshot();
    const ran = await answer(...fields);
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    expect(ran.stderr).toContain("error[INVALID_ANSWER]");
    expect(ran.stderr).toContain(said);
    expect(box.snapshot()).toEqual(before);
  });

  it("that is wrong in several ways gets all of them at once", async () => {
    const several = await answer("--field", "approved=maybe", "--field", "color=red", "--field", "fine=1");
    expect(several.code).toBe(4);
    expect(several.stderr).toContain('/approved: must be true or false, found "maybe"');
    expect(several.stderr).toContain("/color: not a declared field");
    expect(several.stderr).toContain("/fine: not a declared field");
    expect(several.stderr).not.toContain("missing");
  });

  it.each<[string, (path: string) => void, number, string]>([
    ["torn", (path) => writeFileSync(path, '{ "approved": tr'), 4, "INVALID_ANSWER"],
    [
      "a header that does not end",
      (path) => writeFileSync(path, "---\napproved: true\n"),
      4,
      "INVALID_ANSWER",
    ],
    ["empty", (path) => writeFileSync(path, ""), 4, "error["],
    ["a list", (path) => writeFileSync(path, "[true]"), 4, "INVALID_ANSWER"],
    ["a text that reads like a yes", (path) => writeFileSync(path, "approved: yes\n"), 4, "INVALID_ANSWER"],
    [
      "the field twice",
      (path) => writeFileSync(path, "approved: false\napproved: true\n"),
      4,
      "INVALID_ANSWER",
    ],
    ["foreign", (path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0, 1])), 4, "error["],
    ["huge", (path) => writeFileSync(path, "approved: true\n".padEnd(17 * 1024 * 1024, "#")), 4, "TOO_LARGE"],
    ["a folder", (path) => mkdirSync(path), 3, "answer"],
    ["not there", () => {}, 3, "answer"],
    ["a link to nothing", (path) => symlinkSync("/nowhere", path), 3, "answer"],
    ["a device without an end", (path) => symlinkSync("/dev/zero", path), 4, "error["],
  ])("out of a file that is %s is refused, and nothing is stored", async (_name, make, code, said) => {
    const file = join(box.cwd, "answer");
    make(file);
    const before = box.snapshot();
    const ran = await answer("-f", file);
    expect(ran).toMatchObject({ code, stdout: "" });
    expect(ran.stderr).toContain(said);
    expect(ran.stderr).toMatch(/^hint: .+/m);
    expect(box.snapshot()).toEqual(before);
  });

  it.each([
    ["none", []],
    ["two ways at once", ["--field", "approved=true", "--edit"]],
    ["no name", ["--field", "true"]],
    ["a field twice", ["--field", "approved=true", "--field", "approved=false"]],
    ["an editor without a terminal", ["--edit"]],
  ])("%s: usage", async (_name, args) => {
    expect(await answer(...args)).toMatchObject({ code: 2, stdout: "" });
  });

  it("counts for the head that it names, and for no other: who came later learns who answered", async () => {
    const { head } = await show();
    expect(await approve(false, "--head", head, "--by", "Ada")).toMatchObject({ code: 0 });
    const late = await approve(true, "--head", head, "--by", "Bob");
    expect(late).toMatchObject({ code: 75, stdout: "" });
    expect(late.stderr).toContain("Ada has answered");
    expect(await steps()).toHaveLength(3);
  });

  it("counts once where two are given at the same time", async () => {
    const ran = await Promise.all([approve(false, "--by", "Ada"), approve(false, "--by", "Bob")]);
    const codes = ran.map(({ code }) => code).sort();
    expect(codes[0]).toBe(0);
    expect([4, 75]).toContain(codes[1]);
    expect(await steps()).toHaveLength(3);
  });

  it("counts once where many are given and the thread is stepped, paused and noted meanwhile", async () => {
    const people = ["Ada", "Bob", "Cem", "Dai", "Eve", "Fay"];
    const { head } = await show();
    const [answers] = await Promise.all([
      Promise.all(people.map((by) => approve(false, "--by", by, "--head", head, "--wait", "60"))),
      step("--wait", "60"),
      box.uwf(["thread", "note", thread, "be quick"]),
      box.uwf(["thread", "run", thread, "--max-steps", "1"]),
    ]);
    const winners = people.filter((_, at) => answers[at]?.code === 0);
    expect(winners).toHaveLength(1);
    for (const { code, stdout, stderr } of answers.filter((ran) => ran.code !== 0)) {
      expect([code, stdout]).toEqual([75, ""]);
      expect(stderr).toContain(`${winners[0]} has answered`);
    }
    const all = await steps();
    expect(all).toHaveLength(3);
    const details = await box.json(["thread", "step-details", all.at(-1)?.hash ?? ""]);
    expect(details).toMatchObject({ by: winners[0] });
  });

  it("is refused where an agent is asked, unless it takes over", async () => {
    await approve(false);
    const ran = await answer("--field", "text=mine");
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    expect(ran.stderr).toContain("error[NOT_ASKED]");
    expect(ran.stderr).toContain("--take-over");
    expect(await answer("--field", "text=mine", "--take-over")).toMatchObject({ code: 0 });
    expect((await steps()).at(-1)).toMatchObject({ role: "maker", agent: "human", output: { text: "mine" } });
  });

  it("is refused while the thread is paused, and when it has ended", async () => {
    await box.json(["thread", "pause", thread]);
    expect(await approve(true)).toMatchObject({ code: 9 });
    await box.json(["thread", "resume", thread]);
    expect(await approve(true)).toMatchObject({ code: 0 });
    expect(await approve(true)).toMatchObject({ code: 8 });
  });

  it("of another role than the one that it names is refused", async () => {
    expect(await approve(true, "--role", "maker")).toMatchObject({ code: 4 });
    expect(await approve(true, "--role", "checker")).toMatchObject({ code: 0 });
  });
});

describe("--show", () => {
  it("prints the question and the fields, and changes nothing", async () => {
    const before = box.snapshot();
    const ran = await answer("--show");
    expect(ran.code).toBe(0);
    for (const part of [
      "# checker: checks",
      "Check it",
      "Write the note",
      "## Newest step: maker",
      "`approved` (boolean, required)",
    ])
      expect(ran.stdout).toContain(part);
    const shown = await box.json<AnswerShowOutput>([
      "thread",
      "answer",
      thread,
      "--show",
      "--format",
      "json",
    ]);
    expect(shown).toMatchObject({ thread, role: "checker", schema: { required: ["approved"] } });
    expect(box.snapshot()).toEqual(before);
  });
});

describe("--edit", () => {
  const edit = async (script: string) => {
    const editor = box.write("editor.sh", `#!/bin/sh\n${script}\n`);
    chmodSync(editor, 0o755);
    const line = `EDITOR='${editor}' '${join(import.meta.dirname, "../../bin/uwf")}' thread answer ${thread} --edit; echo "exit $?"`;
    // script(1) gives the command a terminal.
    return box.uwf([], { through: ["sh", "-c", 'exec script -qec "$0" /dev/null', line] });
  };

  it("opens the question with the fields, and takes what is written", async () => {
    const ran = await edit(
      `cp "$1" '${box.cwd}/seen'; sed -i 's/^approved:.*/approved: false/' "$1"; echo 'The title.' >>"$1"`,
    );
    expect(ran.stdout).toContain("exit 0");
    expect((await steps()).at(-1)?.output).toEqual({ approved: false });
    expect(existsSync(join(box.cwd, "seen"))).toBe(true);
  });

  it("opens again with what is wrong", async () => {
    const ran = await edit(
      `if grep -q '^# ! ' "$1"; then cp "$1" '${box.cwd}/again'; sed -i 's/^approved:.*/approved: false/' "$1"; else sed -i 's/^approved:.*/approved: maybe/' "$1"; fi`,
    );
    expect(ran.stdout).toContain("exit 0");
    expect(existsSync(join(box.cwd, "again"))).toBe(true);
  });

  it.each([
    ["leaves the file as it is", "true"],
    ["empties it", ': >"$1"'],
    ["fails", "exit 1"],
  ])("approves nothing when the editor %s", async (_name, script) => {
    const ran = await edit(script);
    expect(ran.stdout).toContain("exit 4");
    expect(await steps()).toHaveLength(2);
  });
});

describe("a timeout", () => {
  const PATIENT = "{ human: { timeout: 3d, default: { approved: false } } }";
  const DAY = 24 * 3600 * 1000;

  it("is told, and is over only when it is over", async () => {
    await atTheGate(PATIENT);
    expect(await step()).toMatchObject({ code: 9 });
    const { held } = await show();
    expect(held?.until).toBe((held?.since ?? 0) + 3 * DAY);
  });

  it("longer than any date can say is over at the last one: the thread can be read, stepped and answered", async () => {
    await atTheGate("{ human: { timeout: 999999999999d, default: { approved: false } } }");
    expect(await step()).toMatchObject({ code: 9 });
    expect((await show()).held?.until).toBe(LAST_TIME);
    expect(await step()).toMatchObject({ code: 9 });
    await box.json(["thread", "answer", thread, "--field", "approved=true"]);
    expect((await steps()).at(-1)).toMatchObject({ role: "checker", output: { approved: true } });
  });

  it("records the default as the answer of `nobody`", async () => {
    await atTheGate("{ human: { timeout: 1s, default: { approved: false } } }");
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await step()).toMatchObject({ code: 0 });
    const gate = (await steps()).at(-1);
    expect(gate).toMatchObject({ role: "checker", agent: "human", output: { approved: false } });
    const details = await box.json(["thread", "step-details", gate?.hash ?? ""]);
    expect(details).toMatchObject({ by: "nobody", via: "default", timedOut: true });
  });

  it("counts from the first question where an import has dated the head in the future", async () => {
    await atTheGate(PATIENT);
    const { head } = await show();
    const node = openStorage(box.root, { now: Date.now }).cas.get(head);
    rmSync(nodeFile(box, head));
    const { cas } = openStorage(box.root, { now: () => LAST_TIME });
    await cas.put(node?.type ?? head, node?.payload ?? null);
    expect(await step()).toMatchObject({ code: 9 });
    const file = join(box.root, "runs", thread, "hold.json");
    const hold = JSON.parse(readFileSync(file, "utf8"));
    expect(hold.until).toBeLessThanOrEqual(hold.at + 3 * DAY);
    writeFileSync(file, JSON.stringify({ ...hold, at: hold.at - 3 * DAY, until: hold.until - 3 * DAY }));
    expect(await step()).toMatchObject({ code: 0 });
    expect((await steps())[2]).toMatchObject({ role: "checker", output: { approved: false } });
  });

  it("is refused without a default, a default without a timeout, and one that does not fit", async () => {
    const cases = [
      ["{ human: { timeout: 3d } }", "belong together"],
      ["{ human: { default: { approved: true } } }", "belong together"],
      ["{ human: { timeout: 3d, default: { approved: yes please } } }", "does not satisfy meta"],
      ["{ human: { timeout: soon, default: { approved: true } } }", "a time such as"],
      ["robot", "agent must be human"],
      ["{ command: rm }", "command"],
    ] as const;
    for (const [agent, said] of cases) {
      const ran = await box.uwf(["workflow", "put", box.write("gate.yaml", gateYaml(agent))]);
      expect(ran).toMatchObject({ code: 4, stdout: "" });
      expect(ran.stderr).toContain(said);
    }
  });
});

describe("declared fields of an answer", () => {
  it("answeredBy, answeredAt and timedOut are filled in", async () => {
    box = sandbox();
    const properties = "        approved: { type: boolean }\n";
    const facts = `${properties}        answeredBy: { type: string }\n        answeredAt: { type: string, format: date-time }\n        timedOut: { type: boolean }\n`;
    const yaml = gateYaml()
      .replace(properties, facts)
      .replace("required: [approved]", "required: [approved, answeredBy, answeredAt, timedOut]");
    await box.json(["workflow", "put", box.write("gate.yaml", yaml)]);
    thread = (await box.json<Doc>(["thread", "start", "gate", "-p", "x"])).thread;
    await step("--agent", zoo("valid"));
    expect(await approve(true, "--by", "Ada")).toMatchObject({ code: 0 });
    expect((await steps()).at(-1)?.output).toEqual({
      approved: true,
      answeredBy: "Ada",
      answeredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      timedOut: false,
    });
  });
});

describe("a workflow", () => {
  it("without `agent` keeps its hash; with it, it is another type, and is shown, exported and imported", async () => {
    const plain = await box.json([
      "workflow",
      "put",
      box.write("turns.yaml", gateYaml().replace(/^ {4}agent: .*\n/m, "")),
    ]);
    const shownPlain = await box.json(["workflow", "show", plain.hash]);
    expect(shownPlain).toMatchObject({ type: "1HMT7KFTYQX5H" });
    expect(JSON.stringify(shownPlain)).not.toContain('"agent"');
    await box.json(["workflow", "put", box.write("gate.yaml", gateYaml())]);
    expect(await box.json(["workflow", "show", "gate"])).toMatchObject({
      type: "8W5SXWTBHAMGB",
      payload: {
        roles: {
          maker: { agent: null },
          checker: { agent: { human: { timeoutSeconds: null, default: null } } },
        },
      },
    });
    await approve(true);
    const file = join(box.cwd, "thread.export");
    await box.json(["cas", "export", thread, "-o", file]);
    const other = sandbox();
    await other.json(["cas", "import", file]);
    expect((await other.uwf(["thread", "read", thread])).stdout).toContain("checker");
    expect((await other.uwf(["cas", "verify"])).code).toBe(0);
  });
});
