import { type CasNode, type JsonObject, type JsonValue, type Store, validate } from "@uncaged/json-cas";
import { type CasRef, err, ok, type Result } from "@uncaged/workflow-protocol";
import { brokenReferences, openHistory, recordedIn, strangeWord } from "@uncaged/workflow-store";
import type { Redactor } from "@uncaged/workflow-util";
import { once } from "@uncaged/workflow-util";
import { accept, selectDeclared } from "./accept.js";
import { unfilledIn, type VariantExample } from "./example/index.js";
import type { WithFiles, WorkingFolder } from "./files.js";
import { loadFiles } from "./load.js";
import { hasReferences } from "./schema.js";

/** Where a role's output is judged. */
export type JudgeContext = {
  readonly metaSchema: JsonValue;
  /** The type of the output: the hash of `metaSchema`. */
  readonly meta: CasRef;
  /** Finds the type without the disk. */
  readonly types: Pick<Store, "get">;
  readonly store: Store;
  /** The head that the step is built on. */
  readonly head: CasRef;
  readonly redactor: Redactor;
  /** Where an output's paths lead. */
  readonly working: WorkingFolder;
  /** Those that the agent was shown, which are no work; `null`: an output may be one. */
  readonly examples: (() => readonly VariantExample[]) | null;
};

export type Judge = {
  /**
   * The output if the role's meta accepts it and what it refers to exists, as uwf will check; paths of files are
   * replaced by hashes.
   */
  readonly accept: (given: JsonObject) => ReturnType<typeof accept>;
  /**
   * Why no output of this reply can be recorded: the working folder's `.env` would change one. It is no violation that the
   * agent could correct: it would write another word. `null`: nothing stands against it.
   */
  readonly refusal: () => string | null;
  /** Those of the newest output that was accepted; not stored yet. */
  readonly files: () => WithFiles["files"];
};

export async function createJudge(place: JudgeContext): Promise<Judge> {
  const { metaSchema, redactor, working } = place;
  const loaded = hasReferences(metaSchema) ? await loadFiles() : null;
  const read = (data: JsonObject): WithFiles =>
    loaded === null ? withoutFiles(data) : loaded.readFiles(metaSchema, data, { ...working, redactor });
  let files: WithFiles["files"] = new Map();
  let refusal: string | null = null;
  return {
    refusal: () => refusal,
    accept: (given) => {
      refusal ??= strangeWord(redactor, selectDeclared(metaSchema, given));
      if (refusal !== null) return err([refusal]);
      const judged = judge(place, given, read);
      if (!judged.ok) return judged;
      ({ files } = judged.value);
      return ok(judged.value.value);
    },
    files: () => files,
  };
}

function withoutFiles(value: JsonObject): WithFiles {
  return { value, files: new Map(), refused: [] };
}

/** The prepared schema is the one by which the store will validate the output: it is prepared once. */
function judge(
  place: JudgeContext,
  given: JsonObject,
  read: (data: JsonObject) => WithFiles,
): Result<WithFiles, readonly string[]> {
  const { metaSchema, meta: type, types, redactor } = place;
  let found = withoutFiles({});
  const accepted = accept(metaSchema, given, {
    clean: (data) => {
      found = read(redactor.value(data));
      return found.value;
    },
    violationsOf: (payload) => validate(types, { type, payload, timestamp: 0 }),
  });
  const { files, refused } = found;
  if (refused.length > 0) {
    // What was refused is no hash either: once said is enough.
    const others = (accepted.ok ? [] : accepted.error).filter(
      (line) => !refused.some(({ at }) => line.startsWith(`${at}:`)),
    );
    return err([...refused.map(({ line }) => line), ...others]);
  }
  if (!accepted.ok) return accepted;
  const unfilled = place.examples === null ? [] : unfilledIn(accepted.value, place.examples());
  if (unfilled.length > 0) return err(unfilled);
  const broken = brokenIn(place, { type, payload: accepted.value, timestamp: 0 }, files);
  return broken.length === 0 ? ok({ value: accepted.value, files, refused }) : err(broken);
}

function brokenIn(
  { store, head }: JudgeContext,
  node: CasNode,
  files: WithFiles["files"],
): readonly string[] {
  const isRecorded = once(() => {
    const history = openHistory(store, head);
    return history.ok ? recordedIn(history.value) : () => false;
  });
  // A file that is about to be stored needs no look.
  const seen = new Set<string>(files.keys());
  const look = { seen, isOld: (hash: CasRef) => isRecorded()(hash), most: Infinity };
  return brokenReferences(store, [{ name: "", hash: null, node }], look).map(
    ({ field, hash, reason }) =>
      `${field}: expected the hash of a stored node, got ${hash}, which ${reason} (cas_ref)`,
  );
}
