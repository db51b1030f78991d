import { readlinkSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { allowsCommand, isKind, type Kind } from "./arguments.js";
import { type Fields, fieldsOf, listOf, textOf } from "./connection.js";
import { foldersIn, type Lead, leadsOfInput, pathLead } from "./leads.js";

export type Policy = {
  readonly allow: ReadonlySet<Kind>;
  readonly deny: ReadonlySet<Kind>;
  /** Commands allowed by the operator, split into words; a last `*` matches any words. */
  readonly commands: readonly (readonly string[])[];
  /** Calls whose paths stay inside this folder are allowed. */
  readonly cwd: string;
};

/** What a tool call is about to do, as far as the agent says. */
export type Intent = {
  /** At least one; the request may name another kind than earlier updates. */
  readonly kinds: readonly Kind[];
  readonly locations: readonly string[];
  readonly inputs: readonly unknown[];
};

type Verdict = {
  readonly allowed: boolean;
  /** Whether `--allow` decided: only then may the answer hold for later calls too. */
  readonly named: boolean;
  /** Why, as the end of a sentence. */
  readonly reason: string;
};

/** The protocol's answer if no option fits. */
export const CANCELLED: Fields = { outcome: { outcome: "cancelled" } };

/**
 * Picks the agent's option for the verdict. An "always" option is used only for kinds in `--allow`: it would also allow
 * later calls, which have not been judged. If no option fits, the answer is a rejection, at last "cancelled".
 */
function choose(
  options: unknown,
  { allowed, named }: Verdict,
): { readonly answer: Fields; readonly allowed: boolean } {
  const wanted = allowed ? ["allow_once", ...(named ? ["allow_always"] : [])] : [];
  const yes = optionOf(options, wanted);
  if (yes !== null) return { answer: selected(yes), allowed: true };
  const no = optionOf(options, ["reject_once", "reject_always"]);
  return { answer: no === null ? CANCELLED : selected(no), allowed: false };
}

function optionOf(options: unknown, kinds: readonly string[]): string | null {
  const listed = listOf(options);
  const found = kinds
    .map((kind) => listed.find((option) => option.kind === kind))
    .find((one) => one !== undefined);
  return textOf(found?.optionId);
}

function selected(optionId: string): Fields {
  return { outcome: { outcome: "selected", optionId } };
}

/** These change nothing, so they may read hooks and settings. */
const READING: ReadonlySet<string> = new Set(["read", "search", "think"]);

/**
 * `--deny` first, then `--allow`; else the call is allowed if every path in it stays inside the working folder and
 * `--allow-command` names every command in it. A call that does not say what it touches is rejected.
 */
function decide(intent: Intent, policy: Policy): Verdict {
  const { kinds } = intent;
  const denied = kinds.find((kind) => policy.deny.has(kind));
  if (denied !== undefined) return rejected(`--deny names ${denied}`);
  if (kinds.every((kind) => policy.allow.has(kind))) {
    return { allowed: true, named: true, reason: `--allow names ${kinds.join(" and ")}` };
  }
  if (kinds.includes("switch_mode")) return rejected("it would change what the agent asks for");
  return decideByLeads(intent, policy);
}

/** Whether the larger intent contains anything that the other one does not. */
function addsTo(before: Intent, after: Intent, policy: Policy): boolean {
  const [old, all] = [before, after].map((intent) =>
    [...intent.kinds, ...leadsOf(intent), ...basesOf(intent, policy)].map((one) => JSON.stringify(one)),
  );
  return all?.some((one) => !old?.includes(one)) ?? true;
}

function leadsOf({ kinds, locations, inputs }: Intent): readonly Lead[] {
  return [...locations.map(pathLead), ...inputs.flatMap((input) => leadsOfInput(input, kinds))];
}

function decideByLeads(intent: Intent, policy: Policy): Verdict {
  const { kinds } = intent;
  const leads = leadsOf(intent);
  const bases = basesOf(intent, policy);
  const unclear = bases.find(hasParent);
  if (unclear !== undefined) return rejected(`the folder ${unclear} is ambiguous`);
  for (const lead of leads) {
    const reason = againstLead(lead, kinds, bases, policy);
    if (reason !== null) return rejected(reason);
  }
  const runs = leads.some(({ kind }) => kind === "command");
  if (kinds.includes("execute") && !runs) return rejected("it does not say what it runs");
  if (kinds.includes("move") && leads.length < 2) return rejected("it does not say from where to where");
  const mayNameNothing = kinds.every((kind) => kind === "search" || kind === "think");
  if (leads.length === 0 && !mayNameNothing) return rejected("it does not say what it touches");
  return { allowed: true, named: false, reason: `it stays inside ${policy.cwd}` };
}

function againstLead(lead: Lead, kinds: Intent["kinds"], bases: Bases, policy: Policy): string | null {
  if (lead.kind === "beyond") return `it leads to ${lead.what}, outside of ${policy.cwd}`;
  if (lead.kind === "path") return againstPath(lead.path, kinds, bases, policy.cwd);
  if (policy.commands.some((rule) => allowsCommand(rule, lead.words))) return null;
  return `only --allow-command or --allow execute can allow "${lead.words.join(" ").slice(0, 100)}"`;
}

function againstPath(path: string, kinds: Intent["kinds"], bases: Bases, cwd: string): string | null {
  const found = bases.map((base) => whereIs(cwd, base, path));
  if (found.includes("outside")) return `it leads to ${path}, outside of ${cwd}`;
  const takesAway = kinds.includes("delete") || kinds.includes("move");
  if (takesAway && found.includes("itself")) return `${path} is the working folder itself`;
  const writes = !kinds.every((kind) => READING.has(kind));
  return writes && found.includes("guarded")
    ? `${path} is run or read automatically by other programs`
    : null;
}

function rejected(reason: string): Verdict {
  return { allowed: false, named: false, reason };
}

/** The folders that relative paths count from. */
type Bases = readonly string[];

/** Those that the call names, which must be inside too; else the working folder. */
function basesOf({ inputs }: Intent, { cwd }: Policy): Bases {
  const named = inputs.flatMap((input) => foldersIn(input)).map((folder) => asTold(cwd, folder));
  return named.length === 0 ? [cwd] : [...new Set(named)];
}

/** The call's updates before the request. */
type Known = {
  readonly kind: string | null;
  readonly title: string;
  readonly locations: readonly string[];
  readonly inputs: readonly unknown[];
  readonly content: readonly Fields[];
};

type Answered = {
  readonly answer: Fields;
  /** `null`: it was allowed. */
  readonly rejected: string | null;
  /** What the verdict was based on. */
  readonly intent: Intent;
};

/** Answers one session/request_permission. */
export function answerPermission(params: Fields, known: Known | null, policy: Policy): Answered {
  const call = fieldsOf(params.toolCall);
  const intent = intentOf(call, known);
  const verdict = decide(intent, policy);
  const { answer, allowed } = choose(params.options, verdict);
  if (allowed) return { answer, rejected: null, intent };
  const reason = verdict.allowed ? "the agent offers no way to allow it once" : verdict.reason;
  return { answer, rejected: `rejected ${named(intent, call, known)}: ${reason}`, intent };
}

/**
 * Judges an allowed call again with what an update adds to it: the reason why it would be rejected now, or `null`. What
 * the update only repeats is not judged again, since the call itself may have changed the folder.
 */
export function rejectChange(asked: Intent, update: Fields, known: Known, policy: Policy): string | null {
  // The title of a finished call describes its result.
  const isOver = update.status === "completed" || update.status === "failed";
  const call = isOver ? { ...update, title: null } : update;
  const intent = intentOf(call, isOver ? { ...known, title: "" } : known);
  const all: Intent = {
    kinds: kindsOf([...asked.kinds, ...intent.kinds]),
    locations: [...asked.locations, ...intent.locations],
    inputs: [...asked.inputs, ...intent.inputs],
  };
  if (!addsTo(asked, all, policy)) return null;
  const verdict = decide(all, policy);
  return verdict.allowed ? null : `rejected ${named(all, update, known)}: ${verdict.reason}`;
}

function named({ kinds }: Intent, call: Fields, known: Known | null): string {
  const what = textOf(call.title) ?? known?.title ?? "a tool call";
  return `${kinds.join(", ")} (${what.slice(0, 200)})`;
}

// All updates count: an agent may name a path in the call and omit it in the request.
function intentOf(call: Fields, known: Known | null): Intent {
  const content = [...listOf(call.content), ...(known?.content ?? [])];
  const paths = [...listOf(call.locations), ...content].flatMap(({ path }) => textOf(path) ?? []);
  const kinds = kindsOf([call.kind, known?.kind]);
  const locations = [...(known?.locations ?? []), ...paths];
  const inputs = [...(known?.inputs ?? []), call.rawInput].filter(
    (input) => input !== undefined && input !== null,
  );
  // Gemini puts a shell's command only into the title.
  const titles = kinds.includes("execute") && inputs.length === 0 ? [known?.title, textOf(call.title)] : [];
  const commands = titles.filter((title) => title !== undefined && title !== null && title !== "");
  return { kinds, locations, inputs: [...inputs, ...commands.map((command) => ({ command }))] };
}

/** `other` counts only if there is no other kind. */
function kindsOf(reported: readonly unknown[]): Intent["kinds"] {
  const kinds = [...new Set(reported.filter(isKind))].filter((kind) => kind !== "other");
  return kinds.length === 0 ? ["other"] : kinds;
}

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
function whereIs(folder: string, from: string, path: string): Where {
  const found = [asTold(from, path), resolve(from, path)].map((one) => whereBelow(folder, one));
  return (["outside", "guarded", "itself"] as const).find((one) => found.includes(one)) ?? "inside";
}

function hasParent(path: string): boolean {
  return path.split("/").includes("..");
}

/** As the system resolves it: `..` is not cancelled out by name. */
function asTold(from: string, path: string): string {
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
