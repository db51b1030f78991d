import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";

type Address = { readonly git: string; readonly ref: string | null };

const WITH_SCHEME = /^(?:https?|ssh|git|file):\/\//;

/** As ssh takes it: user@host:path. */
const SCP_LIKE = /^[\w.-]+@[\w.-]+:[^\s:]+$/;

/** What git accepts as the name of a branch, a tag or a commit, roughly, and nothing that is an option or a refspec. */
const REF = /^[^-+\s:*?[\\^~][^\s:*?[\\^~]*$/;

/** A folder is named after it. */
const LONGEST = 240;

/**
 * `<url>` or `<url>#<ref>`, as `submit --workspace` has it; `what`: who has given it. No fault repeats the address: it may hold
 * a password.
 */
export function parseGitAddress(text: string, what = "--workspace"): Result<Address, Fault> {
  const refused = (reason: string, hint: string): Result<never, Fault> =>
    err(fault("INVALID_INPUT", { what, reason, hint }));
  const [git = "", ...rest] = text.split("#");
  const ref = rest.length === 0 ? null : rest.join("#");
  const hint =
    "write it as git takes it on every worker: https://host/path, ssh://git@host/path, git@host:path or file:///path";
  if (!WITH_SCHEME.test(git) && !SCP_LIKE.test(git))
    return refused("it is not the address of a repository", hint);
  if (/\s/.test(git) || encodeURIComponent(git).length > LONGEST)
    return refused(`an address has no blanks, and at most ${LONGEST} characters`, hint);
  if (leadsUp(git)) return refused("an address has no .. in its path", hint);
  if (holdsSecret(git)) {
    return refused(
      "the address has a password or token in it, which would be kept in the database",
      "leave it out, and give it to git on the workers' machines: by a credential helper (git help credentials) or an SSH key",
    );
  }
  return ref === null || REF.test(ref)
    ? ok({ git, ref })
    : refused(
        ref === "" ? "nothing stands after the #" : `${ref} after the # is no branch, tag or commit`,
        "name one, or leave it out for the default branch",
      );
}

/** Which repository `..` means is up to the server, or to the folders of the worker. */
function leadsUp(git: string): boolean {
  return /(?:^|[/:\\])\.\.(?:[/\\]|$)/.test(withoutEscapes(git));
}

/** git decodes an address, a proxy may decode it again, and then a server: escapes of escapes count as what they end as. */
function withoutEscapes(text: string): string {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return decoded === text ? text : withoutEscapes(decoded);
}

/** Over https any user name may be a token; over ssh it is a name. */
function holdsSecret(git: string): boolean {
  const [, scheme = "", authority = ""] = /^(\w+):\/\/([^/]*)/.exec(git) ?? [];
  const user = authority.includes("@") ? authority.slice(0, authority.lastIndexOf("@")) : "";
  return user.includes(":") || (user !== "" && scheme.startsWith("http")) || git.includes("?");
}
