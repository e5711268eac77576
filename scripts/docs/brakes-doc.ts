/** Writes docs/brakes-with-agents.md from what was played last; a test keeps it in step. */
import { writeBrakeDocument } from "../../test/agents/brakes/brake-document.ts";

writeBrakeDocument();
