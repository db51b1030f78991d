import { appendFileSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { configure, WORK, withKit } from "../children/support.js";
import { type Sandbox, sandbox } from "../support/uwf.js";

const SECOND = WORK.replace("One worker", "One better worker");
const THIRD = WORK.replace("One worker", "The best worker");

type Named = { readonly name: string; readonly hash: string; readonly previous: string | null };

let box: Sandbox;
let file: string;

beforeEach(() => {
  box = sandbox();
  file = join(box.root, "registry-history.jsonl");
});

const put = (yaml: string): Promise<Named> => box.json(["workflow", "put", box.write("work.yaml", yaml)]);
const history = (): Promise<readonly Named[]> => box.json(["workflow", "history", "work"]);

describe("versions of a workflow", () => {
  it("put tells what the name pointed to, history lists every change", async () => {
    const first = await put(WORK);
    expect(first.previous).toBeNull();
    const second = await put(SECOND);
    expect(second.previous).toBe(first.hash);
    expect(await put(SECOND)).toEqual({ ...second, previous: second.hash });
    const kept = { source: expect.any(String), at: expect.any(Number) };
    expect(await history()).toEqual([
      { hash: second.hash, previous: first.hash, current: true, ...kept },
      { hash: first.hash, previous: null, current: false, ...kept },
    ]);
    const log = await box.json<readonly Readonly<Record<string, unknown>>[]>(["log"]);
    expect(log.map((line) => [line.event, line.workflow, line.previous])).toEqual([
      ["named", first.hash, null],
      ["named", second.hash, first.hash],
    ]);
  });

  it("an old version survives gc and comes back by rollback, the YAML with it", async () => {
    const first = await put(WORK);
    const second = await put(SECOND);
    const third = await put(THIRD);
    await box.json(["cas", "gc", "--yes", "--grace", "0s"]);
    const back = await box.json(["workflow", "rollback", "work"]);
    expect(back).toEqual({ name: "work", hash: second.hash, previous: third.hash });
    expect((await box.json(["workflow", "show", "work"])).payload.description).toBe("One better worker");
    await box.json(["workflow", "rollback", "work", first.hash.slice(0, 8).toLowerCase()]);
    expect((await box.uwf(["workflow", "show", "work", "--source"])).stdout).toBe(WORK);
    expect((await box.uwf(["workflow", "show", third.hash, "--source"])).stdout).toBe(THIRD);
    expect((await history()).map((item) => item.hash)).toEqual([
      first.hash,
      second.hash,
      third.hash,
      second.hash,
      first.hash,
    ]);
  });

  it("a rollback needs an earlier version, of this name", async () => {
    const first = await put(WORK);
    for (const args of [["work"], ["work", "0000"], ["nobody"], ["worc"]]) {
      const ran = await box.uwf(["workflow", "rollback", ...args]);
      expect([args, ran.code]).toEqual([args, args[0] === "work" ? 2 : 3]);
      expect(ran.stdout).toBe("");
    }
    expect((await box.uwf(["workflow", "rollback", "worc"])).stderr).toContain('did you mean "work"?');
    expect(await history()).toHaveLength(1);
    expect((await box.json(["workflow", "show", "work"])).hash).toBe(first.hash);
  });

  it("rm takes the name, a rollback brings it back", async () => {
    const { hash } = await put(WORK);
    expect(await box.json(["workflow", "rm", "work"])).toEqual({ name: "work", hash: null, previous: hash });
    expect((await box.uwf(["workflow", "rm", "work"])).code).toBe(3);
    expect((await box.uwf(["thread", "start", "work", "-p", "Do it"])).code).toBe(3);
    await box.json(["cas", "gc", "--yes", "--grace", "0s"]);
    expect(await box.json(["workflow", "rollback", "work"])).toEqual({ name: "work", hash, previous: null });
  });

  it("a running thread never changes", async () => {
    await configure(box);
    const first = await put(WORK);
    const { thread } = await box.json(["thread", "start", "work", "-p", "Do it"]);
    await put(SECOND);
    await box.json(["workflow", "rm", "work"]);
    await box.json(["cas", "gc", "--yes", "--grace", "0s"]);
    expect((await box.uwf(["thread", "run", thread], withKit())).code).toBe(0);
    expect((await box.json(["thread", "show", thread])).workflow).toBe(first.hash);
  });

  it("put takes several files, none if one is wrong, and stdin", async () => {
    const other = box.write("other.yaml", WORK.replace("name: work", "name: other"));
    const wrong = box.write("wrong.yaml", "name: wrong\n");
    const work = box.write("work.yaml", WORK);
    expect((await box.uwf(["workflow", "put", work, other, wrong])).code).toBe(4);
    expect((await box.uwf(["workflow", "put", work, work])).code).toBe(2);
    expect(await box.json(["workflow", "list"])).toEqual([]);
    const both = await box.json<readonly [Named, Named]>(["workflow", "put", work, other]);
    expect(both.map(({ name }) => name)).toEqual(["work", "other"]);
    const piped = await box.uwf(["workflow", "put", "-"], { stdin: SECOND });
    expect(JSON.parse(piped.stdout)).toEqual({
      name: "work",
      hash: expect.any(String),
      previous: both[0].hash,
    });
    expect(piped.stderr).toBe("");
  });
});

describe("registry-history.jsonl", () => {
  it("a torn last line is passed over, and cut off by the next put", async () => {
    await put(WORK);
    await put(SECOND);
    truncateSync(file, readFileSync(file).length - 20);
    expect(await history()).toHaveLength(1);
    await put(THIRD);
    expect(await history()).toHaveLength(2);
    expect(
      readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).name),
    ).toEqual(["work", "work"]);
  });

  it("a line whose name never moved has no effect", async () => {
    const { hash } = await put(WORK);
    const lost = { name: "work", hash: "0000000000000", previous: hash, source: null, at: 1 };
    appendFileSync(file, `${JSON.stringify(lost)}\n`);
    expect((await history())[0]).toMatchObject({ hash: "0000000000000", current: false });
    await box.json(["cas", "gc", "--yes", "--grace", "0s"]);
    const second = await put(SECOND);
    expect(second.previous).toBe(hash);
    expect((await box.json(["workflow", "rollback", "work"])).hash).toBe(hash);
    expect((await box.uwf(["workflow", "rollback", "work", "0000000000000"])).code).toBe(3);
  });

  it.each([
    ["wrong", () => writeFileSync(file, "{}\n")],
    ["foreign", () => writeFileSync(file, "what is this?\n")],
    ["a folder's link", () => [rmSync(file), symlinkSync(box.root, file)]],
    ["huge", () => truncateSync(file, 2 ** 31)],
  ])("%s: nothing is lost, gc removes nothing, and threads run", async (_, damage) => {
    await configure(box);
    await put(WORK);
    const { thread } = await box.json(["thread", "start", "work", "-p", "Do it"]);
    damage();
    for (const args of [
      ["workflow", "history", "work"],
      ["workflow", "rollback", "work"],
      ["cas", "gc", "--yes", "--grace", "0s"],
    ]) {
      const ran = await box.uwf(args);
      expect([args, ran.code]).toEqual([args, 7]);
      expect(ran.stderr).toContain(file);
    }
    expect((await box.uwf(["thread", "run", thread], withKit())).code).toBe(0);
  });
});
