import { spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeShop, type TestShop } from "../helpers/shop.js";

const CONFIG = "defaultAgent: mine\n";
const SECRET = "A_KEY=nobody-redacts-me\n";

let shop: TestShop;
let root: string;

beforeEach(() => {
  shop = makeShop();
  root = join(shop.cwd, "storage");
  mkdirSync(join(root, "runs", "deep"), { recursive: true });
  writeFileSync(join(root, "config.yaml"), CONFIG);
  writeFileSync(join(root, ".env"), SECRET);
});

afterEach(() => shop.remove());

/** A way to a folder or file of the storage root, which lies in the working folder. */
type Way = readonly [what: string, path: () => string, prepare: () => void];

const link = (target: string, name: string) => () => symlinkSync(target, join(shop.cwd, name));

const asItIs = (): void => {};

const WAYS: readonly Way[] = [
  ["its path", () => "storage/.env", asItIs],
  ["its absolute path", () => join(root, "config.yaml"), asItIs],
  ["dots", () => "./x/../storage/./runs/../config.yaml", asItIs],
  ["a link to it", () => "innocent/.env", link("storage", "innocent")],
  ["a link to a file in it", () => "innocent", link("storage/.env", "innocent")],
  ["a link to a folder in it", () => "innocent/deep/x", link("storage/runs", "innocent")],
  [
    "a chain of links",
    () => "a/config.yaml",
    () => {
      link("b", "a")();
      link("storage", "b")();
    },
  ],
  [
    "a hard link to a file in it",
    () => "innocent",
    () => linkSync(join(root, ".env"), join(shop.cwd, "innocent")),
  ],
  ["this process's folders", () => `/proc/self/cwd/${"../".repeat(20)}${root.slice(1)}/.env`, asItIs],
  ["the root of this process", () => `/proc/self/root${root}/.env`, asItIs],
  ["a new file in it", () => "storage/workflows.yaml", asItIs],
  ["a new folder in it", () => "storage/new/deep/file", asItIs],
  ["a file deep in it", () => "storage/runs/deep/x", asItIs],
  ["the folder itself", () => "storage", asItIs],
];

async function refusesAll(path: string): Promise<void> {
  const storage = { storageRoot: root };
  for (const [tool, given] of [
    ["read_file", { path }],
    ["write_file", { path, content: "taken" }],
    ["patch_file", { path, old: "A_KEY", new: "taken" }],
  ] as const) {
    const answer = await shop.use(tool, given, storage);
    expect([tool, answer]).toEqual([tool, expect.stringMatching(/^Error: /)]);
    expect(answer).not.toContain("nobody-redacts-me");
  }
}

function untouched(): void {
  expect(readFileSync(join(root, ".env"), "utf8")).toBe(SECRET);
  expect(readFileSync(join(root, "config.yaml"), "utf8")).toBe(CONFIG);
  expect(readdirSync(root).sort()).toEqual([".env", "config.yaml", "runs"]);
  expect(existsSync(join(root, "runs/deep/x"))).toBe(false);
}

describe("the storage root in the working folder", () => {
  it.each(WAYS)("is read and written by no file tool: %s", async (_what, path, prepare) => {
    prepare();
    await refusesAll(path());
    untouched();
  });

  it("says why", async () => {
    expect(await shop.use("read_file", { path: "storage/.env" }, { storageRoot: root })).toBe(
      "Error: storage/.env belongs to uwf's storage root, which these tools do not touch.",
    );
  });

  it("is known behind a link that the environment names", async () => {
    renameSync(root, join(shop.cwd, "real"));
    link("real", "named")();
    const named = { storageRoot: join(shop.cwd, "named") };
    expect(await shop.use("read_file", { path: "real/.env" }, named)).toMatch(/^Error: /);
    expect(await shop.use("read_file", { path: "named/.env" }, named)).toMatch(/^Error: /);
  });

  it("is refused entirely if the working folder is in it", async () => {
    const cwd = join(root, "runs", "deep");
    writeFileSync(join(cwd, "x"), "mine");
    const inside = { cwd, storageRoot: root };
    expect(await shop.use("read_file", { path: "x" }, inside)).toMatch(/^Error: /);
    expect(await shop.use("write_file", { path: "y", content: "" }, inside)).toMatch(/^Error: /);
    expect(await shop.use("read_file", { path: "." }, { cwd: root, storageRoot: root })).toMatch(/^Error: /);
  });

  it("leaves its siblings to the tools", async () => {
    writeFileSync(join(shop.cwd, "storage.txt"), "mine");
    const storage = { storageRoot: root };
    expect(await shop.use("read_file", { path: "storage.txt" }, storage)).toBe("mine");
    expect(await shop.use("read_file", { path: "." }, storage)).toBe("storage.txt\nstorage/");
    expect(await shop.use("write_file", { path: "storage2/a", content: "x" }, storage)).toContain("Wrote");
  });

  const namespace = ["--user", "--map-root-user", "--mount"];
  const canMount = spawnSync("unshare", [...namespace, "true"]).status === 0;

  it.skipIf(!canMount)("is known where it is mounted under another name", () => {
    mkdirSync(join(shop.cwd, "mounted"));
    const module = join(import.meta.dirname, "../../dist/folder.js");
    const read = `import(${JSON.stringify(module)}).then(({ placeOf, readPlace }) => {
      const place = placeOf({ cwd: ${JSON.stringify(shop.cwd)}, storageRoot: ${JSON.stringify(root)} }, "mounted/.env");
      console.log(JSON.stringify(place.ok ? readPlace(place.value) : place));
    })`;
    const script = `mount --bind "$1" "$2" && exec "$3" -e "$4"`;
    const words = ["sh", "-c", script, "sh", root, join(shop.cwd, "mounted"), process.execPath, read];
    const ran = spawnSync("unshare", [...namespace, ...words], { encoding: "utf8" });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      ok: false,
      error: expect.stringContaining("storage root"),
    });
  });
});
