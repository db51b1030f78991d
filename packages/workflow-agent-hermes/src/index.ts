export { hermes } from "@uncaged/workflow-agent-cli";
