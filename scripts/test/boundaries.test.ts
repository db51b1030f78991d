import { describe, expect, it } from "vitest";
import { checkBoundaries, type Tables } from "../boundaries.js";
import { BUILT_IN, EDGES, UNSEEN_DEPENDENCIES } from "../boundaries-tables.js";
import { formatProblems, readTree } from "../source.js";
import { repository } from "./support/run.js";
import { makeTree, manifest } from "./support/tree.js";

const tables: Tables = {
  edges: [{ where: "packages/*/src/bin/", uses: ["*"] }],
  builtIn: [],
  unseenDependencies: [],
};

const sound: Readonly<Record<string, string>> = {
  "package.json": manifest("root", { devDependencies: { vitest: "4.0.0", "@uncaged/high": "workspace:*" } }),
  "packages/low/package.json": manifest("low"),
  "packages/low/tsconfig.json": "{}",
  "packages/low/src/index.ts": 'export { one } from "./one/index.js";\n',
  "packages/low/src/one/index.ts":
    'export { one } from "./one.js";\nexport type { One } from "./types.js";\n',
  "packages/low/src/one/one.ts": 'import type { One } from "./types.js";\nexport const one: One = 1;\n',
  "packages/low/src/one/types.ts": "export type One = 1;\n",
  "packages/low/test/one.test.ts":
    'import { it } from "vitest";\nimport { one } from "../src/one/one.js";\nit("x", () => one);\n',
  "packages/high/package.json": manifest("high", { dependencies: { "@uncaged/low": "workspace:^" } }),
  "packages/high/tsconfig.json": JSON.stringify({ references: [{ path: "../low" }] }),
  "packages/high/src/index.ts": 'export { two } from "./two.js";\n',
  "packages/high/src/two.ts": 'import { one } from "@uncaged/low";\nexport const two = one + 1;\n',
  "packages/high/src/load.ts": 'export const load = () => import("./two.js");\n',
  "packages/high/src/bin/tool.ts": "process.exit(Date.now() > 0 ? 0 : 1);\n",
};

/** The rules that speak up when these files are put over a sound tree. */
function found(planted: Readonly<Record<string, string>>): readonly string[] {
  const tree = readTree(makeTree({ ...sound, ...planted }));
  return checkBoundaries(tree, tables).map(({ file, rule }) => `${rule} in ${file}`);
}

