import { asTold, hasParent, whereIs } from "./boundary.js";
import { enteredBy, unprovedInLine, unprovedInWords } from "./command.js";
import { foldersIn, leadsOfInput, pathLead } from "./leads.js";
import type { Intent, Lead, Place, Policy, Verdict } from "./types.js";

/** These change nothing by themselves, so they may read what is run by itself later. */
const READING: ReadonlySet<string> = new Set(["read", "search", "think"]);

/**
 * `--deny` first, then `--allow`; else what is shown to stay inside the working folder, by every path and every command
 * that the call was said to have. A call that names nothing it touches has not shown that it stays inside.
 */
export function decide(intent: Intent, policy: Policy): Verdict {
  const { kinds } = intent;
  const denied = kinds.find((kind) => policy.deny.has(kind));
  if (denied !== undefined) return rejected(`--deny names ${denied}`);
  if (kinds.every((kind) => policy.allow.has(kind))) {
    return { allowed: true, named: true, reason: `--allow names ${kinds.join(" and ")}` };
  }
  if (kinds.includes("switch_mode")) return rejected("it would change what the agent asks for");
  return decideByLeads(intent, policy);
}

/** Whether the larger intent says anything that the other does not. */
export function addsTo(before: Intent, after: Intent, policy: Policy): boolean {
  const [old, all] = [before, after].map((intent) =>
    [...intent.kinds, ...leadsOf(intent), ...placeOf(intent, policy).bases].map((one) => JSON.stringify(one)),
  );
  return all?.some((one) => !old?.includes(one)) ?? true;
}

function leadsOf({ kinds, locations, inputs }: Intent): readonly Lead[] {
  return [...locations.map(pathLead), ...inputs.flatMap((input) => leadsOfInput(input, kinds))];
}

function decideByLeads(intent: Intent, policy: Policy): Verdict {
  const { kinds } = intent;
  const leads = leadsOf(intent);
  const place = placeOf(intent, policy);
  const unclear = place.bases.find(hasParent);
  if (unclear !== undefined) return rejected(`the folder ${unclear} can be read in two ways`);
  for (const lead of leads) {
    const reason = againstLead(lead, intent, place, policy);
    if (reason !== null) return rejected(reason);
  }
  const commands = leads.filter(({ kind }) => kind === "line" || kind === "words");
  if (kinds.includes("execute") && commands.length === 0) return rejected("it does not say what it runs");
  if (kinds.includes("move") && leads.length < 2) return rejected("it does not say where from and where to");
  const mayNameNothing = kinds.every((kind) => kind === "search" || kind === "think");
  if (leads.length === 0 && !mayNameNothing) return rejected("it does not say what it touches");
  return { allowed: true, named: false, reason: `it stays inside ${policy.cwd}` };
}

/** The folders that the shell of an allowed call may be in afterwards. */
export function foldersAfter(intent: Intent, policy: Policy): readonly string[] {
  const place = placeOf(intent, policy);
  return leadsOf(intent).flatMap((lead) => (lead.kind === "line" ? enteredBy(lead.line, place) : []));
}

function againstLead(lead: Lead, { kinds }: Intent, place: Place, policy: Policy): string | null {
  const { cwd } = place;
  if (lead.kind === "beyond") return `it leads to ${lead.what}, outside of ${cwd}`;
  if (lead.kind === "path") return againstPath(lead.path, kinds, place);
  const what =
    lead.kind === "line"
      ? unprovedInLine(lead.line, place, policy)
      : unprovedInWords(lead.words, place, policy);
  return what === null ? null : `nothing proves that ${what} stays inside ${cwd}; a rule may allow it`;
}

function againstPath(path: string, kinds: Intent["kinds"], { cwd, bases }: Place): string | null {
  const found = bases.map((base) => whereIs(cwd, base, path));
  if (found.includes("outside")) return `it leads to ${path}, outside of ${cwd}`;
  const takesAway = kinds.includes("delete") || kinds.includes("move");
  if (takesAway && found.includes("itself")) return `${path} is the working folder itself`;
  const writes = !kinds.every((kind) => READING.has(kind));
  return writes && found.includes("guarded") ? `${path} is run or read by other programs by itself` : null;
}

function rejected(reason: string): Verdict {
  return { allowed: false, named: false, reason };
}

/** A relative path counts from the folders that the call names, which have themselves to be inside. */
function placeOf({ inputs }: Intent, { cwd, entered }: Policy): Place {
  const named = inputs.flatMap((input) => foldersIn(input)).map((folder) => asTold(cwd, folder));
  return { cwd, bases: [...new Set(named.length === 0 ? [cwd, ...entered] : named)] };
}
