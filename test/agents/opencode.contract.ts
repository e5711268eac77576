import { agentDriverContract } from "./contract/agent-driver-contract.ts";
import { subject } from "./contract/opencode-subject.ts";

agentDriverContract(subject);
