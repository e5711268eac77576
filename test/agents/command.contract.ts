import { agentDriverContract } from "./contract/agent-driver-contract.ts";
import { subject } from "./contract/command-subject.ts";

agentDriverContract(subject);
