import { agentDriverContract } from "./contract/agent-driver-contract.ts";
import { subject } from "./contract/demo-subject.ts";

agentDriverContract(subject);
