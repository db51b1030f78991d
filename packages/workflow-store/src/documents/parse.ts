import type { Problem, Result } from "@uncaged/workflow-protocol";
import { type IsCut, looksCut } from "./cut-text.js";
import type { LocatedYaml } from "./types.js";

/**
 * One YAML 1.2 document of plain JSON values. Refused, each with its place: several documents, anchors, aliases,
 * merge keys, custom tags, duplicate keys, keys that are not text, numbers that JSON does not have, too much depth.
 * Byte order mark and CRLF are accepted. Dates stay texts. `isCut` says which comments were likely meant as text.
 */
export async function parseYamlDocument(
  text: string,
  file: string,
  byteLimit: number,
  isCut: IsCut = looksCut,
): Promise<Result<LocatedYaml, readonly Problem[]>> {
  // Lazy: yaml costs as much as a complete step, and a step without config.yaml does not need it.
  const { parseText } = await import("./parse-text.js");
  return parseText(text, file, byteLimit, isCut);
}
