import { err, type Fault, fault, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { Document, isMap, parseDocument, type YAMLMap } from "yaml";
import { parseYamlDocument } from "../documents/index.js";
import { invalidConfig } from "./load.js";
import type { ConfigChanges } from "./types.js";

/**
 * The text of config.yaml with the changes in it: comments, unknown keys and everything else stay. A text that cannot
 * be read, or a section that is no map, is INVALID_CONFIG: nothing is thrown away to make room.
 */
export function mergeConfig(
  text: string | null,
  changes: ConfigChanges,
  file: string,
): Result<string, Fault> {
  const old = withoutByteOrderMark(text ?? "");
  const readable = parseYamlDocument(old, file, LIMITS.config);
  if (!readable.ok) return invalidConfig(file, readable.error);
  const document = readable.value.value === null ? emptyDocument(old) : parseDocument(old);
  if (!isMap(document.contents)) return wrongShape(file, "the document");
  const blocked = editsOf(changes).find((edit) => !apply(document, edit));
  if (blocked !== undefined) return wrongShape(file, blocked.path.slice(0, -1).join("."));
  const merged = document.toString({ lineWidth: 0 });
  return ok(old.includes("\r\n") ? merged.replaceAll("\n", "\r\n") : merged);
}

type Edit = {
  readonly path: readonly string[];
  /** `undefined` takes the key away. */
  readonly value: string | readonly string[] | undefined;
  readonly onlyIfAbsent: boolean;
};

function editsOf({ provider, model, agent, defaultModel, defaultAgent }: ConfigChanges): readonly Edit[] {
  return [
    ...(provider === null
      ? []
      : [
          set(["providers", provider.name, "baseUrl"], provider.baseUrl),
          set(["providers", provider.name, "apiKeyEnv"], provider.apiKeyEnv ?? undefined),
        ]),
    ...(model === null
      ? []
      : [
          set(["models", model.alias, "provider"], model.provider),
          set(["models", model.alias, "name"], model.name),
        ]),
    ...(agent === null
      ? []
      : [
          set(["agents", agent.alias, "command"], agent.command),
          { ...set(["agents", agent.alias, "args"], agent.args ?? []), onlyIfAbsent: agent.args === null },
        ]),
    ...(defaultAgent === null ? [] : [set(["defaultAgent"], defaultAgent)]),
    ...(defaultModel === null ? [] : [set(["defaultModel"], defaultModel)]),
  ];
}

function set(path: readonly string[], value: Edit["value"]): Edit {
  return { path, value, onlyIfAbsent: false };
}

/** `false` when something on the way is neither a map nor empty. */
function apply(document: Document, { path, value, onlyIfAbsent }: Edit): boolean {
  for (let length = 1; length < path.length; length += 1) {
    const way = path.slice(0, length);
    const there = document.getIn(way);
    if (there === null || there === undefined) document.setIn(way, document.createNode({}));
    else if (!isMap(there)) return false;
  }
  if (value === undefined) document.deleteIn(path);
  else if (!onlyIfAbsent || !document.hasIn(path)) document.setIn(path, value);
  return true;
}

/** An empty text still may hold comments. */
function emptyDocument(old: string): Document<YAMLMap> {
  const document = new Document<YAMLMap>({});
  document.contents = document.createNode({}) as YAMLMap;
  const comment = old
    .replaceAll("\r\n", "\n")
    .split("\n")
    .filter((line) => line.startsWith("#"));
  if (comment.length > 0) document.commentBefore = comment.map((line) => line.slice(1)).join("\n");
  return document;
}

function wrongShape(file: string, what: string): Result<never, Fault> {
  const message = `${what} must be a map`;
  const problem = {
    severity: "error",
    line: null,
    column: null,
    path: "",
    message,
    suggestion: null,
  } as const;
  return err(fault("INVALID_CONFIG", { file, problems: [problem] }));
}

function withoutByteOrderMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
