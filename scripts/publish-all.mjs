#!/usr/bin/env node
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { unbuiltBins, uncompiled } from "./release/built.mjs";
import { pack, unpack } from "./release/pack.mjs";
import { verifyPackage } from "./release/verify.mjs";
import { membersInOrder } from "./release/workspace.mjs";

// bun run release [--tag <tag>] [--otp <code>] [--dry-run]: publishes every package to npm, dependencies first.
// All tarballs are packed and verified before the first one leaves. --dry-run stops there. A version that npm
// already has is left out, so a run that broke in the middle is repeated.

/** @typedef {import("./release/workspace.mjs").Member} Member */
/** @typedef {{ readonly member: Member, readonly tarball: string }} Packed */

const temporary = mkdtempSync(join(tmpdir(), "uwf-release-"));
try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`release: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

/**
 * @param {readonly string[]} argv
 * @returns {number}
 */
function main(argv) {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      root: { type: "string", default: resolve(import.meta.dirname, "..") },
      tag: { type: "string", default: "latest" },
      otp: { type: "string" },
      "dry-run": { type: "boolean", default: false },
    },
  });
  const unbuilt = [...uncompiled(values.root), ...unbuiltBins(values.root)];
  if (unbuilt.length > 0) return refuse([...unbuilt, "run `bun run build` first"]);
  const { packed, problems } = packAll(membersInOrder(values.root));
  if (problems.length > 0) return refuse(problems);
  for (const { member, tarball } of packed) {
    const { name, version } = member.manifest;
    if (values["dry-run"])
      print(`would publish ${name}@${version} as ${values.tag} from ${basename(tarball)}`);
    else if (!publish(member, tarball, values.tag, values.otp ?? null)) return 1;
  }
  return 0;
}

/**
 * @param {readonly Member[]} members
 * @returns {{ readonly packed: readonly Packed[], readonly problems: readonly string[] }}
 */
function packAll(members) {
  const packed = members.map((member) => ({ member, tarball: pack(member, temporary) }));
  const problems = packed.flatMap(({ member, tarball }) => verifyPackage(unpack(tarball), member, members));
  return { packed, problems };
}

/**
 * @param {Member} member
 * @param {string} tarball
 * @param {string} tag
 * @param {string | null} otp
 * @returns {boolean}
 */
function publish({ manifest }, tarball, tag, otp) {
  const spec = `${manifest.name}@${manifest.version}`;
  if (isPublished(spec)) {
    print(`${spec} is already published`);
    return true;
  }
  const args = [
    "publish",
    tarball,
    "--access",
    "public",
    "--tag",
    tag,
    ...(otp === null ? [] : ["--otp", otp]),
  ];
  const done = spawnSync("npm", args, { stdio: "inherit", env: ownEnvironment() });
  print(
    done.status === 0 ? `published ${spec}` : `npm publish of ${spec} failed; nothing after it was tried`,
  );
  return done.status === 0;
}

/**
 * @param {string} spec
 * @returns {boolean}
 */
function isPublished(spec) {
  const found = spawnSync("npm", ["view", spec, "version"], { encoding: "utf8", env: ownEnvironment() });
  return found.status === 0 && found.stdout.trim() !== "";
}

/**
 * @param {readonly string[]} problems
 * @returns {number}
 */
function refuse(problems) {
  process.stderr.write(`${problems.join("\n")}\nrelease: refused, nothing was published\n`);
  return 1;
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}

/** npx hands its own options on (`--allow-scripts`, say), and an npm below it would take them for its own. */
function ownEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_allow/i.test(name)));
}
