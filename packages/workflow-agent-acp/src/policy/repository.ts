import { existsSync, lstatSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside } from "./boundary.js";

/**
 * Whether git, run in `base`, finds a repository inside the folder whose settings and hooks run nothing. A repository
 * further up is outside, and so may be a `.git` that is a file or a link. Settings and hooks, including those of nested
 * repositories, name programs that even `status` and `diff` start.
 */
export function isHarmlessRepository(base: string | null, cwd: string): boolean {
  for (let at = base ?? "/"; isInside(cwd, at, "."); at = dirname(at)) {
    const git = join(at, ".git");
    if (exists(git))
      return isFolder(git) && LEADING_OUT.every((name) => !exists(join(git, name))) && isHarmless(git);
    if (existsSync(join(at, "HEAD"))) return false;
    if (at === dirname(at)) return false;
  }
  return false;
}

/** Another folder for objects and settings, settings of a worktree, and the hook of read-only commands. */
const LEADING_OUT = [
  "commondir",
  "config.worktree",
  "modules",
  "objects/info/alternates",
  "hooks/post-index-change",
];

/** More than any repository needs. */
const CONFIG_BYTES = 256 * 1024;

/** Settings that name no program, no file and no folder; any other may. */
const HARMLESS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf)$/,
  /^extensions\.objectformat$/,
  /^(?:user|author|committer)\.(?:name|email)$/,
  /^remote\.(?:url|fetch|pushurl|tagopt)$/,
  /^branch\.(?:remote|merge|rebase|description)$/,
  /^(?:init\.defaultbranch|pull\.rebase|push\.(?:default|autosetupremote)|fetch\.prune|color\.ui|gc\.auto)$/,
  /^submodule\.(?:active|url)$/,
];

function isHarmless(git: string): boolean {
  const names = hasSubmodule(join(git, "index")) ? null : settingsIn(join(git, "config"));
  return names?.every((name) => HARMLESS.some((form) => form.test(name))) ?? false;
}

/** The largest index that is searched. */
const INDEX_BYTES = 64 * 1024 * 1024;

/** The mode of an entry that is another repository (160000, octal), whose own settings `git status` follows. */
const SUBMODULE = Buffer.from([0x00, 0x00, 0xe0, 0x00]);

function hasSubmodule(index: string): boolean {
  if (!exists(index)) return false;
  const stat = lstatSync(index);
  return !stat.isFile() || stat.size > INDEX_BYTES || readFileSync(index).includes(SUBMODULE);
}

/** `section.name` of each setting; `null`: the file is not plain lines. */
function settingsIn(file: string): readonly string[] | null {
  if (!exists(file)) return [];
  const stat = lstatSync(file);
  if (!stat.isFile() || stat.size > CONFIG_BYTES) return null;
  const names: string[] = [];
  let section = "";
  for (const line of readFileSync(file, "utf8").split(/\r?\n/)) {
    const text = line.trim();
    if (text === "" || /^[#;]/.test(text)) continue;
    // Continuation lines are not plain.
    if (text.endsWith("\\")) return null;
    const head = /^\[\s*([A-Za-z][\w-]*)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]$/.exec(text);
    if (head !== null) {
      section = (head[1] ?? "").toLowerCase();
      continue;
    }
    const setting = /^([A-Za-z][\w-]*)\s*(?:=.*)?$/.exec(text);
    if (setting === null || section === "") return null;
    names.push(`${section}.${(setting[1] ?? "").toLowerCase()}`);
  }
  return names;
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
