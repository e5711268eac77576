import { agentDriverContract } from "./contract/agent-driver-contract.ts";
import { subject } from "./contract/claude-subject.ts";

agentDriverContract(subject);
