import { computeHash, isObject, type JsonValue, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { type CasRef, LIMITS } from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { parseYamlDocument } from "./documents/index.js";
import { readContent } from "./nodes/index.js";
import { readRegistryHistory } from "./registry.js";
import type { Storage } from "./storage.js";

/**
 * A role's meta with its keys in the order in which the author wrote them, out of the YAML that was put: a node sorts them.
 * `null` where the order is not kept, as for a thread that was started from a file. It is no more than an order, so
 * damage here is left to those who read the nodes themselves.
 */
export async function authoredMeta(
  storage: Storage,
  workflow: CasRef,
  role: string,
  meta: CasRef,
): Promise<JsonValue | null> {
  const lines = readRegistryHistory(storage);
  const put = lines.ok
    ? lines.value.findLast(({ hash, source }) => hash === workflow && source !== null)
    : null;
  const source = put?.source ?? null;
  const content = source === null ? null : attempt(() => readContent(storage.cas, source));
  if (content === null || !content.ok || !content.value.ok) return null;
  const yaml = await parseYamlDocument(content.value.value.text, "", LIMITS.workflowFile);
  const written = yaml.ok ? memberAt(yaml.value.value, ["roles", role, "meta"]) : null;
  const hash = attempt(() => computeHash(META_SCHEMA_HASH, written));
  return hash.ok && hash.value === meta ? written : null;
}

function memberAt(value: JsonValue, path: readonly string[]): JsonValue | null {
  let found = value;
  for (const key of path) found = isObject(found) && Object.hasOwn(found, key) ? (found[key] ?? null) : null;
  return found;
}
