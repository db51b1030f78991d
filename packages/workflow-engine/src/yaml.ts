import { escapeControls, hasControls } from "@uncaged/workflow-util";
import { Document, type Scalar, visit } from "yaml";

/** `value` as YAML with a final newline; long texts stay on their lines. Control characters are escaped. */
export function toYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  // Only between double quotes can a character be escaped.
  visit(document, {
    Scalar: (_key, scalar: Scalar) => {
      if (typeof scalar.value === "string" && hasControls(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return escapeControls(document.toString({ lineWidth: 0 }));
}
