import type { Checkable, Place } from "@uncaged/workflow-agent-cli";

/** What `--check` looks for. */
export const hermesProgram: Checkable = { name: "hermes", programs: ["hermes"], login };

// Keys stand in .env, logins in auth.json; a config.yaml may name an endpoint that needs neither.
function login({ env, home, read }: Place): ReturnType<Checkable["login"]> {
  const folder = env.HERMES_HOME || `${home}/.hermes`;
  const files = [`${folder}/auth.json`, `${folder}/.env`];
  const found = files.find((path) => /[=:]\s*\S/.test(read(path) ?? ""));
  if (found !== undefined) return { state: "yes", how: found };
  const config = `${folder}/config.yaml`;
  if (read(config) !== null) return { state: "unknown", how: `${config} is there, and no key beside it` };
  return { state: "no", how: "run `hermes setup`" };
}
