import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Doc, RUNTIMES, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

type Imported = Doc & {
  readonly added: number;
  readonly entries: readonly { readonly outcome: string; readonly head: string }[];
};

/** A thread after its first step, and its export. */
async function steppedThread(box: Sandbox) {
  const thread = await startTurns(box);
  const { head } = await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
  const file = join(box.cwd, "thread.jsonl");
  await box.json(["cas", "export", thread, "-o", file]);
  return { thread, head, file };
}

describe.each(RUNTIMES)("a thread in an export, on %s", (runtime) => {
  it("is read, forked and stepped in another storage root", async () => {
    const [from, to] = [sandbox(runtime), sandbox(runtime)];
    const { thread, head, file } = await steppedThread(from);
    expect(await to.json<Imported>(["cas", "import", file])).toMatchObject({
      existed: 0,
      entries: [{ thread, head, outcome: "added" }],
    });
    expect((await to.uwf(["thread", "read", thread])).stdout).toBe(
      (await from.uwf(["thread", "read", thread])).stdout,
    );
    expect(await to.json(["thread", "steps", thread])).toEqual(await from.json(["thread", "steps", thread]));
    const fork = await to.json(["thread", "fork", head]);
    for (const id of [thread, fork.thread]) {
      const stepped = await to.json(["thread", "step", id, "--agent", zoo("valid")]);
      expect(stepped.head).not.toBe(head);
    }
    expect(await to.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
  });
});

describe("uwf cas export and import", () => {
  it("bring an ended thread into the history", async () => {
    const [from, to] = [sandbox(), sandbox()];
    const { thread, head } = await steppedThread(from);
    await from.json(["thread", "kill", thread]);
    const file = join(from.cwd, "ended.jsonl");
    await from.json(["cas", "export", thread.slice(0, 20).toLowerCase(), "-o", file]);
    await to.json(["cas", "import", file]);
    expect(to.read("history.jsonl")).toBe(from.read("history.jsonl"));
    expect(await to.json(["thread", "show", thread])).toMatchObject({ head, done: true, reason: "killed" });
    expect((await to.uwf(["thread", "step", thread])).code).toBe(8);
  });

  it("change nothing the second time, nor where the thread has gone on; another way is left alone and said", async () => {
    const [from, to] = [sandbox(), sandbox()];
    const { thread, head, file } = await steppedThread(from);
    await to.json(["cas", "import", file]);
    const before = to.snapshot();
    expect(await to.json<Imported>(["cas", "import", file])).toMatchObject({
      added: 0,
      entries: [{ outcome: "unchanged" }],
    });
    expect(to.snapshot()).toEqual(before);
    const there = await to.json(["thread", "step", thread, "--agent", zoo("valid")]);
    expect(await to.json<Imported>(["cas", "import", file])).toMatchObject({
      entries: [{ outcome: "unchanged", head: there.head }],
    });
    const back = join(to.cwd, "back.jsonl");
    await to.json(["cas", "export", thread, "-o", back]);
    // The same start and another thread: the head that stands here is no part of what comes.
    const { thread: other } = await from.json(["thread", "start", "turns", "-p", "Something else"]);
    const threads = readFileSync(join(from.root, "threads.yaml"), "utf8");
    const otherHead = new RegExp(`${other}: "(\\w+)"`).exec(threads)?.[1] ?? "";
    const moved = from.read("threads.yaml").replace(head, otherHead);
    from.write(join(from.root, "threads.yaml"), moved);
    expect(await from.json<Imported>(["cas", "import", back])).toMatchObject({
      entries: [{ outcome: "different", head: otherHead }],
    });
    expect(from.read("threads.yaml")).toBe(moved);
  });

  it("leave a thread that the export is ahead of, and say how to go on from there", async () => {
    const [from, to] = [sandbox(), sandbox()];
    const { thread, head, file } = await steppedThread(from);
    await to.json(["cas", "import", file]);
    const { head: ahead } = await from.json(["thread", "step", thread, "--agent", zoo("valid")]);
    const further = join(from.cwd, "further.jsonl");
    await from.json(["cas", "export", thread, "-o", further]);
    const before = to.read("threads.yaml");
    const ran = await to.uwf(["cas", "import", further]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout).entries).toEqual([{ thread, head, imported: ahead, outcome: "behind" }]);
    expect(ran.stderr).toContain(`uwf thread fork ${ahead}`);
    expect(to.read("threads.yaml")).toBe(before);
    const { thread: fork } = await to.json(["thread", "fork", ahead]);
    // The start of a thread is its own.
    expect((await to.json(["thread", "steps", fork])).steps.slice(1)).toEqual(
      (await from.json(["thread", "steps", thread])).steps.slice(1),
    );
  });

  it("have the same bytes from either storage root", async () => {
    const [from, to] = [sandbox(), sandbox()];
    const { thread, file } = await steppedThread(from);
    await to.json(["cas", "import", file]);
    expect((await to.uwf(["cas", "export", thread, "-o", "-"])).stdout).toBe(readFileSync(file, "utf8"));
  });

  it("take hashes as json-cas does, and refuse what names nothing", async () => {
    const box = sandbox();
    const { thread, head } = await steppedThread(box);
    expect(await box.json(["cas", "export", head, thread, "-o", "both.jsonl"])).toMatchObject({ entries: 1 });
    const codes = async (name: string) => (await box.uwf(["cas", "export", name, "-o", "x.jsonl"])).code;
    expect(await codes("01ARZ3NDEKTSV4RRFFQ69G5FAV")).toBe(3);
    expect(await codes("0000000000001")).toBe(3);
    expect(await codes("no-such")).toBe(2);
    expect(existsSync(join(box.cwd, "x.jsonl"))).toBe(false);
    // Short as a hash's beginning, it is rather one; but no node begins so.
    expect(await codes(thread.slice(-4))).toBe(0);
  });

  it("refuse an entry that is not a thread before a node is written", async () => {
    const [from, to] = [sandbox(), sandbox()];
    const { thread, head, file } = await steppedThread(from);
    const { createHash } = await import("node:crypto");
    const forge = (change: (text: string) => string): string => {
      // A pack ends with its footer, the footer's length and a checksum.
      const pack = readFileSync(file);
      const end = pack.length - 36;
      const start = end - pack.readUInt32BE(end);
      const footer = Buffer.from(change(pack.toString("utf8", start, end)));
      const length = Buffer.alloc(4);
      length.writeUInt32BE(footer.length);
      const body = Buffer.concat([pack.subarray(0, start), footer, length]);
      const forged = to.write("forged.pack", "");
      writeFileSync(forged, Buffer.concat([body, createHash("sha256").update(body).digest()]));
      return forged;
    };
    const entry = `{"thread":"${thread}","head":"${head}","ended":null}`;
    const { workflow } = await from.json(["thread", "show", thread]);
    const changes = [
      `{"thread":"../../../../etc/passwd","head":"${head}","ended":null}`,
      `{"thread":"${thread}","head":"${workflow}","ended":null}`,
      `{"thread":"${thread}","head":"0000000000001","ended":null}`,
      `{"thread":"${thread}","head":"${head}","ended":{"workflow":"${head}","reason":"end","completedAt":1}}`,
    ];
    for (const wrong of changes) {
      const ran = await to.uwf(["cas", "import", forge((text) => text.replace(entry, wrong))]);
      expect({ wrong, code: ran.code, stdout: ran.stdout }).toEqual({ wrong, code: 4, stdout: "" });
    }
    expect(existsSync(join(to.root, "cas"))).toBe(false);
    expect((await to.uwf(["cas", "import", forge((text) => text)])).code).toBe(0);
  });
});

describe("uwf cas du", () => {
  it("counts each thread, and unreachable nodes", async () => {
    const box = sandbox();
    const { thread } = await steppedThread(box);
    const { thread: small } = await box.json(["thread", "start", "turns", "-p", "Another"]);
    const du = await box.json<{
      threads: { thread: string; nodes: number; bytes: number }[];
      unreached: { nodes: number };
    }>(["cas", "du"]);
    expect(du.threads.map((one) => one.thread)).toEqual([thread, small]);
    expect(du.threads[0]?.bytes).toBeGreaterThan(du.threads[1]?.bytes ?? 0);
    expect(du.unreached.nodes).toBeGreaterThanOrEqual(0);
  });
});
