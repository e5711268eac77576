import type { ModelScriptInput } from "../../../src/model/agent/model-script.ts";

export const CONTENT = "hello from the scripted model\n";

type Turns = ModelScriptInput["turns"];
type Faults = NonNullable<Turns[number]["faults"]>;

/** What every real agent is asked to do: write a file, look at it, say that it is done. */
const TURNS: Turns = [
  { say: "I'll create hello.txt.", acts: [{ write: { file: "hello.txt", content: CONTENT } }] },
  { say: "Now I will check it.", acts: [{ run: "cat hello.txt" }] },
  { say: "Done. hello.txt is in place." },
];

export const HELLO: ModelScriptInput = { turns: TURNS };

/** The same, with something going wrong at one of its turns. */
export const withFaults = (turn: number, faults: Faults): ModelScriptInput => ({
  turns: TURNS.map((one, at) => (at === turn ? { ...one, faults } : one)),
});
