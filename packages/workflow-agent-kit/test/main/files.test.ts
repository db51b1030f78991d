import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hash, JsonObject } from "@uncaged/json-cas";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentDefinition } from "../../src/author.js";
import { runAgent } from "../../src/main/index.js";
import { makeHost } from "../helpers/host.js";
import { makeThread, type TestThread } from "../helpers/thread.js";

const REF = { type: "string", format: "cas_ref" } as const;

const FIX: JsonObject = {
  type: "object",
  properties: {
    patch: REF,
    logs: { type: "array", items: { $ref: "#/$defs/file" } },
    by: { type: "object", additionalProperties: { anyOf: [REF, { type: "null" }] } },
    note: { anyOf: [REF, { type: "string", pattern: "^[a-z ]*$" }] },
    words: { type: "string" },
  },
  $defs: { file: REF },
};

const MIB = 1024 * 1024;

let made: TestThread;
let folder: string;

beforeEach(async () => {
  made = await makeThread({ developer: FIX });
  folder = mkdtempSync(join(tmpdir(), "uwf-files-"));
});

afterEach(() => {
  made.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function play(definition: Omit<AgentDefinition, "name">) {
  const host = { ...makeHost([made.thread, "developer"], made.root), cwd: folder };
  const code = await runAgent({ name: "uwf-test", ...definition }, host);
  const { cas } = made.storage;
  const step = cas.get(host.written.out.trim() as Hash)?.payload as { readonly output: Hash } | undefined;
  const output =
    step === undefined ? {} : (cas.get(step.output)?.payload as Readonly<Record<string, unknown>>);
  return { code, output, err: host.written.err };
}

const put = (value: JsonObject) => play({ run: () => ({ kind: "output", value }) });

const payload = (hash: unknown) => made.storage.cas.get(hash as Hash)?.payload;

describe("the path of a file in a field that refers to a node", () => {
  it("becomes the hash of the file's node, wherever the schema says so", async () => {
    writeFileSync(join(folder, "fix.patch"), "+fixed\n");
    mkdirSync(join(folder, "out"));
    writeFileSync(join(folder, "out/a.log"), "a");
    const { code, err, output } = await put({
      patch: "./fix.patch",
      logs: ["out/a.log", made.start],
      by: { me: "fix.patch", you: null },
      words: "./fix.patch",
    });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(payload(output.patch)).toMatchObject({ name: "fix.patch", data: "+fixed\n", size: 7 });
    const [log, kept] = output.logs as readonly string[];
    expect(payload(log)).toMatchObject({ name: "a.log", mediaType: "text/plain" });
    expect(kept).toBe(made.start);
    expect(output.by).toEqual({ me: output.patch, you: null });
    expect(output.words).toBe("./fix.patch");
  });

  it("stays a text where the schema allows other texts too", async () => {
    expect((await put({ note: "all well" })).output).toEqual({ note: "all well" });
  });

  it("is relative to the folder that the agent names as its own", async () => {
    mkdirSync(join(folder, "app"));
    writeFileSync(join(folder, "app/x.txt"), "x");
    const { output } = await play({
      run: () => ({ kind: "output", value: { patch: "x.txt" }, session: { cwd: join(folder, "app") } }),
    });
    expect(payload(output.patch)).toMatchObject({ data: "x" });
  });

  it.each([
    ["none.txt", "it does not exist"],
    ["../outside.txt", "it is outside the working folder"],
    ["link.txt", "it is, or leads through, a symbolic link"],
    ["folder", "it is a folder"],
    ["large.bin", "large.bin is 33554433 bytes, the limit is 33554432"],
  ])("is refused with a sentence that says why: %s", async (path, sentence) => {
    mkdirSync(join(folder, "folder"));
    writeFileSync(join(folder, "a.txt"), "a");
    symlinkSync("a.txt", join(folder, "link.txt"));
    writeFileSync(join(folder, "large.bin"), "");
    truncateSync(join(folder, "large.bin"), 32 * MIB + 1);
    const { code, err } = await put({ patch: path, words: 1 });
    expect(code).toBe(6);
    expect(err).toContain(`/patch: expected the hash of a stored node or the path of a file, got "${path}"`);
    expect(err).toContain(sentence);
    expect(err.split("/patch:")).toHaveLength(2);
    expect(err).toContain("/words: ");
  });

  it("is put right by the agent's own session", async () => {
    let asked = "";
    const session = { sessionId: "s" };
    const { code, output } = await play({
      run: () => ({ kind: "text", text: "---\npatch: ./fix.patch\n---\nDone.\n", session }),
      continue: (_session, message) => {
        asked = message;
        writeFileSync(join(folder, "fix.patch"), "+");
        return { kind: "text", text: "---\npatch: ./fix.patch\n---\n", session };
      },
    });
    expect(code).toBe(0);
    expect(asked).toContain('got "./fix.patch": it does not exist');
    expect(payload(output.patch)).toMatchObject({ data: "+" });
  });

  it("is refused when the files of a step are more than 64 MiB together", async () => {
    const names = ["a", "b", "c", "d", "e"].map((name) => {
      writeFileSync(join(folder, name), name);
      truncateSync(join(folder, name), 16 * MIB);
      return name;
    });
    const { code, err } = await put({ logs: names });
    expect(code).toBe(6);
    expect(err).toContain("/logs/4: the files of a step may have 67108864 bytes together");
    expect((await put({ logs: names.slice(0, 4) })).code).toBe(0);
  });

  it("is refused when the file contains a key", async () => {
    writeFileSync(join(made.root, ".env"), "API_KEY=sk-0123456789abcdef\n", { mode: 0o600 });
    writeFileSync(join(folder, "a.txt"), "key: sk-0123456789abcdef");
    writeFileSync(join(folder, "b.bin"), Buffer.from("\0\xffsk-0123456789abcdef", "latin1"));
    for (const patch of ["a.txt", "b.bin"]) {
      const { code, err } = await put({ patch });
      expect(code).toBe(6);
      expect(err).toContain("it contains a key of this storage root");
    }
  });
});
