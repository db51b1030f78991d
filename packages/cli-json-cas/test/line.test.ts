import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { json, jsonCas, RUNTIMES, start, temporaryDir } from "./support/run.js";

const store = () => join(temporaryDir(), "cas");

describe.concurrent("the command line", () => {
  it.each([
    [[], "a command is missing"],
    [["gte", "0123456789ABC"], `unknown command 'gte', did you mean "get"?`],
    [["schema", "lst"], `unknown command 'lst', did you mean "list"?`],
    [["get", "0123456789ABC", "--timestmap"], `unknown option '--timestmap', did you mean "--timestamp"?`],
    [["get"], "missing required argument 'hash'"],
    [["get", "0123456789ABC", "more"], "too many arguments"],
    [["list", "--format", "xml"], "Allowed choices are json."],
    [["list", "--error-format", "xml"], "Allowed choices are text, json."],
  ])("refuses %j with exit 2 and a hint", async (args, reason) => {
    const ran = await jsonCas(["--store", store(), ...args]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain("error[USAGE]: ");
    expect(ran.stderr).toContain(reason);
    expect(ran.stderr).toMatch(/\nhint: .+\n$/);
  });

  it("wants a store, from --store or the environment, and takes an empty one for none", async () => {
    const ran = await jsonCas(["list"]);
    expect(ran).toEqual({
      code: 2,
      stdout: "",
      stderr: "error[USAGE]: no store is named\nhint: give --store <dir>, or set JSON_CAS_STORE\n",
    });
    expect((await jsonCas(["list"], { env: { JSON_CAS_STORE: "" } })).code).toBe(2);
    expect((await jsonCas(["list"], { env: { JSON_CAS_STORE: store() } })).code).toBe(0);
  });

  it("takes its options anywhere on the line", async () => {
    const dir = store();
    expect((await jsonCas(["list", "--store", dir, "--format", "json"])).code).toBe(0);
    expect((await jsonCas(["schema", "list", `--store=${dir}`])).stdout).toBe("[]\n");
  });

  it.each([
    [["--error-format", "json"], {}],
    [["--error-format=json"], {}],
    [[], { UWF_ERROR_FORMAT: "json" }],
  ])("prints a failure as one object with %j %j", async (args, env) => {
    const ran = await jsonCas(["--store", store(), "get", "0123456789ABC", ...args], { env });
    expect(ran).toMatchObject({ code: 3, stdout: "" });
    expect(JSON.parse(ran.stderr)).toEqual({
      code: "NODE_MISSING",
      message: "node 0123456789ABC does not exist",
      hint: expect.any(String),
      retryable: false,
      data: { hash: "0123456789ABC", referrer: null },
    });
  });

  it("prints a usage error as an object too", async () => {
    const ran = await jsonCas(["lst", "--error-format", "json"]);
    expect(JSON.parse(ran.stderr)).toMatchObject({ code: "USAGE", retryable: false });
  });

  it("prints the version of its own package", async () => {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8"));
    expect(await jsonCas(["--version"])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
  });

  it("exits with 74 when the system refuses", async () => {
    const file = join(temporaryDir(), "file");
    writeFileSync(file, "");
    const ran = await jsonCas(["--store", file, "schema", "put", "{}"]);
    expect(ran.code).toBe(74);
    expect(ran.stderr).toContain("error[IO_FAILED]: ");
  });
});

const COMMANDS = ["get", "put", "has", "refs", "walk", "list", "reindex", "verify", "schema"];
const SCHEMA_COMMANDS = ["put", "get", "list", "validate"].map((name) => `schema ${name}`);

describe.concurrent("--help", () => {
  it.each(["", ...COMMANDS, ...SCHEMA_COMMANDS])("of json-cas %s shows examples first", async (words) => {
    const ran = await jsonCas([...words.split(" ").filter((word) => word !== ""), "--help"]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toBe("");
    expect(ran.stdout.startsWith(`Examples:\n  $ json-cas --store ./cas ${words}`)).toBe(true);
    expect(ran.stdout).toContain("Usage: json-cas");
  });
});

describe.concurrent.each(RUNTIMES)("a closed stdout on %s", (runtime) => {
  it("is not an error", async () => {
    const dir = store();
    const { hash: type } = await json(dir, ["schema", "put", '{"type": "array"}']);
    const { hash } = await json(dir, ["put", type, "-"], { stdin: JSON.stringify(Array(99_000).fill(1)) });
    const child = start(["--store", dir, "get", hash], { runtime });
    const stderr: Buffer[] = [];
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect({ code, stderr: Buffer.concat(stderr).toString("utf8") }).toEqual({ code: 0, stderr: "" });
  });

  it("does not cut off what a slow reader still takes", async () => {
    const dir = store();
    const { hash: type } = await json(dir, ["schema", "put", '{"type": "string"}']);
    const text = "x".repeat(1_000_000);
    const { hash } = await json(dir, ["put", type, "-"], { stdin: JSON.stringify(text) });
    const child = start(["--store", dir, "get", hash], { runtime });
    child.stdout.pause();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const out: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stdout.resume();
    await new Promise((resolve) => child.on("close", resolve));
    expect(JSON.parse(Buffer.concat(out).toString("utf8")).payload).toBe(text);
  });
});
