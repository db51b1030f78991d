import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ConfigChanges,
  loadConfig,
  loadDotEnv,
  updateConfigFiles,
  writeConfigFiles,
} from "../../src/config/index.js";
import { openStorage } from "../../src/storage.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "uwf-write-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function storage() {
  return openStorage(join(folder, "deep", "root"), { now: () => 0 });
}

function changes(alias: string): ConfigChanges {
  return {
    provider: null,
    model: null,
    agent: { alias, command: `uwf-${alias}`, args: null },
    aliases: [],
    defaultModel: null,
    defaultAgent: alias,
  };
}

describe("writeConfigFiles", () => {
  it("makes the folder and writes both files, .env for the owner alone", () => {
    const { root } = storage();
    const result = writeConfigFiles({ root }, { config: "agents: {}\n", env: "A=1\n" });
    expect(result).toEqual({
      ok: true,
      value: { config: join(root, "config.yaml"), env: join(root, ".env") },
    });
    expect(statSync(join(root, ".env")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(root, "config.yaml"), "utf8")).toBe("agents: {}\n");
    expect(readdirSync(root).sort()).toEqual([".env", "config.yaml"]);
  });

  it("does not touch a file without a new text", () => {
    const { root } = storage();
    writeConfigFiles({ root }, { config: "agents: {}\n", env: null });
    expect(existsSync(join(root, ".env"))).toBe(false);
  });

  it("takes the width out of an .env that was readable by others", () => {
    const { root } = storage();
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, ".env"), "A=1\n");
    chmodSync(join(root, ".env"), 0o644);
    writeConfigFiles({ root }, { config: null, env: "A=2\n" });
    expect(statSync(join(root, ".env")).mode & 0o777).toBe(0o600);
  });

  it("writes through a link and keeps the link", () => {
    const { root } = storage();
    mkdirSync(root, { recursive: true });
    const elsewhere = join(folder, "dotfile.yaml");
    writeFileSync(elsewhere, "old: 1\n");
    symlinkSync(elsewhere, join(root, "config.yaml"));
    writeConfigFiles({ root }, { config: "agents: {}\n", env: null });
    expect(lstatSync(join(root, "config.yaml")).isSymbolicLink()).toBe(true);
    expect(readFileSync(elsewhere, "utf8")).toBe("agents: {}\n");
  });

  it("says what the file system refused", () => {
    writeFileSync(join(folder, "file"), "");
    const result = writeConfigFiles({ root: join(folder, "file", "root") }, { config: "a: 1\n", env: null });
    expect(result).toMatchObject({ ok: false, error: { code: "IO_FAILED" } });
  });
});

describe("updateConfigFiles", () => {
  it("merges into both files", async () => {
    const at = storage();
    mkdirSync(at.root, { recursive: true });
    writeFileSync(join(at.root, "config.yaml"), "# mine\nfuture: 1\n");
    writeFileSync(join(at.root, ".env"), "OTHER=1\n", { mode: 0o600 });
    expect(await updateConfigFiles(at, changes("hermes"), { A_KEY: "x#y" })).toMatchObject({ ok: true });
    expect(readFileSync(join(at.root, "config.yaml"), "utf8")).toContain("# mine\nfuture: 1\n");
    const env = await loadDotEnv(at);
    expect(env.ok && env.value).toMatchObject({ variables: { OTHER: "1", A_KEY: "x#y" }, warning: null });
  });

  it("loses nothing when many write at once", async () => {
    const at = storage();
    const aliases = ["a", "b", "c", "d", "e", "f"];
    const results = await Promise.all(
      aliases.map((alias) => updateConfigFiles(at, changes(alias), { [`${alias}_KEY`]: alias })),
    );
    expect(results.every(({ ok }) => ok)).toBe(true);
    const config = await loadConfig(at);
    expect(config.ok && Object.keys(config.value.config?.agents ?? {}).sort()).toEqual(aliases);
    const env = await loadDotEnv(at);
    expect(env.ok && Object.keys(env.value.variables)).toHaveLength(aliases.length);
  });

  it("touches neither file when one of them cannot be merged", async () => {
    const at = storage();
    mkdirSync(at.root, { recursive: true });
    writeFileSync(join(at.root, "config.yaml"), "agents: [\n");
    expect(await updateConfigFiles(at, changes("a"), { KEY: "1" })).toMatchObject({
      error: { code: "INVALID_CONFIG" },
    });
    expect(existsSync(join(at.root, ".env"))).toBe(false);
    writeFileSync(join(at.root, "config.yaml"), "");
    expect(await updateConfigFiles(at, changes("a"), { KEY: "a\0" })).toMatchObject({
      error: { code: "INVALID_INPUT" },
    });
    expect(readFileSync(join(at.root, "config.yaml"), "utf8")).toBe("");
  });

  it("makes no .env where no key is given", async () => {
    const at = storage();
    await updateConfigFiles(at, changes("a"), {});
    expect(existsSync(join(at.root, ".env"))).toBe(false);
  });
});
