import { agentDriverContract } from "./contract/agent-driver-contract.ts";
import { subject } from "./contract/acp-subject.ts";

agentDriverContract(subject);
