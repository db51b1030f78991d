import { refuse } from "../fault.js";
import { LIMITS } from "../limits.js";
import { isXmlText } from "../xml/index.js";
import type { Edit, Numbered } from "./types.js";

type Kind = "string" | "count" | "style";

const SHARED: Readonly<Record<string, Kind>> = { block: "count", expect: "string" };

/** What each operation needs besides its block. */
const FIELDS: Readonly<Record<Edit["op"], Readonly<Record<string, Kind>>>> = {
  replaceText: { find: "string", text: "string" },
  setText: { text: "string" },
  insertBefore: { text: "string", style: "style" },
  insertAfter: { text: "string", style: "style" },
  delete: {},
  setStyle: { style: "string" },
  setCell: { row: "count", column: "count", text: "string" },
};

/** A list of edits from anywhere, for example from a model. Throws `Refused`. */
export function parseEdits(value: unknown): readonly Numbered[] {
  if (!Array.isArray(value)) return refuse("DOCX_EDIT_SHAPE", { edit: 1, reason: "edits are a list" });
  if (value.length > LIMITS.edits)
    refuse("DOCX_TOO_MANY_EDITS", { edits: value.length, limit: LIMITS.edits });
  let characters = 0;
  return value.map((one: unknown, index) => {
    const edit = parseEdit(one, index + 1);
    for (const field of Object.values(edit)) characters += typeof field === "string" ? field.length : 0;
    if (characters > LIMITS.editText)
      refuse("DOCX_EDIT_SHAPE", {
        edit: edit.edit,
        reason: `with it the texts have more than ${LIMITS.editText} characters`,
      });
    return edit;
  });
}

function parseEdit(value: unknown, edit: number): Numbered {
  const wrong = (reason: string): never => refuse("DOCX_EDIT_SHAPE", { edit, reason });
  if (typeof value !== "object" || value === null || Array.isArray(value)) return wrong("it is no object");
  const given = value as Readonly<Record<string, unknown>>;
  const { op } = given;
  if (typeof op !== "string" || !Object.hasOwn(FIELDS, op))
    return wrong(`op is one of ${Object.keys(FIELDS).join(", ")}`);
  const fields = { ...SHARED, ...FIELDS[op as Edit["op"]] };
  const unknown = Object.keys(given).find((key) => key !== "op" && !Object.hasOwn(fields, key));
  if (unknown !== undefined) wrong(`${op} has no field ${JSON.stringify(unknown)}`);
  const read = Object.entries(fields).map(([name, kind]) => {
    const found = given[name];
    if (kind === "style" && (found === undefined || found === null)) return [name, null];
    if (kind === "count" && !(Number.isSafeInteger(found) && Number(found) >= 1))
      wrong(`${name} is a whole number from 1`);
    if (kind !== "count" && typeof found !== "string") wrong(`${name} is a text`);
    if (typeof found === "string" && !isXmlText(found))
      wrong(`${name} has a character that no document can have`);
    return [name, typeof found === "string" ? found.replace(/\r\n?/g, "\n") : found];
  });
  const parsed = { ...Object.fromEntries(read), op, edit } as Numbered;
  if (parsed.op === "replaceText" && parsed.find === "") wrong("find is empty");
  return parsed;
}
