import type { Terminal } from "./terminal.ts";

/** A line that is typed; or an act for which a line is not enough. `null`: it shows nothing that would be kept. */
export type Act = string | ((terminal: Terminal) => Promise<string | null>);

export interface Scene {
  readonly name: string;
  /** What a person wants here. */
  readonly about: string;
  readonly acts: readonly Act[];
}

const AGENTS = "../agents";

/** Types a line, waits until words are on the screen, and does what a person would do then. */
const when =
  (line: string, words: RegExp, then: (terminal: Terminal) => Promise<void>): Act =>
  async (terminal) => {
    await terminal.begins(line);
    await terminal.shows(words);
    await then(terminal);
    return line;
  };

/** What Tab makes of a beginning; the line is then left. */
const completes =
  (typed: string, words: RegExp): Act =>
  async (terminal) => {
    await terminal.begins("");
    await terminal.ends();
    await terminal.types(typed);
    // The first completes what is common, the next lists; one that comes while the shell still thinks is lost.
    await terminal.keys("Tab");
    await terminal.shows(words, "Tab");
    await terminal.keys("C-u", "Enter");
    return `${typed}<Tab>`;
  };

export const SCENES: readonly Scene[] = [
  {
    name: "install",
    about: "The package is installed, and says what it is.",
    acts: [
      "npm install --global $TARBALL",
      "holdfast --version",
      "holdfast",
      "holdfast --help",
      "holdfast help run",
      "holdfast agents",
      "holdfast doctor",
      "holdfast status",
      "holdfast runs",
      "holdfast rnu 'fix the tests'",
      "holdfast run",
      "holdfast run 'say hello' --agent demo",
      "ls",
      "holdfast status",
    ],
  },
  {
    name: "mend",
    about: "From a clone with a failing test to work that is accepted.",
    acts: [
      "git clone --quiet $ORIGIN sums && cd sums",
      "npm test",
      "holdfast init --yes",
      "cat holdfast.yaml",
      "holdfast validate holdfast.yaml",
      `holdfast run 'fix the failing test' --agent function:${AGENTS}/mend.ts --check 'npm test' --id mend`,
      "git status --short",
      "holdfast status mend",
      "holdfast changes",
      "holdfast changes mend --stat",
      "holdfast logs mend",
      "holdfast why mend | head -4",
      "holdfast checkpoints mend",
      "holdfast accept mend",
      "git log --oneline",
      "npm test",
      "holdfast status mend",
      "holdfast accept mend",
    ],
  },
  {
    name: "mistakes",
    about: "The likeliest mistakes: each is said with what to do, and begins nothing.",
    acts: [
      "holdfast run fix the failing test",
      "holdfast run 'fix it' --agent claud",
      "holdfast run 'fix it' --agent codex",
      "holdfast run 'fix it' --chek 'npm test'",
      "holdfast run 'fix it' --agent demo --check 'npn test'",
      `holdfast run 'fix it' --agent demo:${AGENTS}/nothing.json`,
      `holdfast run 'fix it' --agent function:${AGENTS}/mended.ts`,
      "holdfast run 'fix it' --agent demo --budget ten",
      "holdfast run 'fix it' --agent demo --timeout 2x",
      "holdfast run 'fix it' --agent demo --flow review-lop",
      "holdfast run 'fix it' --agent demo --id mend",
      "printf 'agnets: {}\\n' > holdfast.yaml",
      "holdfast run 'fix it' --agent demo",
      "holdfast status mend | head -3",
      "holdfast runs | head -2",
      "holdfast validate holdfast.yaml",
      "printf 'checks: { limitMs: 4 hours }\\n' > holdfast.yaml",
      "holdfast validate holdfast.yaml",
      "rm holdfast.yaml",
      "holdfast logs nope",
      "holdfast status men",
      "holdfast approve",
      "holdfast retry mend",
      "holdfast cancel mend",
      "holdfast tell mend 'use a loop'",
      "holdfast restore mend c99",
      "holdfast attach mend",
      "holdfast runs --status runing",
      "holdfast runs --since yesterday",
      "holdfast runs --store sqlite:./nowhere.db",
      "holdfast set mend budgt.usd=4",
      "holdfast runs",
    ],
  },
  {
    name: "checked",
    about: "An agent that claims too early, and one that goes round in circles.",
    acts: [
      "git revert --no-edit HEAD",
      `holdfast run 'fix the failing test' --agent demo:${AGENTS}/hasty.json --check 'npm test' --id hasty`,
      "holdfast logs hasty -n 3",
      "holdfast report hasty | head -12",
      `holdfast run 'fix the failing test' --agent demo:${AGENTS}/circles.json --check 'npm test' --id circles`,
      "holdfast runs --since 1h",
      "holdfast accept circles",
      "holdfast accept hasty",
      "holdfast status hasty",
    ],
  },
  {
    name: "people",
    about: "Work that asks before it is done: what is asked about is shown, with both answers.",
    acts: [
      `holdfast run 'write a note' --agent demo:${AGENTS}/notes.json --approve completion --id note`,
      "holdfast status",
      "holdfast inbox",
      "holdfast changes note",
      "holdfast reject note --note 'too short'",
      "holdfast wait note",
      "holdfast approve note",
      "holdfast wait note",
      "holdfast status note",
      "holdfast accept note",
    ],
  },
  {
    name: "trouble",
    about: "An agent that fails, a run that is paused, and a supervisor that is killed.",
    acts: [
      `holdfast run 'find it' --agent demo:${AGENTS}/lost.json --id lost`,
      "holdfast status lost",
      "holdfast why lost",
      "holdfast retry lost --json | head -3",
      "holdfast wait lost --timeout 60s",
      "holdfast cancel lost",
      when(
        `holdfast run 'take notes' --agent demo:${AGENTS}/slow.json --id slow`,
        /takes a while/,
        (terminal) => terminal.keys("C-c"),
      ),
      "holdfast status slow",
      "holdfast resume slow | head -1",
      "kill -9 $(holdfast status slow | grep -o 'pid [0-9]*' | head -1 | cut -c5-)",
      'touch "$(holdfast status slow | awk \'$1=="worktree" {print $2}\')/go"',
      "holdfast wait slow --timeout 2m",
      "holdfast status slow",
      "holdfast logs slow",
      "holdfast accept slow",
    ],
  },
  {
    name: "everyday",
    about: "Flows, checkpoints, completion, and cleaning up.",
    acts: [
      "holdfast run 'plan something' --flow plan-build-verify --agent demo:stages --id plan",
      "holdfast status plan",
      'eval "$(holdfast completion bash)"',
      completes("holdfast checkp", /checkpoints/),
      completes("holdfast status pl", /status plan/),
      "holdfast checkpoints mend",
      "holdfast changes mend c1",
      "holdfast verify",
      "holdfast verify mend",
      "holdfast export mend | head -c 60; echo",
      "holdfast events mend | head -5",
      "holdfast config show --origin | head -6",
      "holdfast gc",
      "holdfast gc --yes",
      "holdfast backup ../copy",
      "holdfast watch --once",
      "holdfast down",
      "holdfast runs",
    ],
  },
];
