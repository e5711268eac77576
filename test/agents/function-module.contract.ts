import { agentDriverContract } from "./contract/agent-driver-contract.ts";
import { subject } from "./contract/module-subject.ts";

agentDriverContract(subject);
