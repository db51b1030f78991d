import { readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";

const MOST_LINKS = 40;

/**
 * Files and folders from which programs take commands to run by themselves. Writing there is as good as leaving the
 * folder, once the next program starts. Not what people run by name, such as the scripts of package.json: that is work.
 */
const GUARDED: ReadonlySet<string> = new Set(
  [
    // Git and its kin, their hooks, and what makes them.
    ".git .gitmodules .husky .githooks .lefthook .lefthook.yml lefthook.yml .pre-commit-config.yaml .hg .jj",
    // Agents, and the servers that they start.
    ".agents .aider.conf.yml .claude .clinerules .codex .continue .cursor .gemini .goose .hermes .junie .kiro .mcp.json",
    ".amp .augment .crush.json crush.json .factory .kilocode .trae",
    ".opencode opencode.json opencode.jsonc .pi .qwen .roo .windsurf",
    // Editors, on opening the folder.
    ".vscode .idea .fleet .zed .vim .nvim.lua .nvimrc .exrc .vimrc .dir-locals.el .devcontainer .devcontainer.json",
    // Shells and version managers, on entering it.
    ".envrc .direnv .autoenv .mise .mise.toml .mise.local.toml mise.toml mise.local.toml",
  ].flatMap((line) => line.split(" ")),
);

/** Of files that may have any name. */
const GUARDED_ENDS = [".code-workspace", ".sublime-project"];

function isGuarded(name: string): boolean {
  // A file system that ignores case takes `ſ` (a long s) for `s`: their capital is the same.
  const low = name.toUpperCase().toLowerCase();
  return GUARDED.has(low) || GUARDED_ENDS.some((end) => low.endsWith(end));
}

type Where = "inside" | "guarded" | "itself" | "outside";

/**
 * Where a path, relative to `from`, lies with respect to `folder`. The system resolves `link/..` through the link, many
 * programs by name: both results must stay inside.
 */
export function whereIs(folder: string, from: string, path: string): Where {
  const found = [asTold(from, path), resolve(from, path)].map((one) => whereBelow(folder, one));
  return (["outside", "guarded", "itself"] as const).find((one) => found.includes(one)) ?? "inside";
}

export function hasParent(path: string): boolean {
  return path.split("/").includes("..");
}

/** As the system resolves it: `..` is not cancelled out by name. */
export function asTold(from: string, path: string): string {
  return isAbsolute(path) ? path : `${from}/${path}`;
}

function whereBelow(folder: string, path: string): Where {
  const [base, end] = [real(folder), real(path)];
  if (base === null || end === null) return "outside";
  const way = relative(base, end);
  if (way === "") return "itself";
  if (way === ".." || way.startsWith("../") || isAbsolute(way)) return "outside";
  return way.split("/").some(isGuarded) ? "guarded" : "inside";
}

/**
 * The path without links, even if a link's target does not exist yet. `null`: unknown; /proc looks different to every
 * process.
 */
function real(path: string): string | null {
  const rest = path.split("/");
  let at = "/";
  let links = 0;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "" || name === ".") continue;
    at = name === ".." ? dirname(at) : join(at, name);
    if (at === "/proc") return null;
    const target = name === ".." ? null : linkAt(at);
    if (target === undefined) return null;
    if (target === null) continue;
    links += 1;
    if (links > MOST_LINKS) return null;
    at = target.startsWith("/") ? "/" : dirname(at);
    rest.unshift(...target.split("/"));
  }
  return at;
}

/** `null`: not a link, or missing; `undefined`: cannot be read. */
function linkAt(path: string): string | null | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    return ["EINVAL", "ENOENT", "ENOTDIR"].includes(code) ? null : undefined;
  }
}
