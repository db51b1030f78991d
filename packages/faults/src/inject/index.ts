export {
  type Act,
  type Call,
  ERRNOS,
  type Errno,
  injected,
  NOTHING,
  quiet,
  type Role,
  readCalls,
  shuffled,
  spread,
  type Target,
} from "./plan.js";
