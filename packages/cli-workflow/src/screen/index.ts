export { ago, bytes, count, counted, duration, money, summaryOf } from "@uncaged/workflow-util";
export { logLines, logTable } from "./log-table.js";
export { renderProblems, type ShownFile, wordAt } from "./problems.js";
export {
  type Colour,
  type Human,
  isUnicode,
  type Paint,
  paintOn,
  type Screen,
  screenOf,
  USUAL_WIDTH,
  watcherOf,
} from "./screen.js";
export {
  type Cell,
  type Column,
  type ColumnOf,
  cut,
  type Field,
  left,
  lines,
  nextCommand,
  oneLine,
  type Row,
  renderFields,
  renderTable,
  right,
  rowOf,
  shrinking,
  tableOf,
  tableWriter,
  widthOf,
  wrapped,
} from "./table.js";
export { firstLine, heldState, paintOf, shortIds, stateCell, taskLine, withoutHeading } from "./threads.js";
