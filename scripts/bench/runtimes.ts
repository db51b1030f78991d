import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Command } from "./interleave.js";

export type RuntimeName = "bun" | "node 20" | "node 24";

/** A runtime that is here. */
export type Runtime = {
  readonly name: RuntimeName;
  readonly version: string;
  /** For UWF_RUNTIME. */
  readonly kind: "bun" | "node";
  /** The folder that has to stand first on PATH. */
  readonly folder: string;
  readonly pair: Command;
  readonly empty: Command;
};

const floor = join(import.meta.dirname, "floor");

/** bun and Node.js from PATH; Node.js 24 from npm's packages in a scratch folder, when it is asked for. */
export function findRuntimes(scratch: string, withNode24: boolean): readonly Runtime[] {
  const bun = folderOf("bun");
  const node = folderOf("node");
  const found = [bun === null ? null : bunIn(bun), node === null ? null : nodeIn(node)];
  const newer = withNode24 ? nodeIn(installNode(scratch, "24")) : null;
  return [...found, newer].filter((runtime) => runtime !== null);
}

function bunIn(folder: string): Runtime {
  const bun = join(folder, "bun");
  const start = [bun, "--env-file=/dev/null", "--config=/dev/null"] as const;
  const pair: Command = [...start, join(floor, "pair-bun.mjs")];
  const empty: Command = [...start, join(floor, "empty.mjs")];
  return { name: "bun", version: versionOf(bun), kind: "bun", folder, pair, empty };
}

/** `null` for a Node.js that is neither 20 nor 24: the targets are about these. */
function nodeIn(folder: string): Runtime | null {
  const node = join(folder, "node");
  const version = versionOf(node).replace(/^v/, "");
  const name = ({ "20": "node 20", "24": "node 24" } as const)[version.split(".")[0] ?? ""] ?? null;
  if (name === null) return null;
  const pair: Command = [node, join(floor, "pair-node.mjs")];
  return { name, version, kind: "node", folder, pair, empty: [node, join(floor, "empty.mjs")] };
}

function installNode(scratch: string, major: string): string {
  const name = `node-${process.platform}-${process.arch}`;
  // npx hands its own --allow-scripts down, which npm refuses for a folder.
  const { npm_config_allow_scripts: _, ...env } = process.env;
  const ran = spawnSync("npm", ["install", "--no-save", "--prefix", scratch, `${name}@${major}`], {
    encoding: "utf8",
    env,
  });
  if (ran.status !== 0) throw new Error(`cannot install ${name}@${major}: ${ran.stderr}`);
  return join(scratch, "node_modules", name, "bin");
}

function folderOf(program: string): string | null {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.find((folder) => folder !== "" && existsSync(join(folder, program))) ?? null;
}

function versionOf(program: string): string {
  return spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.trim();
}
