export { isXmlText } from "./decode.js";
export { parseXml } from "./parse.js";
export {
  attribute,
  attributesOf,
  childOf,
  childrenOf,
  element,
  elementsOf,
  isElement,
  localName,
  textIn,
  visit,
  withAttribute,
  withChildren,
  type XmlElement,
  type XmlNode,
} from "./tree.js";
export { writeXml, xmlText } from "./write.js";
