export { CONTENT_TYPES, contentTypeOf, withContentType } from "./content-types.js";
export {
  type Document,
  openDocument,
  relatedPart,
  relationshipsOf,
  saveDocument,
  treeOf,
  withPart,
  withTree,
} from "./document.js";
export { type Relationship, relationshipsPart, targetFrom } from "./relationships.js";
