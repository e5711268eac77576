import { test } from "node:test";
import { agentDriverContract } from "./contract/agent-driver-contract.ts";
import { noTmux, subject } from "./contract/tmux-subject.ts";

if (noTmux === false) agentDriverContract(subject);
else test("A1 every promise of a driver is kept by the one for terminals", { skip: noTmux });
