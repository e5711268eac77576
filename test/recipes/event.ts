import type { Recipe } from "./recipe.ts";

export const event: Recipe = {
  heading: "Add an event",
  steps: [
    (copy) => {
      copy.before(
        "src/model/events/events.ts",
        "  RunStarted: event(",
        '  RunPainted: event("Somebody gave the run a colour.", () => z.object({ colour: z.string() })),\n',
      );
    },
    (copy) => {
      copy.before("src/fold/evolve.ts", "  RunStarted(state)", "  RunPainted: () => undefined,\n");
      copy.before(
        "src/views/text/describe-event.ts",
        "  RunStarted:",
        "  RunPainted: ({ colour }) => `the run is ${colour}`,\n",
      );
      copy.before("src/views/text/event-kinds.ts", "  RunStarted:", '  RunPainted: "decision",\n');
      copy.before("test/model/example-events.ts", "  RunStarted:", '  RunPainted: { colour: "green" },\n');
    },
    (copy) => copy.run("npm", "run", "fold-version"),
    (copy) => copy.run("node", "scripts/docs/events-doc.ts"),
  ],
  asked: [
    "src/fold/evolve.ts",
    "src/views/text/describe-event.ts",
    "src/views/text/event-kinds.ts",
    "test/model/example-events.ts",
  ],
  tests: ["test/model/events/events.unit.ts", "test/fold/every-event.unit.ts"],
};
