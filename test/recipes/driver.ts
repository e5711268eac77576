import type { Recipe } from "./recipe.ts";

export const driver: Recipe = {
  heading: "Add a driver",
  steps: [
    (copy) =>
      copy.write(
        "src/agents/parrot/parrot-agent.ts",
        `import { begun } from "../headless/provider-error.ts";
import type { HeadlessAgent } from "../headless/headless-agent.ts";
import { textAt } from "../headless/json-fields.ts";
import { LastAnswer } from "../headless/last-answer.ts";

/** Parrot repeats what it is given, as JSON Lines. */
export const parrotAgent: HeadlessAgent = {
  use: "parrot",
  title: "Parrot",
  program: "parrot",
  install: "npm install -g parrot",
  knownVersions: ["1.0.0"],
  env: {},
  offerMcp: () => ({}),
  argv: ({ args }) => ["--json", ...args],
  vocabulary: () => {
    const answer = new LastAnswer();
    return {
      event: (event) => {
        const text = textAt(event, "text") ?? "";
        switch (event["type"]) {
          case "begin":
            return begun(undefined);
          case "say":
            answer.said(text);
            return [{ kind: "message", from: "agent", text }];
          case "tool":
            answer.worked();
            return [
              { kind: "tool_call", callId: "1", name: text, args: "{}" },
              { kind: "tool_result", callId: "1", name: text, ok: true, text: "" },
            ];
          case "end":
            return [{ kind: "usage", tokensIn: 10 }, ...answer.claim()];
          case "error":
            return [{ kind: "error", text, terminal: false }];
          default:
            return null;
        }
      },
      words: () => null,
    };
  },
};
`,
      ),
    (copy) => {
      copy.write(
        "src/model/agent/kinds/parrot.ts",
        `import { type AgentTraits, HEADLESS, NO_FILES, SPOKEN } from "./agent-traits.ts";
import { ANY_VARIABLES } from "./any-variables.ts";

export const parrot: AgentTraits = {
  is: "program",
  asksNobody: true,
  continuesBrokenTurn: false,
  output: "events",
  capabilities: { ...HEADLESS, resume: false, mcp: false },
  claim: { ...SPOKEN, claims: "its event \`end\` after an answer with words" },
  variables: ANY_VARIABLES,
  obeys: { ...NO_FILES, settings: [".parrot/"] },
  hosts: ["parrot.example"],
};
`,
      );
      copy.before(
        "src/model/agent/kinds/registry.ts",
        "import { acp",
        'import { parrot } from "./parrot.ts";\n',
      );
      copy.before("src/model/agent/kinds/registry.ts", "  acp,\n", "  parrot,\n");
    },
    (copy) => {
      copy.before(
        "src/all-drivers.ts",
        "import { sandboxGit }",
        'import { parrotAgent } from "./agents/parrot/parrot-agent.ts";\n',
      );
      copy.after("src/all-drivers.ts", "HEADLESS_AGENTS = [", "parrotAgent, ");
      copy.run("npm", "run", "fold-version");
    },
    (copy) => {
      copy.write(
        "test/agents/contract/parrot-subject.ts",
        `import { parrotAgent } from "../../../src/agents/parrot/parrot-agent.ts";
import { headlessSubject } from "./headless-subject.ts";

const line = (type: string, text = ""): string => JSON.stringify({ type, text });

export const subject = headlessSubject(
  parrotAgent,
  {
    begin: line("begin"),
    say: (words) => line("say", words),
    work: [line("tool", "shell")],
    done: [line("say", "It is done."), line("end")],
    error: line("error", "the model stream ended early"),
  },
  import.meta.url,
);
`,
      );
      copy.write(
        "test/agents/parrot.contract.ts",
        `import { agentDriverContract } from "./contract/agent-driver-contract.ts";
import { subject } from "./contract/parrot-subject.ts";

agentDriverContract(subject);
`,
      );
    },
  ],
  asked: [],
  tests: [
    "test/agents/parrot.contract.ts",
    "test/agents/every-driver-has-a-runner.unit.ts",
    "test/model/agent/registry.unit.ts",
  ],
};