describe("boundaries between packages", () => {
  it("has nothing to say about a sound tree", () => {
    expect(found({})).toEqual([]);
  });

  it("finds an import of a package that is no dependency, and the cycle it makes", () => {
    const planted = { "packages/low/src/one/one.ts": 'export { two as one } from "@uncaged/high";\n' };
    expect(found(planted)).toEqual([
      "package cycle in packages/high",
      "undeclared dependency in packages/low/src/one/one.ts",
    ]);
    const typed = '/// <reference types="node" preserve="true" />\nexport const one = 1;\n';
    expect(found({ "packages/low/src/one/one.ts": typed })).toEqual([
      "undeclared dependency in packages/low/src/one/one.ts",
    ]);
  });

  it("finds an import past another package's index.ts, by name or by path, also in tests", () => {
    const text = 'import { one } from "@uncaged/low/src/one/one.js";\nexport const two = one;\n';
    expect(found({ "packages/high/src/two.ts": text })).toEqual(["deep import in packages/high/src/two.ts"]);
    const test = 'import { one } from "../../low/src/one/one.js";\nexport const two = one;\n';
    expect(found({ "packages/high/test/two.test.ts": test })).toEqual([
      "deep import in packages/high/test/two.test.ts",
    ]);
  });

  it("lets tests share what stands in another package's test folder", () => {
    const test = 'import { one } from "../../low/test/contract.js";\nexport const two = one;\n';
    const contract = "export const one = 1;\n";
    expect(
      found({ "packages/high/test/a.test.ts": test, "packages/low/test/contract.ts": contract }),
    ).toEqual([]);
  });

  it("finds dependencies that are not declared and declared ones that are not used", () => {
    expect(found({ "packages/low/src/one/one.ts": 'import "yaml";\nexport const one = 1;\n' })).toEqual([
      "undeclared dependency in packages/low/src/one/one.ts",
    ]);
    const unused = manifest("low", { dependencies: { yaml: "1.0.0" } });
    expect(found({ "packages/low/package.json": unused })).toEqual([
      "unused dependency in packages/low/package.json",
    ]);
  });

  it("lets only the files that the table names import what the build puts into them", () => {
    const tree = readTree(
      makeTree({
        ...sound,
        "packages/low/package.json": manifest("low", { devDependencies: { yaml: "1.0.0" } }),
        "packages/low/src/one/one.ts": 'import "yaml";\nexport const one = 1;\n',
      }),
    );
    const rules = (where: string) =>
      checkBoundaries(tree, {
        ...tables,
        builtIn: [{ where, uses: ["yaml"] }],
      }).map(({ rule }) => rule);
    expect(rules("packages/low/src/one/one.ts")).toEqual([]);
    expect(rules("packages/low/src/one/index.ts")).toEqual(["undeclared dependency", "permission"]);
  });

  it("finds a dependency that only a test uses but that is declared nowhere", () => {
    expect(found({ "packages/low/test/a.test.ts": 'import "left-pad";\n' })).toEqual([
      "undeclared dependency in packages/low/test/a.test.ts",
    ]);
  });

  it("finds references of tsconfig.json that differ from the dependencies", () => {
    expect(found({ "packages/high/tsconfig.json": "{}" })).toEqual([
      "reference in packages/high/tsconfig.json",
    ]);
    const extra = JSON.stringify({ references: [{ path: "../high" }] });
    expect(found({ "packages/low/tsconfig.json": extra })).toEqual([
      "reference in packages/low/tsconfig.json",
    ]);
  });
});

describe("boundaries between the modules of a package", () => {
  it("finds an import of a folder's inner file from outside the folder", () => {
    const text = 'export { one } from "./one/one.js";\n';
    expect(found({ "packages/low/src/other.ts": text })).toEqual([
      "inner import in packages/low/src/other.ts",
    ]);
  });

  it("finds it in a type import and in a re-export too", () => {
    const text = 'export const x = (y: import("../one/types.js").One) => y;\n';
    const index = 'export { x } from "./x.js";\n';
    expect(found({ "packages/low/src/x/x.ts": text, "packages/low/src/x/index.ts": index })).toEqual([
      "inner import in packages/low/src/x/x.ts",
    ]);
  });

  it("takes a folder that holds only folders for a shelf", () => {
    const planted = {
      "packages/low/src/shelf/a/index.ts": 'export { a } from "./a.js";\n',
      "packages/low/src/shelf/a/a.ts": "export const a = 1;\n",
      "packages/low/src/user.ts": 'export { a } from "./shelf/a/index.js";\n',
    };
    expect(found(planted)).toEqual([]);
  });

  it("lets a folder inside a module read the module's own files", () => {
    const planted = {
      "packages/low/src/one/index.ts":
        'export { one } from "./deep/index.js";\nexport type { One } from "./types.js";\n',
      "packages/low/src/one/deep/index.ts": 'export { one } from "./deep.js";\n',
      "packages/low/src/one/deep/deep.ts":
        'import type { One } from "../types.js";\nexport const one: One = 1;\n',
    };
    expect(found(planted)).toEqual([]);
  });

  it("finds a cycle between two modules even when each imports the other's index.ts, and only types", () => {
    const planted = {
      "packages/low/src/two/index.ts": 'export type { Two } from "./types.js";\n',
      "packages/low/src/two/types.ts":
        'import type { One } from "../one/index.js";\nexport type Two = One;\n',
      "packages/low/src/one/types.ts":
        'import type { Two } from "../two/index.js";\nexport type One = Two | 1;\n',
    };
    expect(found(planted)).toEqual(["module cycle in packages/low/src"]);
  });

  it("finds a cycle between two files of one folder", () => {
    const planted = {
      "packages/low/src/one/one.ts": 'import { b } from "./b.js";\nexport const one = () => b;\n',
      "packages/low/src/one/b.ts": 'import { one } from "./one.js";\nexport const b = () => one;\n',
    };
    expect(found(planted)).toEqual(["module cycle in packages/low/src/one"]);
  });

  it("finds a package that imports its own index.ts", () => {
    expect(found({ "packages/low/src/other.ts": 'export { one } from "./index.js";\n' })).toEqual([
      "inner import in packages/low/src/other.ts",
    ]);
  });

  it("finds code in an index.ts", () => {
    expect(found({ "packages/low/src/one/index.ts": "export const one = 1;\n" })).toEqual([
      "index in packages/low/src/one/index.ts",
    ]);
  });
});

