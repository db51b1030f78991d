import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadShowOutput } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

let box: Sandbox;
let thread: string;

beforeEach(async () => {
  box = sandbox();
  thread = await startTurns(box);
});

const note = (...args: readonly string[]) => box.uwf(["thread", "note", thread, ...args]);
const waiting = async () =>
  (await box.json<ThreadShowOutput>(["thread", "show", thread])).notes.map(({ text }) => text);
const heard = () => {
  const file = join(box.cwd, "heard");
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).text)
    : [];
};

/** An agent that keeps what it was told, does something, and works, or fails. */
function listener(then: string): string {
  const agent = box.write(
    "listener.sh",
    `#!/bin/sh\n[ -z "$UWF_NOTES" ] || cat "$UWF_NOTES" >>'${box.cwd}/heard'\n${then}\n`,
  );
  chmodSync(agent, 0o755);
  return agent;
}

const works = () => listener(`exec ${zoo("valid")} "$@"`);
const step = (agent: string) => box.uwf(["thread", "step", thread, "--agent", agent]);

describe("a note", () => {
  it("is heard by the next run, and by no other", async () => {
    expect(JSON.parse((await note("keep the old option", "--by", "Ada")).stdout)).toEqual({
      thread,
      notes: 1,
    });
    expect((await box.uwf(["thread", "note", thread, "-"], { stdin: "and test it\n" })).code).toBe(0);
    expect(await waiting()).toEqual(["keep the old option", "and test it"]);
    expect((await step(works())).code).toBe(0);
    expect(heard()).toEqual(["keep the old option", "and test it"]);
    expect(await waiting()).toEqual([]);
    expect((await step(works())).code).toBe(0);
    expect(heard()).toHaveLength(2);
  });

  it("is kept for the retry when the run fails", async () => {
    await note("try the other way");
    expect((await step(listener("exit 3"))).code).toBe(6);
    expect(await waiting()).toEqual(["try the other way"]);
    expect((await step(works())).code).toBe(0);
    expect(heard()).toEqual(["try the other way", "try the other way"]);
    expect(await waiting()).toEqual([]);
  });

  it("that comes while a run works stays for the next one", async () => {
    await note("first");
    const uwf = join(import.meta.dirname, "../../bin/uwf");
    const during = listener(`'${uwf}' thread note ${thread} second >/dev/null\nexec ${zoo("valid")} "$@"`);
    expect((await step(during)).code).toBe(0);
    expect(heard()).toEqual(["first"]);
    expect(await waiting()).toEqual(["second"]);
  });

  it("is told by the log, and not seen by a condition", async () => {
    await note("x", "--by", "Ada");
    const events = await box.json<readonly { readonly event?: string }[]>(["log", "--thread", thread]);
    expect(events.at(-1)).toMatchObject({ event: "noted", by: "Ada" });
    const next = await box.json<{ readonly next: string }>(["thread", "next", thread]);
    expect(next).toMatchObject({ next: "maker" });
  });

  it.each([
    ["nothing", []],
    ["both ways", ["text", "--file", "x"]],
  ])("of %s: usage", async (_name, args) => {
    expect(await note(...args)).toMatchObject({ code: 2, stdout: "" });
  });

  it("is refused where it is empty, too long, or the thread has ended", async () => {
    expect(await note("  ")).toMatchObject({ code: 4 });
    expect(await note("--file", box.write("long", "x".repeat(70_000)))).toMatchObject({ code: 4 });
    await box.json(["thread", "kill", thread]);
    expect(await note("too late")).toMatchObject({ code: 8 });
  });
});

describe("a damaged notes.jsonl starts no run, and the hint mends it", () => {
  const file = () => join(box.root, "runs", thread, "notes.jsonl");

  it.each<[string, () => void]>([
    ["torn", () => writeFileSync(file(), '{"text":"a","by":"b","at":1}\n{"text":')],
    ["of something else", () => writeFileSync(file(), "[]\n")],
    ["a folder", () => mkdirSync(file())],
    ["larger than any", () => writeFileSync(file(), " ".repeat(2 * 1024 * 1024))],
  ])("%s", async (_name, damage) => {
    damage();
    const ran = await step(works());
    expect(ran).toMatchObject({ code: 7, stdout: "" });
    expect(ran.stderr).toContain(`rm ${file()}`);
    expect(heard()).toEqual([]);
    rmSync(file(), { recursive: true });
    expect((await step(works())).code).toBe(0);
  });
});
