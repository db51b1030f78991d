import {
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openContained } from "@uncaged/workflow-util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { placeOf, readPlace, writeText } from "../../src/folder.js";
import { makeShop, type TestShop } from "../helpers/shop.js";

let shop: TestShop;

beforeEach(() => {
  shop = makeShop();
  writeFileSync(join(shop.around, "outside.txt"), "outside");
  mkdirSync(join(shop.around, "project-2"));
  mkdirSync(join(shop.cwd, "src"));
  writeFileSync(join(shop.cwd, "src/a.txt"), "inside");
});

afterEach(() => shop.remove());

const ground = () => ({ cwd: shop.cwd, storageRoot: join(shop.around, "storage") });

function inside(path: string): string {
  return join(shop.cwd, path);
}

const outside = (): string => readFileSync(join(shop.around, "outside.txt"), "utf8");

describe("the working folder", () => {
  it("cannot be left by a path", async () => {
    const paths = [
      "../outside.txt",
      "src/../../outside.txt",
      join(shop.around, "outside.txt"),
      "/etc/passwd",
      "..",
      "../project-2/x",
      "~/../../etc/passwd/../../../../../../etc/hostname",
    ];
    for (const path of paths) {
      expect(await shop.use("read_file", { path })).toMatch(
        /^Error: .* (is outside of the working folder|does not exist)/,
      );
      expect(await shop.use("write_file", { path, content: "changed" })).toMatch(/^Error: /);
      expect(await shop.use("patch_file", { path, old: "outside", new: "changed" })).toMatch(/^Error: /);
    }
    expect(outside()).toBe("outside");
    expect(readdirSync(join(shop.around, "project-2"))).toEqual([]);
  });

  it("cannot be left by one or several links", async () => {
    symlinkSync("../outside.txt", inside("file"));
    symlinkSync("..", inside("folder"));
    symlinkSync("folder", inside("twice"));
    symlinkSync(shop.around, inside("absolute"));
    for (const path of [
      "file",
      "folder/outside.txt",
      "twice/outside.txt",
      "absolute/outside.txt",
      "folder",
    ]) {
      expect(await shop.use("read_file", { path })).toContain("is outside of the working folder");
      expect(await shop.use("write_file", { path, content: "changed" })).toContain(
        "is outside of the working folder",
      );
    }
    expect(await shop.use("write_file", { path: "folder/new/x.txt", content: "x" })).toContain("outside");
    expect(outside()).toBe("outside");
    expect(existsSync(join(shop.around, "new"))).toBe(false);
  });

  it("cannot be left by a dangling link", async () => {
    symlinkSync(join(shop.around, "new.txt"), inside("dangling"));
    symlinkSync("loop", inside("loop"));
    expect(await shop.use("write_file", { path: "dangling", content: "x" })).toContain(
      "a link that leads nowhere",
    );
    expect(await shop.use("write_file", { path: "dangling/x", content: "x" })).toContain(
      "a link that leads nowhere",
    );
    expect(await shop.use("write_file", { path: "loop", content: "x" })).toContain(
      "a link that leads nowhere",
    );
    expect(existsSync(join(shop.around, "new.txt"))).toBe(false);
  });

  it("may contain links, and be a link itself", async () => {
    symlinkSync("src", inside("link"));
    expect(await shop.use("read_file", { path: "link/a.txt" })).toBe("inside");
    expect(await shop.use("write_file", { path: "link/b.txt", content: "b" })).toBe(
      "Wrote 1 bytes to src/b.txt.",
    );
    const other = join(shop.around, "entry");
    symlinkSync(shop.cwd, other);
    expect(await shop.use("read_file", { path: "src/a.txt" }, { cwd: other })).toBe("inside");
    expect(await shop.use("read_file", { path: join(other, "src/a.txt") }, { cwd: other })).toBe("inside");
  });

  it("cannot be left through a name that becomes a link after the check", () => {
    const file = placeOf(ground(), "src/a.txt");
    const fresh = placeOf(ground(), "src/sub/new.txt");
    if (!file.ok || !fresh.ok) throw new Error("refused");
    rmSync(inside("src/a.txt"));
    symlinkSync("../../outside.txt", inside("src/a.txt"));
    expect(readPlace(file.value)).toMatchObject({ ok: false, error: expect.stringContaining("link") });
    expect(writeText(file.value, "changed")).toMatchObject({ ok: false });
    renameSync(inside("src"), inside("was-src"));
    symlinkSync("..", inside("src"));
    writeFileSync(join(shop.around, "a.txt"), "outside too");
    expect(readPlace(file.value)).toMatchObject({ ok: false });
    expect(writeText(fresh.value, "x")).toMatchObject({ ok: false });
    expect(existsSync(join(shop.around, "sub"))).toBe(false);
    expect(outside()).toBe("outside");
  });

  it("leaves no descriptor open", () => {
    const count = (): number => readdirSync("/proc/self/fd").length;
    const place = placeOf(ground(), "src/deep/er/x.txt");
    if (!place.ok) throw new Error("refused");
    const before = count();
    for (let times = 0; times < 20; times += 1) {
      writeText(place.value, "x");
      readPlace(place.value);
      expect(() => openContained({ ...place.value, path: "src/none/x" }, constants.O_RDONLY, false)).toThrow(
        "ENOENT",
      );
    }
    expect(count()).toBeLessThanOrEqual(before + 1);
  });
});
