import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ENV, err, type Fault, fault, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { createRedactor, type Redactor, type Secret } from "@uncaged/workflow-util";
import { readOptionalText } from "../files.js";
import { parseEnv } from "./load.js";
import type { WorkflowConfig } from "./shape.js";

type Env = Readonly<Record<string, string | undefined>>;

/** A shorter value is found by chance in texts that have nothing to do with it. */
const SHORTEST_KEY = 8;

/** The same for a variable that only its name makes a key. */
const SHORTEST_NAMED = 12;

/** The names of keys in an environment, which has many other variables. */
const NAMED_KEY = /(?:(?:^|_|API)KEY|TOKEN|SECRET|PASSWORD)$/i;

/** The same in the `.env` of a project. */
const PROJECT_KEY = /(?:(?:^|_|API)KEY|TOKEN|SECRET|PASS(?:WORD|PHRASE)?|PWD|CREDENTIALS?)$/i;

/** A name of `.env` in the storage root under which everything is a key, whatever it looks like. */
const KEY_NAME = /KEY|TOKEN|SECRET|PASS|PWD|CRED|AUTH/i;

/** What texts may name: an address without user, password or query; an absolute path; a word such as `production`. */
const SETTING = /^(?:https?:\/\/[^\s@?#]+|(?:~|\.{1,2})?\/\S*|[A-Za-z]{1,15})$/;

/** What else the `.env` of a project sets: words and numbers (`my-shop`, `localhost:5432`), an address of mail or a database. */
const PROJECT_SETTING =
  /^(?:[a-z][a-z\d+.-]*:\/\/[^\s@?#]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|-{0,2}(?:[A-Za-z]{1,15}|\d{1,5})(?:[-_.,:;/= ]+(?:[A-Za-z]{1,15}|\d{1,5}))*)$/;

/** uwf's own: the step key is part of no secret, and stands in many texts. */
const OWN: ReadonlySet<string> = new Set(Object.values(ENV));

/** Keys of no provider that nearly every continuous integration has. */
const USUAL = ["GITHUB_TOKEN"];

/** The names of the variables that hold keys: the providers', and those of the environment that their names say. */
export function keyNames(config: WorkflowConfig | null, env: Env): readonly string[] {
  const names = new Set(USUAL.filter((name) => env[name] !== undefined));
  for (const { apiKeyEnv } of Object.values(config?.providers ?? {}))
    if (apiKeyEnv !== null) names.add(apiKeyEnv);
  for (const [name, value = ""] of Object.entries(env)) {
    if (value.trim().length < SHORTEST_NAMED || !NAMED_KEY.test(name)) continue;
    if (!OWN.has(name) && !isPath(value)) names.add(name);
  }
  return [...names];
}

/** A key may begin with a slash too, so the file has to be there. */
function isPath(value: string): boolean {
  return value.startsWith("/") && existsSync(value);
}

/** Where keys are. */
type KeySources = {
  /** The storage root's `.env`. */
  readonly variables: Env;
  /** The working folder's. */
  readonly project: Env;
  readonly env: Env;
  /** Variables whose values are keys, wherever they are set. */
  readonly names: readonly string[];
};

/**
 * What must not be shown: the values of both `.env`, and of the variables in `names`. Values of fewer than 8
 * characters do not count, nor do addresses, paths and single words in `.env` unless their names say that they are
 * keys; in the working folder's, names and numbers do not either.
 */
export function secretsIn(sources: KeySources): readonly Secret[] {
  return [...ownSecrets(sources), ...projectSecrets(sources)];
}

/**
 * Takes keys out of texts. Keys of the working folder count as a stranger's: the author of its `.env` may
 * call any word a key.
 */
export function redactorOf(sources: KeySources): Redactor {
  return createRedactor(ownSecrets(sources), projectSecrets(sources));
}

function ownSecrets({ variables, env, names }: KeySources): readonly Secret[] {
  const secrets: Secret[] = [];
  const add = (name: string, value = ""): void => {
    if (isLong(value)) secrets.push({ name, value });
  };
  for (const name of names) {
    add(name, env[name]);
    add(name, variables[name]);
  }
  for (const [name, value = ""] of Object.entries(variables)) {
    if (!SETTING.test(value) || KEY_NAME.test(name)) add(name, value);
  }
  return secrets;
}

function projectSecrets({ project }: Pick<KeySources, "project">): readonly Secret[] {
  return Object.entries(project).flatMap(([name, value = ""]) => {
    const isSetting = SETTING.test(value) || PROJECT_SETTING.test(value);
    const isKey = isLong(value) && (!isSetting || (PROJECT_KEY.test(name) && !isPath(value)));
    return isKey ? [{ name, value }] : [];
  });
}

function isLong(value: string): boolean {
  return value.trim().length >= SHORTEST_KEY;
}

/** A text of more characters is read by people and models; shorter ones are what conditions compare. */
const LONGEST_DECIDING = 64;

/**
 * Why an output cannot be recorded: the `.env` of the working folder would change a text in it by which a condition may
 * decide; or, of a text, by which a model decides that reads an output out of it, and looks at every word. `null`: nothing
 * stands against it.
 */
export function strangeWord(redactor: Redactor, output: unknown): string | null {
  const isText = typeof output === "string";
  const strange = redactor.strange(output, isText ? Infinity : LONGEST_DECIDING);
  if (strange === null) return null;
  const { at, name } = strange;
  return `${isText ? "the reply" : at}: the .env of the working folder calls this word a key (${name}), so it can be neither recorded nor replaced; if it is no key, give ${name} another value there, and step again`;
}

/** Each costs time in every text that uwf looks at: projects have some dozens, and one may be a chain of certificates. */
const MOST_KEYS = 256;
const MOST_CHARACTERS = 32 * 1024;

/**
 * The variables of `.env` in a working folder, which are never loaded: only what they hold is not shown. `null`: no folder.
 * Faults: TOO_LARGE, INVALID_INPUT where there are more keys than can be looked for in every text.
 */
export function readProjectEnv(folder: string | null): Result<Env, Fault> {
  if (folder === null) return ok({});
  const file = join(folder, ".env");
  const text = readOptionalText(file, LIMITS.config);
  if (!text.ok && text.error.code === "TOO_LARGE") return text;
  const project = text.ok ? parseEnv(text.value ?? "") : envOfUnreadable(file, text.error);
  const keys = projectSecrets({ project });
  const characters = keys.reduce((sum, { value }) => sum + value.length, 0);
  if (keys.length <= MOST_KEYS && characters <= MOST_CHARACTERS) return ok(project);
  const reason = `it holds ${keys.length} values that may be keys, of ${characters} characters together; at most ${MOST_KEYS} of ${MOST_CHARACTERS} can be kept out of what is stored and shown`;
  const hint =
    "move what the project does not need to another file, or work in another folder: --cwd <folder>";
  return err(fault("INVALID_INPUT", { what: file, reason, hint }));
}

/**
 * In another encoding the names and most values can be read all the same. What else cannot be read is nothing that an agent
 * could repeat (a folder called `.env` is an environment of Python's), and stops no step.
 */
function envOfUnreadable(file: string, why: Fault): Env {
  return why.code === "INVALID_INPUT" ? parseEnv(readFileSync(file, "latin1")) : {};
}
