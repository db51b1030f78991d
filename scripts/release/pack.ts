import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Member } from "./workspace.js";

/** Packs one package; gives the tarball's path. */
export function pack(member: Member, destination: string): string {
  mkdirSync(destination, { recursive: true });
  // A folder of its own, so the tarball's name is whatever the one file in it is called.
  const dir = mkdtempSync(join(destination, `${member.folder}-`));
  run("bun", ["pm", "pack", "--quiet", "--destination", dir], member.dir);
  const [file] = readdirSync(dir).filter((name) => name.endsWith(".tgz"));
  if (file === undefined) throw new Error(`bun pm pack wrote no tarball for ${member.manifest.name}`);
  return join(dir, file);
}

/** Unpacks a tarball; gives the folder that holds its package.json. */
export function unpack(tarball: string): string {
  const dir = mkdtempSync(`${tarball}-`);
  run("tar", ["-xpzf", tarball, "-C", dir], dir);
  return join(dir, "package");
}

/** Runs a command to its end; a failure throws with its output. */
export function run(command: string, args: readonly string[], cwd: string): string {
  const done = spawnSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  if (done.error !== undefined) throw new Error(`cannot start ${command}: ${done.error.message}`);
  if (done.status !== 0) throw new Error(`${command} ${args.join(" ")} failed\n${done.stdout}${done.stderr}`);
  return done.stdout;
}
