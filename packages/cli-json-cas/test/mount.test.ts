import { CasError, createMemoryStore } from "@uncaged/json-cas";
import { describe, expect, it } from "vitest";
import { CasInputError, COMMANDS, type Mount, type Tools } from "../src/index.js";
import { temporaryDir } from "./support/run.js";

const MOUNT: Mount = { group: "more cas", prefix: "tool more cas", hasNames: false };

const tools: Tools = {
  dir: temporaryDir(),
  store: createMemoryStore(),
  warn: () => {},
  readStdin: () => new TextEncoder().encode('{"title": "From stdin"}'),
  write: () => {},
  now: Date.now,
  prefix: MOUNT.prefix,
  loadHooks: null,
};

async function command(verb: string, mount = MOUNT) {
  const load = COMMANDS[verb];
  if (load === undefined) throw new Error(`no command ${verb}`);
  return (await load())(mount);
}

async function run(verb: string, request: Readonly<Record<string, unknown>>) {
  return (await command(verb)).run(tools, request as never);
}

describe("the commands in another program", () => {
  it("run on the store of the program and give it document and exit code", async () => {
    expect(await run("schema put", { json: "-" })).toEqual({
      document: { hash: expect.stringMatching(/^[0-9A-Z]{13}$/) },
      exitCode: 0,
    });
    expect(await run("has", { hash: "0123456789ABC" })).toEqual({ document: { exists: false }, exitCode: 3 });
  });

  it("throw expected failures with a fault for the program to render", async () => {
    await expect((async () => run("get", { hash: "0123456789ABC" }))()).rejects.toBeInstanceOf(CasError);
    await expect(run("schema put", { json: "{" })).rejects.toBeInstanceOf(CasInputError);
    await expect(run("schema put", { json: "./missing.json" })).rejects.toMatchObject({
      fault: { code: "FILE_NOT_FOUND", path: "./missing.json" },
    });
  });

  it("have paths and examples that begin with the words of the program", async () => {
    for (const verb of Object.keys(COMMANDS)) {
      const { path, examples } = await command(verb);
      expect(path).toBe(`more cas ${verb}`);
      expect(examples.filter((example) => !example.startsWith(`tool more cas ${verb}`))).toEqual([]);
    }
  });

  it("ask for names only where there are some", async () => {
    expect((await command("gc")).options.root?.required).toBe(true);
    expect((await command("gc", { ...MOUNT, hasNames: true })).options.root?.required).toBe(false);
    expect(Object.keys((await command("import")).options)).toEqual(["fromRoot"]);
    expect(Object.keys((await command("import", { ...MOUNT, hasNames: true })).options)).toEqual([
      "restore",
      "fromRoot",
    ]);
  });
});
