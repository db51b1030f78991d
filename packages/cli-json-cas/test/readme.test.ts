import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDir } from "./support/run.js";

const packageDir = join(import.meta.dirname, "..");
const README = readFileSync(join(packageDir, "README.md"), "utf8");

/** Stands in for jq, which may be missing: prints a field of the JSON on stdin. */
const JQ = `#!/usr/bin/env node
let text = "";
process.stdin.on("data", (chunk) => { text += chunk; });
process.stdin.on("end", () => console.log(JSON.parse(text)[process.argv[3].slice(1)]));
`;

describe("the README", () => {
  it("shows an example that works as typed", () => {
    const example = [...README.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, code]) => code)[0];
    const cwd = temporaryDir();
    const bin = join(cwd, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "jq"), JQ);
    writeFileSync(join(bin, "json-cas"), `#!/bin/sh\nexec "${join(packageDir, "bin/json-cas")}" "$@"\n`);
    for (const name of ["jq", "json-cas"]) chmodSync(join(bin, name), 0o755);
    const PATH = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
    const env = { PATH, HOME: cwd, UWF_RUNTIME: "node" };
    const out = execFileSync("/bin/sh", ["-e", "-c", example ?? "exit 1"], { cwd, env, encoding: "utf8" });
    expect(out).toContain('"name": "Ada"');
    expect(out).toContain('"damaged": 0');
  });
});
