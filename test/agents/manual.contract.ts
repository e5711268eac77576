import { agentDriverContract } from "./contract/agent-driver-contract.ts";
import { subject } from "./contract/manual-subject.ts";

agentDriverContract(subject);
