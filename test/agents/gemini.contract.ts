import { agentDriverContract } from "./contract/agent-driver-contract.ts";
import { subject } from "./contract/gemini-subject.ts";

agentDriverContract(subject);
