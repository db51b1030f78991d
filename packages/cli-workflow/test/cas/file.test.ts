import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { sandbox } from "../support/uwf.js";

const MIB = 1024 * 1024;

const EXEC = resolve(import.meta.dirname, "../../../workflow-agent-exec/bin/uwf-exec");

const BUILD = `name: build
description: Builds
roles:
  builder:
    description: d
    goal: g
    capabilities: []
    procedure: p
    output: o
    meta:
      type: object
      required: [files]
      properties: { files: { type: array, items: { type: string, format: cas_ref } } }
conditions: {}
graph:
  $START: [{ role: builder, condition: null }]
  builder: [{ role: $END, condition: null }]
`;

/** Bytes that are no text, the same each time, and differ from byte to byte. */
function noise(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let at = 0, seed = 1; at + 4 <= size; at += 4) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    bytes.writeUInt32LE(seed, at);
  }
  return bytes;
}

describe("uwf cas file", () => {
  it("stores a file and gives back its bytes, on stdout and in a new file", async () => {
    const box = sandbox();
    const text = "\ufeffdiff --git a/x b/x\r\n+naïve\n";
    box.write("fix.patch", text);
    const { hash } = await box.json(["cas", "file", "put", "./fix.patch"]);
    expect((await box.json(["cas", "get", hash])).payload).toEqual({
      name: "fix.patch",
      mediaType: "text/x-diff",
      size: Buffer.byteLength(text),
      sha256: createHash("sha256").update(text).digest("hex"),
      encoding: "utf8",
      data: text,
    });
    expect(await box.uwf(["cas", "file", "get", hash])).toMatchObject({ code: 0, stdout: text, stderr: "" });
    const written = await box.json(["cas", "file", "get", hash, "-o", "copy.patch"]);
    expect(written).toEqual({ file: join(box.cwd, "copy.patch"), size: Buffer.byteLength(text) });
    expect(readFileSync(join(box.cwd, "copy.patch"), "utf8")).toBe(text);
    expect(await box.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
  });

  it("stores what is not text as base64, under the media type that is given", async () => {
    const box = sandbox();
    const bytes = noise(1000);
    writeFileSync(join(box.cwd, "data"), bytes);
    const { hash } = await box.json(["cas", "file", "put", "data"]);
    const { payload } = await box.json(["cas", "get", hash]);
    expect(payload).toMatchObject({ mediaType: "application/octet-stream", encoding: "base64" });
    await box.json(["cas", "file", "get", hash, "-o", "copy"]);
    expect(readFileSync(join(box.cwd, "copy")).equals(bytes)).toBe(true);
    const typed = await box.json(["cas", "file", "put", "data", "--media-type", "image/webp"]);
    expect((await box.json(["cas", "get", typed.hash])).payload).toMatchObject({ mediaType: "image/webp" });
  });

  it("replaces a file only with --force", async () => {
    const box = sandbox();
    box.write("a.txt", "new");
    box.write("b.txt", "old");
    const { hash } = await box.json(["cas", "file", "put", "a.txt"]);
    const refused = await box.uwf(["cas", "file", "get", hash, "-o", "b.txt"]);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toMatch(/error\[FILE_EXISTS\]: .* exists already\nhint: .* --force$/m);
    expect(readFileSync(join(box.cwd, "b.txt"), "utf8")).toBe("old");
    await box.json(["cas", "file", "get", hash, "-o", "b.txt", "--force"]);
    expect(readFileSync(join(box.cwd, "b.txt"), "utf8")).toBe("new");
  });

  it("says what to name where a folder is named, and where there is none", async () => {
    const box = sandbox();
    box.write("a.txt", "new");
    mkdirSync(join(box.cwd, "out"));
    const { hash } = await box.json(["cas", "file", "put", "a.txt"]);
    for (const force of [[], ["--force"]]) {
      const folder = await box.uwf(["cas", "file", "get", hash, "-o", "out", ...force]);
      expect([folder.code, folder.stderr]).toEqual([
        4,
        expect.stringMatching(/\/out: it is a folder\nhint: name a file in it: out\/<name>$/m),
      ]);
    }
    const lost = await box.uwf(["cas", "file", "get", hash, "-o", "none/a.txt"]);
    expect([lost.code, lost.stderr]).toEqual([
      4,
      expect.stringMatching(/: there is no folder \/.*\/none\nhint: make it first, or name another file$/m),
    ]);
  });

  it("takes only regular files inside the current folder, reached through no link", async () => {
    const box = sandbox();
    const put = async (path: string) => {
      const { code, stdout, stderr } = await box.uwf(["cas", "file", "put", path]);
      expect(stdout).toBe("");
      expect(stderr).toContain("hint: ");
      return `${code} ${stderr.split("\n")[0]}`;
    };
    box.write("a.txt", "a");
    mkdirSync(join(box.cwd, "folder"));
    symlinkSync("a.txt", join(box.cwd, "link"));
    symlinkSync(".", join(box.cwd, "here"));
    symlinkSync("nowhere", join(box.cwd, "dangling"));
    spawnSync("mkfifo", [join(box.cwd, "fifo")]);
    const server = createServer().listen(join(box.cwd, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    expect(await put("none")).toContain("3 error[FILE_NOT_FOUND]: cannot read none: it does not exist");
    expect(await put("../secret")).toContain("4 error[INVALID_INPUT]: ../secret");
    expect(await put("../secret")).toContain("it is outside the working folder");
    expect(await put("/etc/passwd")).toContain("it is outside the working folder");
    expect(await put("link")).toContain("it is, or leads through, a symbolic link");
    expect(await put("here/a.txt")).toContain("it is, or leads through, a symbolic link");
    expect(await put("dangling")).toContain("symbolic link");
    expect(await put("folder")).toContain("it is a folder");
    expect(await put("fifo")).toContain("it is not a regular file");
    expect(await put("socket")).toContain("it is not a regular file");
    await new Promise((resolve) => server.close(resolve));
  });

  it("stores nothing of the storage root", async () => {
    const box = sandbox();
    box.write("a.txt", "a");
    await box.json(["cas", "file", "put", "a.txt"]);
    writeFileSync(join(box.root, ".env"), "KEY=0123456789\n");
    const ran = await box.uwf(["cas", "file", "put", ".env"], { cwd: box.root });
    expect(ran).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("it belongs to uwf's storage root"),
    });
  });

  it("refuses a file over 32 MiB, and takes one of 32 MiB, in chunks, through export and import", async () => {
    const box = sandbox();
    const large = join(box.cwd, "large");
    writeFileSync(large, noise(32 * MIB));
    const { hash } = await box.json(["cas", "file", "put", "large"]);
    await box.json(["cas", "export", hash, "-o", "out.jsonl"]);
    const other = sandbox();
    await other.json(["cas", "import", join(box.cwd, "out.jsonl")]);
    await other.json(["cas", "file", "get", hash, "-o", "copy"]);
    expect(readFileSync(join(other.cwd, "copy")).equals(readFileSync(large))).toBe(true);
    const { payload } = await other.json(["cas", "get", hash]);
    expect(payload.chunks).toHaveLength(8);
    expect(await other.json(["cas", "verify"])).toMatchObject({ damaged: 0 });
    truncateSync(large, 32 * MIB + 1);
    const refused = await box.uwf(["cas", "file", "put", "large"]);
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain("error[TOO_LARGE]");
  });

  it("are kept by gc, and carried by the export of the thread whose output refers to them", async () => {
    const box = sandbox();
    box.write("build.yaml", BUILD);
    const { thread } = await box.json(["thread", "start", "./build.yaml", "-p", "Build it"]);
    writeFileSync(join(box.cwd, "large"), noise(20 * MIB + 3));
    const agent = `'${EXEC}' --artifact 'files=out/*' -- sh -c 'mkdir out; mv large out/large; echo small > out/small'`;
    await box.json(["thread", "step", thread, "--agent", agent]);
    await box.json(["cas", "gc", "--grace", "0s", "--yes"]);
    const { steps } = await box.json(["thread", "steps", thread]);
    const [hash = "", small = ""] = (steps.at(-1)?.output.files ?? []) as readonly string[];
    const { hashes } = await box.json(["cas", "walk", steps.at(-1)?.hash ?? ""]);
    expect(hashes).toEqual(expect.arrayContaining([hash, small]));
    await box.json(["cas", "export", thread, "-o", "thread.jsonl"]);
    const other = sandbox();
    await other.json(["cas", "import", join(box.cwd, "thread.jsonl")]);
    await other.json(["cas", "file", "get", hash, "-o", "copy"]);
    expect(readFileSync(join(other.cwd, "copy")).equals(noise(20 * MIB + 3))).toBe(true);
    expect(await other.uwf(["cas", "file", "get", small])).toMatchObject({ code: 0, stdout: "small\n" });
  });

  it("gives no bytes that do not fit their size or their sum", async () => {
    const box = sandbox();
    box.write("a.txt", "a");
    const { hash } = await box.json(["cas", "file", "put", "a.txt"]);
    const { type, payload } = (await box.json(["cas", "get", hash])) as unknown as {
      readonly type: string;
      readonly payload: Readonly<Record<string, unknown>>;
    };
    for (const [change, sentence] of [
      [{ data: "b" }, "the SHA-256 of its data is"],
      [{ data: "aa" }, "its data has 2 bytes, its size is 1"],
    ] as const) {
      const forged = await box.json(["cas", "put", type, JSON.stringify({ ...payload, ...change })]);
      const ran = await box.uwf(["cas", "file", "get", forged.hash, "-o", "out"]);
      expect(ran).toMatchObject({ code: 7, stdout: "", stderr: expect.stringContaining(sentence) });
      expect(existsSync(join(box.cwd, "out"))).toBe(false);
    }
  });

  it("refuses what is not a file, and what is not a media type", async () => {
    const box = sandbox();
    const { hash } = await box.json(["cas", "put-text", "words"]);
    expect(await box.uwf(["cas", "file", "get", hash])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("file"),
    });
    expect(await box.uwf(["cas", "file", "get", "0000000000000"])).toMatchObject({ code: 3, stdout: "" });
    box.write("a.txt", "a");
    const ran = await box.uwf(["cas", "file", "put", "a.txt", "--media-type", "text"]);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("It must be type/subtype") });
  });
});

describe("thread export and thread import", () => {
  it("are cas export and cas import, with their help under their own names", async () => {
    const box = sandbox();
    const { hash } = await box.json(["cas", "file", "put", box.write("a.txt", "text")]);
    await box.json(["thread", "export", hash, "-o", "out.cas"]);
    const again = await box.uwf(["thread", "export", hash, "-o", "out.cas"]);
    expect(again.stderr).toMatch(
      /^error\[FILE_EXISTS\]: out\.cas exists already\nhint: nothing was written; /,
    );
    expect((await sandbox().uwf(["thread", "import", join(box.cwd, "out.cas")])).code).toBe(0);
    for (const words of [
      ["thread", "export", "--help"],
      ["help", "thread", "export"],
    ])
      expect((await box.uwf(words)).stdout).toContain("\nUsage: uwf thread export ");
  });
});
