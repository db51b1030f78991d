import { stringify } from "yaml";

/** `value` as YAML with a final newline; long texts stay on their lines. */
export function toYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
