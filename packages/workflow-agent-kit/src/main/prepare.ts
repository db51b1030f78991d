import { type CasNode, getSchema, type Hash, type JsonValue, suggest } from "@uncaged/json-cas";
import {
  ENV,
  err,
  type Fault,
  fault,
  ok,
  programOf,
  type Result,
  type RoleDefinition,
} from "@uncaged/workflow-protocol";
import { attempt } from "@uncaged/workflow-store";
import { type Agent, asSession, buildContext } from "../author/index.js";
import { putText } from "../detail/index.js";
import type { Host } from "../host/index.js";
import { heartbeatOf, meterOf } from "../report/index.js";
import { type OpenThread, openThread } from "../thread/index.js";
import type { Prepared } from "./types.js";

type Request = { readonly args: readonly string[]; readonly thread: string; readonly role: string };

/** Everything that can be refused before the agent costs anything. */
export async function prepare(
  agent: Agent,
  host: Host,
  { args, thread, role }: Request,
  signal: AbortSignal,
): Promise<Result<Prepared, Fault>> {
  const opened = await openThread(host, thread, agent.dotEnv);
  if (!opened.ok) return opened;
  const open = opened.value;
  const definition = roleOf(open, role);
  if (!definition.ok) return definition;
  const types = onceRead(open.storage.cas);
  const schema = metaOf(open, types, definition.value);
  if (!schema.ok) return schema;
  const metaSchema = schema.value;
  const heartbeat = heartbeatOf(open.run, host.now);
  const meter = meterOf(open.run, open.redactor, host.cwd);
  const command = commandOf(host, open, agent);
  const self = { name: agent.name, program: programOf(command) };
  const built = buildContext({
    open,
    agent: self,
    role,
    roleDefinition: definition.value,
    metaSchema,
    args,
    signal,
    heartbeat,
    putText: (text) => putText(open.storage.cas, open.redactor.text(text)),
    report: (session) => {
      meter.tell(asSession(session));
      heartbeat();
    },
  });
  return ok({ agent, command, self, open, role, metaSchema, types, meter, ...built });
}

/** What the step says of its agent: the command that uwf was told to run, else what the agent calls itself. */
function commandOf({ env }: Host, { run, redactor }: OpenThread, { name }: Agent): string {
  const chosen = run === null ? undefined : env[ENV.agent];
  return chosen ? redactor.text(chosen) : name;
}

function roleOf({ workflow }: OpenThread, role: string): Result<RoleDefinition, Fault> {
  const { name, roles } = workflow.payload;
  const definition = Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (definition !== undefined) return ok(definition);
  const names = Object.keys(roles);
  const meant = suggest(role, names);
  const hint = meant === null ? "" : `, did you mean "${meant}"?`;
  const reason = `workflow ${name} has no such role${hint} Its roles: ${names.join(", ")}`;
  return err(fault("INVALID_INPUT", { what: `role "${role}"`, reason }));
}

/** A store's nodes, each read once: for the few that are types. */
function onceRead(store: Reader): Reader {
  const read = new Map<Hash, CasNode | null>();
  return {
    get: (hash) => {
      const node = read.get(hash) ?? store.get(hash);
      read.set(hash, node);
      return node;
    },
  };
}

type Reader = Prepared["types"];

function metaOf({ head }: OpenThread, types: Reader, { meta }: RoleDefinition): Result<JsonValue, Fault> {
  const schema = attempt(() => getSchema(types, meta));
  if (!schema.ok) return schema;
  if (schema.value !== null) return ok(schema.value);
  return err(
    fault("CHAIN_DAMAGED", { head, node: meta, reason: "the role's meta is no schema in this store" }),
  );
}
