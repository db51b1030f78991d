import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { TYPE } from "@uncaged/workflow-store";
import { describe, expect, it } from "vitest";
import { BINARIES, type Server, startPostgres } from "../support/postgres.js";
import { remoteBox } from "./support.js";

const DRAIN = ["worker", "--until-idle"];
const AT = 1_700_000_000_000;

/** Whoever may write to the tables decides what is stepped, and nothing else on a worker's machine. */
describe.skipIf(BINARIES === null)("what somebody has written to the tables of a remote", () => {
  let running: Promise<Server> | null = null;
  const newBox = async () => {
    running ??= startPostgres();
    const server = await running;
    const url = server.database();
    const database = /^postgres:\/\/\/(\w+)/.exec(url)?.[1] ?? "";
    return { ...(await remoteBox(url)), sql: (text: string) => server.psql(text, database) };
  };

  it("makes no folder of a thread id that is a path, and the worker says which row it is and goes on", async () => {
    const box = await newBox();
    await box.submit();
    const { env, root } = box.worker("one", "valid");
    box.sql("UPDATE uwf.threads SET thread = '../../planted'");
    const right = await box.submit();
    const ran = await box.uwf(DRAIN, { env });
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringContaining('"../../planted" as the id of a thread'),
    ]);
    expect(JSON.parse(ran.stdout)).toEqual({ steps: 2, refused: 0, failed: 1 });
    expect(await box.show(right)).toMatchObject({ ended: "end" });
    expect(existsSync(join(root, "..", "planted"))).toBe(false);
    expect(readdirSync(join(root, "workspaces"))).toEqual([right]);
    const listed = await box.uwf(["thread", "list", "--all", "--remote"], { env: box.env });
    expect([listed.code, listed.stderr]).toEqual([
      0,
      `warning: the remote's database: a row has "../../planted" as the id of a thread; uwf has not written it: correct the row, or remove it\n`,
    ]);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ thread: right }]);
  });

  it.each([
    ["a folder of no form", "cwd", "."],
    ["a number of steps that no thread has", "steps", "2147483647"],
  ])(
    "sets a thread aside whose row has %s, names it, and has others stepped",
    async (_what, column, value) => {
      const box = await newBox();
      const wrong = await box.submit();
      const right = await box.submit();
      box.sql(`UPDATE uwf.threads SET ${column} = '${value}', leased_by = NULL WHERE thread = '${wrong}'`);
      const { env } = box.worker("one", "valid");
      const ran = await box.uwf(DRAIN, { env });
      expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining(`the row of thread "${wrong}"`)]);
      expect(JSON.parse(ran.stdout)).toEqual({ steps: 2, refused: 0, failed: 1 });
      expect(await box.show(right)).toMatchObject({ ended: "end" });
      // When it is corrected, it goes on.
      box.sql(`UPDATE uwf.threads SET cwd = NULL, steps = 0 WHERE thread = '${wrong}'`);
      expect(await box.show(wrong)).toMatchObject({ steps: 0, held: { code: "INVALID_INPUT" } });
      expect(await box.events(wrong)).toContain("held");
      await box.json(["thread", "resume", wrong, "--remote"], { env: box.env });
      expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 2, failed: 0 });
    },
  );

  it.each([
    "..",
    "ext::sh -c 'touch planted'",
    "--upload-pack=touch planted",
    "https://git.example/a#--upload-pack=x",
  ])("gives git no address that submit refuses: %s", async (text) => {
    const box = await newBox();
    const thread = await box.submit();
    const [git = "", ref = null] = text.split("#");
    const workspace = JSON.stringify({ git, ref, commit: null }).replaceAll("'", "''");
    box.sql(`UPDATE uwf.threads SET workspace = '${workspace}'`);
    const { env, root } = box.worker("one", "valid");
    expect(await box.json(DRAIN, { env })).toEqual({ steps: 0, refused: 0, failed: 1 });
    expect(await box.show(thread)).toMatchObject({ held: { code: "INVALID_INPUT" } });
    expect(existsSync(join(root, "workspaces", "repositories"))).toBe(false);
  });

  it("names no folder outside of the worker's --cwd-below, by links neither", async () => {
    const box = await newBox();
    const folder = (name: string): string => {
      mkdirSync(join(box.home, name), { recursive: true });
      return join(box.home, name);
    };
    const [below, inside] = [folder("work"), folder("work/shop")];
    const [outside, beside, link] = [folder("outside"), folder("work-2"), join(below, "link")];
    symlinkSync(outside, link);
    const submit = async (...words: readonly string[]): Promise<string> =>
      (await box.json(["thread", "submit", "turns", "-p", "Do it", ...words], { env: box.env })).thread;
    const right = [await submit("--cwd", below), await submit("--cwd", inside), await submit()];
    const wrong = [
      await submit("--cwd", outside),
      await submit("--cwd", beside),
      await submit("--cwd", link),
    ];
    wrong.push(await submit("--cwd", below));
    box.sql(`UPDATE uwf.threads SET cwd = '${below}/../outside' WHERE thread = '${wrong[3]}'`);
    const { env } = box.worker("one", "valid");
    const ran = await box.json([...DRAIN, "--cwd-below", below], { env });
    expect(ran).toEqual({ steps: 6, refused: 0, failed: 4 });
    for (const thread of right) expect(await box.show(thread)).toMatchObject({ ended: "end" });
    for (const thread of wrong)
      expect(await box.show(thread)).toMatchObject({ steps: 0, held: { code: "INVALID_INPUT" } });
    const none = await box.uwf([...DRAIN, "--cwd-below", join(below, "none")], { env });
    expect([none.code, none.stderr]).toEqual([4, expect.stringContaining("--cwd-below")]);
  });

  it("is left out of a thread's log where it is no line of a run, and is in no other thread's", async () => {
    const box = await newBox();
    const [thread, other] = [await box.submit(), await box.submit()];
    const line = { tag: "X", content: "planted", outcome: "ok" };
    const times = ["../x", 9e15, AT];
    const runs = times.map((timestamp, run) => ({ ...line, run: `${run}`, timestamp, thread: other }));
    const entry = JSON.stringify({ event: "tried", runs });
    box.sql(`INSERT INTO uwf.log (thread, entry) VALUES ('${thread}', '${entry}')`);
    for (const words of [
      ["thread", "usage", thread],
      ["thread", "read", thread],
    ]) {
      const read = await box.uwf([...words, "--remote"], { env: box.env });
      expect([read.code, read.stderr]).toEqual([0, ""]);
    }
    const log = await box.uwf(["log", "--remote", "--format", "text"], { env: box.env });
    const planted = log.stdout.split("\n").filter((text) => text.includes("planted"));
    expect([log.code, planted.length, log.stdout.includes("+275")]).toEqual([0, 1, false]);
  });

  it("under the hash of a node that a step has made keeps the step from being pushed, and no other thread", async () => {
    const box = await newBox();
    await box.submit();
    expect(await box.json(DRAIN, { env: box.worker("one", "valid").env })).toMatchObject({ steps: 2 });
    // The agent says the same in the next thread.
    box.sql(`UPDATE uwf.nodes SET bytes = set_byte(bytes, 40, 0) WHERE type = '${TYPE.content}'`);
    const thread = await box.submit();
    const { env } = box.worker("two", "valid");
    const ran = await box.uwf(DRAIN, { env });
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringContaining("two different contents have the hash"),
    ]);
    expect(JSON.parse(ran.stdout)).toEqual({ steps: 0, refused: 0, failed: 1 });
    expect(await box.show(thread)).toMatchObject({ steps: 0, held: { code: "HASH_COLLISION" } });
  });

  it("is no word about a thread that a worker's root has never given away: it stays, and nothing of it is pushed", async () => {
    const box = await newBox();
    const { env, root } = box.worker("one", "valid");
    const start = async (key: string) =>
      (await box.json(["thread", "start", "turns", "-p", "Private", "--key", key], { env })).thread;
    await box.json(["workflow", "put", join(box.cwd, "turns.yaml")], { env });
    const [own, ended, parent] = [await start("a"), await start("b"), await start("c")];
    await box.json(["thread", "step", own], { env });
    await box.json(["thread", "run", ended], { env });
    const files = ["threads.yaml", "history.jsonl"].map((name) => join(root, name));
    const before = files.map(box.readAt);
    for (const thread of [own, ended])
      box.sql(`UPDATE uwf.threads SET thread = '${thread}' WHERE thread = '${await box.submit()}'`);
    const child = await box.submit();
    const { head } = await box.json(["thread", "show", parent], { env });
    const place = JSON.stringify({ parent, head, role: "writer", item: null, at: AT });
    box.sql(`UPDATE uwf.threads SET place = '${place}' WHERE thread = '${child}'`);
    expect(await box.json(DRAIN, { env })).toEqual({ steps: 0, refused: 0, failed: 3 });
    for (const thread of [own, ended, child])
      expect(await box.show(thread)).toMatchObject({ steps: 0, held: { code: "INVALID_INPUT" } });
    expect(files.map(box.readAt).map((text) => text.replace(new RegExp(`^${child}.*\n`, "m"), ""))).toEqual(
      before,
    );
    expect([await box.events(own), await box.events(ended)]).toEqual([["held"], ["held"]]);
    expect(existsSync(join(root, "children.jsonl"))).toBe(false);
  });
});