describe("the edge of a binary", () => {
  const uses = [
    "process.env.HOME",
    "process.exit(1)",
    "globalThis.process.env",
    'process["env"]',
    "Date.now()",
    "new Date()",
    "Math.random()",
    "performance.now()",
    "crypto.randomUUID()",
    'console.log("x")',
  ];

  it.each(uses)("finds %s outside of src/bin", (use) => {
    expect(found({ "packages/low/src/other.ts": `export const f = () => ${use};\n` })).toEqual([
      "edge in packages/low/src/other.ts",
    ]);
  });

  it("finds them when imported or destructured", () => {
    const imported = 'import { randomBytes } from "node:crypto";\nexport const f = randomBytes;\n';
    expect(found({ "packages/low/src/other.ts": imported })).toEqual(["edge in packages/low/src/other.ts"]);
    const environment = 'import { env } from "node:process";\nexport const f = env;\n';
    expect(found({ "packages/low/src/other.ts": environment })).toEqual([
      "edge in packages/low/src/other.ts",
    ]);
    const destructured = "export const f = () => { const { env } = process; return env; };\n";
    expect(found({ "packages/low/src/other.ts": destructured })).toEqual([
      "edge in packages/low/src/other.ts",
    ]);
  });

  it("is not fooled by comments, strings, other dates, or tests", () => {
    const harmless = [
      "// process.env, Date.now()",
      'export const text = "process.env and Math.random()";',
      "export const then = new Date(0);",
      "export const isHost = (host: { readonly now: () => number }) => host.now();",
    ].join("\n");
    expect(found({ "packages/low/src/other.ts": harmless })).toEqual([]);
    expect(found({ "packages/low/test/a.test.ts": "export const f = () => process.env;\n" })).toEqual([]);
  });
});

describe("the words of add-ons", () => {
  it("are in no source of the core", () => {
    expect(found({ "packages/low/src/one/one.ts": "// As in Postgres.\nexport const one = 1;\n" })).toEqual([
      "add-on in packages/low/src/one/one.ts",
    ]);
    expect(found({ "packages/low/test/a.test.ts": "export const text = 'pizzip';\n" })).toEqual([]);
  });
});

describe("the tables", () => {
  it("may hold no exception that nothing needs", () => {
    const tree = readTree(makeTree(sound));
    const extra = {
      ...tables,
      edges: [...tables.edges, { where: "packages/low/src/one/", uses: ["Date.now"] }],
      builtIn: [
        { where: "packages/low/src/one/one.ts", uses: ["leven"] },
        { where: "packages/left-out/src/load.ts", uses: ["*"] },
      ],
    };
    expect(checkBoundaries(tree, extra).map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
      "permission: nothing in packages/low/src/one/ uses Date.now; take the entry out",
      "permission: nothing in packages/low/src/one/one.ts uses leven; take the entry out",
    ]);
  });
});

describe("this repository", () => {
  it("keeps its boundaries", () => {
    const real = {
      edges: EDGES,
      builtIn: BUILT_IN,
      unseenDependencies: UNSEEN_DEPENDENCIES,
    };
    expect(formatProblems(checkBoundaries(readTree(repository), real))).toBe("");
  });
});
