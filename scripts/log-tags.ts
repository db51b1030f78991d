import type { Problem, Tree } from "./source.js";

/** Crockford's Base32: no I, L, O, U. */
const TAG = /^[0-9A-HJKMNP-TV-Z]{8}$/;

type Site = { readonly file: string; readonly line: number; readonly tag: string | null };

/** Call sites of `log` in src whose tag is not a literal, not 8 Crockford characters, or taken. */
export function checkLogTags(tree: Tree): readonly Problem[] {
  const firstUse = new Map<string, Site>();
  return sites(tree).flatMap((site) => {
    const message = judge(site, firstUse);
    return message === null ? [] : [{ file: site.file, line: site.line, rule: "log tag", message }];
  });
}

function judge(site: Site, firstUse: Map<string, Site>): string | null {
  if (site.tag === null) return "the tag must be a string literal";
  if (!TAG.test(site.tag)) return `"${site.tag}" is not 8 characters of 0-9 A-Z without I L O U`;
  const first = firstUse.get(site.tag);
  if (first !== undefined) return `"${site.tag}" is already used in ${first.file}:${first.line}`;
  firstUse.set(site.tag, site);
  return null;
}

function sites(tree: Tree): readonly Site[] {
  return tree.packages.flatMap(({ files }) =>
    files
      .filter(({ area }) => area === "src")
      .flatMap(({ path, logCalls }) => logCalls.map((call) => ({ file: path, ...call }))),
  );
}
