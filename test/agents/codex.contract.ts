import { agentDriverContract } from "./contract/agent-driver-contract.ts";
import { subject } from "./contract/codex-subject.ts";

agentDriverContract(subject);
