export { type Call, readCalls } from "./calls.js";
export { shuffled, spread } from "./choose.js";
export { checkOrder, type Disorder, type Order } from "./order.js";
export {
  type Act,
  ERRNOS,
  type Errno,
  injected,
  NOTHING,
  type Role,
  type Target,
} from "./plan.js";
export { quiet } from "./quiet.js";
export { canTrace, type Syscall, traced } from "./strace.js";
