import { CasError, createMemoryStore, type JsonValue } from "@uncaged/json-cas";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { type CasContext, CasInputError, mountCas } from "../src/index.js";
import { temporaryDir } from "./support/run.js";

type Printed = { readonly document: JsonValue; readonly exitCode: number };

/** A program of somebody else with the group in it, twice, on one store. */
function host() {
  const printed: Printed[] = [];
  const configured: string[] = [];
  let opened = 0;
  const store = createMemoryStore();
  const dir = temporaryDir();
  const context: CasContext = {
    prefix: "tool cas",
    openStore: () => {
      opened += 1;
      return { dir, store };
    },
    print: (document, exitCode) => {
      printed.push({ document, exitCode });
    },
    warn: () => {},
    readStdin: () => new TextEncoder().encode('{"title": "From stdin"}'),
    write: () => {},
    now: Date.now,
    loadHooks: null,
    configure: (command) => {
      configured.push(command.name());
      return command.option("--format <format>");
    },
  };
  const help: string[] = [];
  const program = new Command("tool").exitOverride().configureOutput({ writeOut: (text) => help.push(text) });
  mountCas(program.command("cas"), context);
  mountCas(program.command("more").command("cas"), { ...context, prefix: "tool more cas" });
  const run = (...words: string[]) => program.parseAsync(words, { from: "user" });
  return { run, printed, help, configured, openings: () => opened, store };
}

describe("mountCas", () => {
  it("runs on the store of the program and hands it document and exit code", async () => {
    const { run, printed } = host();
    await run("cas", "schema", "put", "-");
    await run("cas", "has", "0123456789ABC", "--format", "yaml");
    expect(printed).toEqual([
      { document: { hash: expect.stringMatching(/^[0-9A-Z]{13}$/) }, exitCode: 0 },
      { document: { exists: false }, exitCode: 3 },
    ]);
  });

  it("can be mounted twice in one program", async () => {
    const { run, printed } = host();
    await run("more", "cas", "list");
    await run("cas", "list");
    expect(printed.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  });

  it("opens the store only when a command runs", async () => {
    const { run, openings } = host();
    await run("cas", "get", "--help").catch(() => {});
    expect(openings()).toBe(0);
    await run("cas", "list");
    expect(openings()).toBe(1);
  });

  it("throws expected failures with a fault for the program to render", async () => {
    const { run, printed } = host();
    await expect(run("cas", "get", "0123456789ABC")).rejects.toBeInstanceOf(CasError);
    await expect(run("cas", "schema", "put", "{")).rejects.toBeInstanceOf(CasInputError);
    await expect(run("cas", "schema", "put", "./missing.json")).rejects.toMatchObject({
      fault: { code: "FILE_NOT_FOUND", path: "./missing.json" },
    });
    expect(printed).toEqual([]);
  });

  it("starts its examples with the words of the program, and lets it add its own options", async () => {
    const { run, help, configured } = host();
    await run("more", "cas", "walk", "--help").catch(() => {});
    expect(help.join("")).toContain("Examples:\n  $ tool more cas walk ");
    expect(help.join("")).toContain("--format <format>");
    expect(new Set(configured)).toEqual(
      new Set([
        "get",
        "put",
        "has",
        "refs",
        "walk",
        "list",
        "pack",
        "schema",
        "validate",
        "du",
        "reindex",
        "verify",
        "gc",
        "export",
        "import",
      ]),
    );
  });
});
