import { resolve } from "node:path";
import { fieldsOf, textOf } from "../wire/index.js";
import { isInside } from "./boundary.js";
import { leadsOfInput, pathLead } from "./leads.js";
import type { Intent, Lead, Policy, Verdict } from "./types.js";

/**
 * `--deny` first, then `--allow`; else what stays inside the working folder, by every path that the call was said to
 * touch. A call that names nothing it touches has not shown that it stays inside.
 */
export function decide(intent: Intent, policy: Policy): Verdict {
  const { kinds } = intent;
  const denied = kinds.find((kind) => policy.deny.has(kind));
  if (denied !== undefined) return rejected(`--deny names ${denied}`);
  if (kinds.every((kind) => policy.allow.has(kind))) {
    return { allowed: true, named: true, reason: `--allow names ${kinds.join(" and ")}` };
  }
  if (kinds.includes("switch_mode")) return rejected("it would change what the agent asks for");
  if (kinds.every((kind) => kind === "think")) return allowed("it touches nothing");
  return decideByLeads(intent, policy);
}

function decideByLeads(intent: Intent, { cwd }: Policy): Verdict {
  const leads = [...intent.locations.map(pathLead), ...intent.inputs.flatMap((input) => leadsOfInput(input))];
  const beyond = leads.find((lead) => !staysInside(lead, intent, cwd));
  if (beyond !== undefined) return rejected(`it leads to ${nameOf(beyond)}, outside of ${cwd}`);
  const searches = intent.kinds.every((kind) => kind === "search");
  if (leads.length === 0 && !searches) return rejected("it does not say what it touches");
  return allowed(`it stays inside ${cwd}`);
}

function allowed(reason: string): Verdict {
  return { allowed: true, named: false, reason };
}

function rejected(reason: string): Verdict {
  return { allowed: false, named: false, reason };
}

/** A relative path counts from the folder that the call names, which has itself to be inside. */
function staysInside(lead: Lead, { inputs }: Intent, cwd: string): boolean {
  if (lead.kind === "beyond") return false;
  const own = inputs.map((input) => textOf(fieldsOf(input).cwd) ?? textOf(fieldsOf(input).workdir));
  const named = own.filter((base) => base !== null).map((base) => resolve(cwd, base));
  return (named.length === 0 ? [cwd] : named).every((base) => isInside(cwd, base, lead.path));
}

function nameOf(lead: Lead): string {
  return lead.kind === "path" ? lead.path : lead.what;
}
