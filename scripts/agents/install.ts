import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TriedVersion } from "../../packages/workflow-agent-cli/src/index.js";

const TIMEOUT_MS = 10 * 60_000;

/** Installs one program of exactly this version with npm into a folder of its own; gives the folder of its command, or why not. */
export function install(
  program: TriedVersion,
  scratch: string,
): { readonly ok: true; readonly bin: string } | { readonly ok: false; readonly reason: string } {
  const folder = join(scratch, program.package.replaceAll("/", "-"));
  mkdirSync(folder, { recursive: true });
  const allowScripts = program.scripts ? { [program.package]: true } : {};
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, allowScripts }));
  const words = [
    ...["install", "--no-audit", "--no-fund", "--no-save", "--loglevel=error"],
    ...(program.scripts ? [] : ["--ignore-scripts"]),
    `${program.package}@${program.version}`,
  ];
  const ran = spawnSync("npm", words, {
    cwd: folder,
    env: withoutOuterNpm(process.env),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIMEOUT_MS,
  });
  if (ran.status === 0) return { ok: true, bin: join(folder, "node_modules/.bin") };
  return { ok: false, reason: reasonOf(program, ran.stderr ?? "", ran.error) };
}

/** What an npx that started us says about itself would count for this install too; registry and certificates are to. */
function withoutOuterNpm(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = /^npm_config_(?:allow_scripts|local_prefix|global_prefix|ignore_scripts|yes)$/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.test(name)));
}

const UNREACHABLE = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|network/i;

function reasonOf(
  { package: name, version }: TriedVersion,
  stderr: string,
  error: Error | undefined,
): string {
  const lines = stderr.split("\n").filter((line) => line.startsWith("npm error"));
  const told = lines.slice(0, 3).join("; ") || (error?.message ?? "npm did not say why");
  const cause = UNREACHABLE.test(stderr) ? "the npm registry cannot be reached" : "npm failed";
  return `${name}@${version} cannot be installed, ${cause}: ${told}`;
}
