import { isObject, type JsonObject, type JsonValue } from "@uncaged/json-cas";

/**
 * Who answered, when (epoch ms), and whether the default was taken because no person did before the timeout.
 */
type AnswerFacts = { readonly by: string; readonly at: number; readonly timedOut: boolean };

/** An answer with `answeredBy`, `answeredAt` and `timedOut`, where the role's meta declares them and the answer lacks them. */
export function withAnswerFields(
  meta: JsonValue,
  answer: JsonObject,
  { by, at, timedOut }: AnswerFacts,
): JsonObject {
  const properties = isObject(meta) && isObject(meta.properties) ? meta.properties : {};
  const asked = (name: string): boolean => Object.hasOwn(properties, name) && !Object.hasOwn(answer, name);
  const time = isNumber(properties.answeredAt) ? at : new Date(at).toISOString();
  return {
    ...answer,
    ...(asked("answeredBy") ? { answeredBy: by } : {}),
    ...(asked("answeredAt") ? { answeredAt: time } : {}),
    ...(asked("timedOut") ? { timedOut } : {}),
  };
}

function isNumber(schema: JsonValue | undefined): boolean {
  return isObject(schema) && (schema.type === "integer" || schema.type === "number");
}
