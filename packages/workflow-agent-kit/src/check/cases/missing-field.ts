import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import type { Case } from "../types.js";
import { failing, fine, lastWords, misbehaved } from "../verdict.js";

/** No text has at least 2 characters and at most 1. */
const UNMEETABLE: JsonObject = { type: "string", minLength: 2, maxLength: 1 };

/** Whatever is replied to it, a required field is missing or not valid: the run has to fail, and to say so. */
export const missingField: Case = {
  name: "missing-field",
  needsGood: true,
  run: async (lab) => {
    const ran = await lab.play(await lab.newThread({ task: null, meta: withUnmeetable(lab.meta) }), {});
    const fix =
      "validate the output against the role's meta before anything is stored; without a valid one exit with another status than 0";
    if (ran.code === 0)
      return failing("it exited with 0, although no reply can satisfy the role's meta", fix);
    if (ran.code === null) return failing(`it ${ran.outcome}`, fix);
    return misbehaved(ran) ?? fine(`it ${ran.outcome}${lastWords(ran)}`);
  },
};

function withUnmeetable(meta: JsonObject): JsonObject {
  const { properties = {}, required = [] } = meta;
  const fields = isObject(properties) ? properties : {};
  const names = Array.isArray(required) ? required : [];
  return { ...meta, properties: { ...fields, unmeetable: UNMEETABLE }, required: [...names, "unmeetable"] };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
