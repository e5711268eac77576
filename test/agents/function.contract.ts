import { agentDriverContract } from "./contract/agent-driver-contract.ts";
import { subject } from "./contract/function-subject.ts";

agentDriverContract(subject);
