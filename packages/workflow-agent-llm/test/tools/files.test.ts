import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeShop, type TestShop } from "../helpers/shop.js";

let shop: TestShop;

beforeEach(() => {
  shop = makeShop();
});

afterEach(() => shop.remove());

function write(path: string, text: string | Uint8Array): string {
  const file = join(shop.cwd, path);
  writeFileSync(file, text);
  return file;
}

const read = (path: string): string => readFileSync(join(shop.cwd, path), "utf8");

describe("read_file", () => {
  it("returns a text unchanged, by a relative or an absolute path", async () => {
    const file = write("a.txt", "one\r\ntwo\n\n");
    expect(await shop.use("read_file", { path: "a.txt" })).toBe("one\r\ntwo\n\n");
    expect(await shop.use("read_file", { path: file })).toBe("one\r\ntwo\n\n");
    expect(await shop.use("read_file", { path: "./x/../a.txt" })).toBe("one\r\ntwo\n\n");
  });

  it("returns a long text in parts, and says where to continue", async () => {
    write("long.txt", Array.from({ length: 300 }, (_, line) => `line ${line + 1}\n`).join(""));
    const first = await shop.use("read_file", { path: "long.txt" });
    const next = Number(/\[lines 1 to (\d+) of 300; continue with offset (\d+)\]$/.exec(first)?.[2]);
    expect(first.length).toBeLessThan(1100);
    expect(await shop.use("read_file", { path: "long.txt", offset: next, limit: 2 })).toBe(
      `line ${next}\nline ${next + 1}\n\n[lines ${next} to ${next + 1} of 300; continue with offset ${next + 2}]`,
    );
    expect(await shop.use("read_file", { path: "long.txt", offset: "300" })).toBe("line 300\n");
    expect(await shop.use("read_file", { path: "long.txt", offset: 999 })).toBe(
      "Error: it has only 300 lines.",
    );
  });

  it("cuts a line that is longer than a result", async () => {
    write("one-line.txt", "x".repeat(5000));
    expect(await shop.use("read_file", { path: "one-line.txt" })).toBe(
      `${"x".repeat(1000)}\n[line 1 is cut off: it has 5000 characters]`,
    );
  });

  it("lists a folder", async () => {
    mkdirSync(join(shop.cwd, "src"));
    write("b.txt", "");
    expect(await shop.use("read_file", { path: "." })).toBe("b.txt\nsrc/");
    expect(await shop.use("read_file", { path: "src" })).toBe("(an empty folder)");
    expect(await shop.use("read_file", { path: "b.txt" })).toBe("(an empty file)");
  });

  it("refuses what is not text, not a file, or too large", async () => {
    write("bin", Uint8Array.of(1, 0, 2));
    write("big", "x".repeat(9 * 1024 * 1024));
    expect(await shop.use("read_file", { path: "bin" })).toContain("is not text");
    expect(await shop.use("read_file", { path: "big" })).toContain("more than 8388608 bytes");
    expect(await shop.use("read_file", { path: "none" })).toBe("Error: none does not exist.");
    expect(await shop.use("read_file", { path: "bin/x" })).toContain("not a folder");
    await shop.use("shell_exec", { command: "mkfifo pipe" });
    expect(await shop.use("read_file", { path: "pipe" })).toBe("Error: pipe is not a regular file.");
    expect(await shop.use("write_file", { path: "pipe", content: "x" })).toBe(
      "Error: pipe is not a regular file.",
    );
  });

  it("shows no key", async () => {
    write("env", "K=the-secret-key\n");
    expect(await shop.use("read_file", { path: "env" })).toBe("K=[redacted:K]\n");
    for (const before of [990, 995, 1000]) {
      write("cut", `${"A".repeat(before)}the-secret-key${"B".repeat(5000)}`);
      expect(await shop.use("read_file", { path: "cut" })).not.toContain("the-");
    }
  });
});

describe("write_file", () => {
  it("creates a file with its folders, and replaces a whole file", async () => {
    expect(await shop.use("write_file", { path: "a/b/c.txt", content: "é" })).toBe(
      "Wrote 2 bytes to a/b/c.txt.",
    );
    expect(read("a/b/c.txt")).toBe("é");
    await shop.use("write_file", { path: "a/b/c.txt", content: "" });
    expect(read("a/b/c.txt")).toBe("");
  });

  it("keeps mode and hard links of an existing file", async () => {
    const file = write("run.sh", "#!/bin/sh\nexit 1\n");
    chmodSync(file, 0o755);
    linkSync(file, join(shop.cwd, "other.sh"));
    await shop.use("write_file", { path: "run.sh", content: "#!/bin/sh\n" });
    expect(statSync(file).mode & 0o777).toBe(0o755);
    expect(read("other.sh")).toBe("#!/bin/sh\n");
  });

  it("refuses folders and invalid arguments", async () => {
    mkdirSync(join(shop.cwd, "src"));
    expect(await shop.use("write_file", { path: "src", content: "" })).toBe("Error: src is a folder.");
    expect(await shop.use("write_file", { path: ".", content: "" })).toContain("is not a file");
    expect(await shop.use("write_file", { path: "a\0b", content: "" })).toBe(
      "Error: path is missing or invalid.",
    );
    expect(await shop.use("write_file", { path: "x" })).toBe("Error: content must be a string.");
    expect(readdirSync(shop.cwd)).toEqual(["src"]);
  });
});

describe("patch_file", () => {
  it("replaces a text that occurs once", async () => {
    write("a.js", "const a = 1;\nconst b = 1;\n");
    expect(await shop.use("patch_file", { path: "a.js", old: "b = 1", new: "b = '$&'" })).toBe(
      "Replaced it once in a.js.",
    );
    expect(read("a.js")).toBe("const a = 1;\nconst b = '$&';\n");
  });

  it("refuses an ambiguous text unless all is true", async () => {
    write("a.js", "x x x");
    expect(await shop.use("patch_file", { path: "a.js", old: "x", new: "y" })).toContain(
      "occurs 3 times in a.js",
    );
    expect(read("a.js")).toBe("x x x");
    expect(await shop.use("patch_file", { path: "a.js", old: "x", new: "y", all: true })).toContain(
      "3 times",
    );
    expect(read("a.js")).toBe("y y y");
  });

  it("says that the text is missing, or cannot be changed", async () => {
    write("a.js", "x");
    write("latin", Uint8Array.of(0x78, 0xe9));
    expect(await shop.use("patch_file", { path: "a.js", old: "z", new: "y" })).toContain(
      "old is not in a.js",
    );
    expect(await shop.use("patch_file", { path: "a.js", old: "", new: "y" })).toContain("non-empty");
    expect(await shop.use("patch_file", { path: ".", old: "x", new: "y" })).toContain("is a folder");
    expect(await shop.use("patch_file", { path: "latin", old: "x", new: "y" })).toContain("not valid UTF-8");
  });

  it("keeps the line ends of the file", async () => {
    write("dos.txt", "one\r\ntwo\r\nthree\r\n");
    await shop.use("patch_file", { path: "dos.txt", old: "one\ntwo\n", new: "1\n2\n" });
    expect(read("dos.txt")).toBe("1\r\n2\r\nthree\r\n");
  });
});
