import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { unbuiltBins, uncompiled } from "./release/built.js";
import { pack, unpack } from "./release/pack.js";
import { verifyPackage } from "./release/verify.js";
import { type Member, membersInOrder } from "./release/workspace.js";

// bun run release [--tag <tag>] [--otp <code>] [--dry-run]: publishes every package to npm, dependencies first.
// All tarballs are packed and verified before the first one leaves. --dry-run stops there. A version that npm
// already has is left out, so a run that broke in the middle is repeated.

type Packed = { readonly member: Member; readonly tarball: string };

const temporary = mkdtempSync(join(tmpdir(), "uwf-release-"));
try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`release: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

function main(argv: readonly string[]): number {
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

function packAll(members: readonly Member[]) {
  const packed = members.map((member): Packed => ({ member, tarball: pack(member, temporary) }));
  const problems = packed.flatMap(({ member, tarball }) => verifyPackage(unpack(tarball), member, members));
  return { packed, problems };
}

function publish({ manifest }: Member, tarball: string, tag: string, otp: string | null): boolean {
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

function isPublished(spec: string): boolean {
  const found = spawnSync("npm", ["view", spec, "version"], { encoding: "utf8", env: ownEnvironment() });
  return found.status === 0 && found.stdout.trim() !== "";
}

function refuse(problems: readonly string[]): number {
  process.stderr.write(`${problems.join("\n")}\nrelease: refused, nothing was published\n`);
  return 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** npx hands its own options on (`--allow-scripts`, say), and an npm below it would take them for its own. */
function ownEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_allow/i.test(name)));
}
