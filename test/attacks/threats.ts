/** What is attacked. An id, once used, keeps its meaning; `rows` are the features whose promise it attacks. */
export interface Threat {
  readonly id: string;
  readonly title: string;
  readonly rows: string;
  /** What holds, in one sentence, for each level. */
  readonly promise: string;
  readonly sandbox: string;
}

/** Of agents: with a sandbox they do not even reach what is attacked. */
const BY_SANDBOX = "prevented: the sandbox shows none of it";
/** Nothing of it is done by an agent's own processes. */
const SAME = "the same";

const rows = [
  {
    id: "trust",
    title: "A cloned repository runs code",
    rows: "P3",
    promise:
      "Commands that read run nothing a repository names; programs, hooks, checks and servers it names are obeyed only after trust, and again after a change",
    sandbox: SAME,
  },
  {
    id: "demands",
    title: "A planner weakens what was demanded",
    rows: "G16",
    promise:
      "A plan adds to demanded checks and reviewers and removes none; commands it brings wait for a person",
    sandbox: SAME,
  },
  {
    id: "evidence",
    title: "Evidence speaks of another tree than the one that is accepted",
    rows: "G6",
    promise:
      "A check, a review, a commit and a tag speak of one tree digest, which is compared before and after",
    sandbox: SAME,
  },
  {
    id: "principals",
    title: "An agent opens a gate",
    rows: "G4",
    promise:
      "An agent is refused at gates; a credentialed gate needs a proof that is in no file of the user; other approvals are recorded with how they were proved",
    sandbox: BY_SANDBOX,
  },
  {
    id: "sealed",
    title: "A proposer or reviewer writes to the real tree or refs",
    rows: "G16",
    promise:
      "What git's log proves of it is undone, reported and counted, and its work does not count; what nothing proves is recorded and left alone",
    sandbox: BY_SANDBOX,
  },
  {
    id: "arguments",
    title: "A value of an agent becomes an option of the next start",
    rows: "A5",
    promise: "Every value from outside that reaches an argument list is checked by its shape first",
    sandbox: SAME,
  },
  {
    id: "steering",
    title: "An agent's output steers triage or a reviewer",
    rows: "G6",
    promise: "Words of agents are quoted, answers are read by a schema, mechanical evidence comes first",
    sandbox: SAME,
  },
  {
    id: "anchor",
    title: "A store is rolled back together with its mark",
    rows: "J2",
    promise: "The head of the chain is anchored outside of the store, and a store behind it is refused",
    sandbox: SAME,
  },
  {
    id: "T1",
    title: "A foreign name leads a page to the API",
    rows: "O8 P3",
    promise:
      "The API answers to its own names alone; a page whose name is rebound to this machine reads and writes nothing",
    sandbox: SAME,
  },
  {
    id: "T2",
    title: "A page of others writes through the browser",
    rows: "O8 P3",
    promise:
      "A write needs JSON, an Origin of the server itself or a token in its header; a read changes no journal",
    sandbox: SAME,
  },
  {
    id: "T3",
    title: "Somebody without a token uses the API",
    rows: "O8 P3",
    promise:
      "Every route but health needs a valid token or session whose role suffices; guessing is slowed down",
    sandbox: SAME,
  },
  {
    id: "T4",
    title: "A page of others connects to a terminal",
    rows: "O2 P3",
    promise:
      "A WebSocket needs a ticket of its own, good once, and its own origin; nothing is typed before the terminal was taken over",
    sandbox: SAME,
  },
  {
    id: "T5",
    title: "Tokens leak into logs, arguments or journals",
    rows: "P3",
    promise: "No token or secret is in a journal, a log, a message or an argument list",
    sandbox: SAME,
  },
  {
    id: "T6",
    title: "Text runs in the dashboard",
    rows: "O2 P4",
    promise:
      "What agents, people and repositories have said is shown as text; nothing of it runs, loads or leads away",
    sandbox: SAME,
  },
  {
    id: "T7",
    title: "Text becomes a command",
    rows: "P4",
    promise: "Text from people, agents and repositories is never read by a shell or as an option",
    sandbox: SAME,
  },
  {
    id: "T8",
    title: "Text drives tmux",
    rows: "P4",
    promise: "A pane receives exactly the bytes that were meant for it, and tmux obeys none of them",
    sandbox: SAME,
  },
  {
    id: "T9",
    title: "An agent types into panes of others",
    rows: "P4",
    promise:
      "Agents are not given the address of the tmux server of Holdfast; an agent of the same user that looks for it can still find it",
    sandbox: BY_SANDBOX,
  },
  {
    id: "T10",
    title: "Text speaks to the terminal of the reader",
    rows: "O1 P4",
    promise: "What is printed holds no escape sequence that is not ours, and no invisible direction mark",
    sandbox: SAME,
  },
  {
    id: "T11",
    title: "An agent's terminal speaks to the browser",
    rows: "O2 P4",
    promise:
      "A terminal that is shown or taken over changes no clipboard, opens nothing, and types nothing by itself",
    sandbox: SAME,
  },
  {
    id: "T12",
    title: "Secrets are in journals, answers and streams",
    rows: "P5",
    promise: "A known secret, or what looks like one, is removed before it is written down or sent",
    sandbox: SAME,
  },
  {
    id: "T13",
    title: "A webhook or a hook leads into the machine or its network",
    rows: "P3",
    promise: "Only public addresses are connected to, unless the channel or hook sets allowPrivate",
    sandbox: SAME,
  },
  {
    id: "T15",
    title: "An approval is replayed, doubled or stale",
    rows: "G4",
    promise: "An approval names what it approves, counts once, and no longer counts when that has changed",
    sandbox: SAME,
  },
  {
    id: "T16",
    title: "An agent edits protected files",
    rows: "W9",
    promise: "Each change is found, undone byte for byte, reported and counted before work is accepted",
    sandbox: "the same in its workspace; the copies from which changes are undone are out of its reach",
  },
  {
    id: "T17",
    title: "A journal is rewritten",
    rows: "J2",
    promise: "A journal that was cut, swapped or shortened is refused, with the position",
    sandbox: SAME,
  },
  {
    id: "T18",
    title: "A path leads out of its folder",
    rows: "P4",
    promise: "Artifacts, exports and proposals read and write only inside their folders",
    sandbox: SAME,
  },
  {
    id: "T19",
    title: "A link in a worktree leads out of it",
    rows: "W11",
    promise: "Snapshots keep links as links; restoring, copying and removing never go through one",
    sandbox: SAME,
  },
  {
    id: "T20",
    title: "A repository makes git run programs",
    rows: "W2 W11",
    promise: "No git that Holdfast calls runs a program that a repository, a home or an agent names",
    sandbox: SAME,
  },
  {
    id: "T21",
    title: "A repository brings the configuration of agents",
    rows: "P3",
    promise: "A changed or new file that an agent obeys is shown and asked about before the agent starts",
    sandbox: SAME,
  },
  {
    id: "T22",
    title: "A prompt or id looks like an option",
    rows: "A1",
    promise: "Prompts and ids stay data for every driver",
    sandbox: SAME,
  },
  {
    id: "T23",
    title: "Input changes the prototype of all objects",
    rows: "P4",
    promise: "No JSON or YAML that is read changes any object but its own",
    sandbox: SAME,
  },
  {
    id: "T25",
    title: "A small document takes endless time or room",
    rows: "P4",
    promise:
      "Depth, size and values of a document are bounded, each alias counted as what it stands for; beyond that it is refused by name",
    sandbox: SAME,
  },
  {
    id: "T29",
    title: "Failures of many agents become a storm",
    rows: "G8",
    promise:
      "Within a minute a run of one step starts at most three attempts, and fifty failing runs at most fifty; a budget is exceeded by less than its grace and one request",
    sandbox: SAME,
  },
  {
    id: "T30",
    title: "A package slips in",
    rows: "P4",
    promise:
      "Every package of the lock files is on a list in the repository; at most one has an install script",
    sandbox: SAME,
  },
  {
    id: "T31",
    title: "An agent calls the tools of another task",
    rows: "O4",
    promise:
      "A token speaks for its own attempt alone; another's is refused and recorded. A program of the same user that reads the key of the store can make one",
    sandbox: "prevented: neither the key nor the tools of another are there",
  },
  {
    id: "T33",
    title: "An old or hostile journal is more than data",
    rows: "J9 P4",
    promise:
      "Everything in a journal is read as data by its schemas, or refused by name; nothing in it is executed, and no text becomes code",
    sandbox: SAME,
  },
  {
    id: "user",
    title: "Another user of the machine reads or talks to what is Holdfast's",
    rows: "P3",
    promise:
      "Another user can neither read nor write state, spools and environments, nor connect to sockets; argument lists hold neither a token nor a task",
    sandbox: SAME,
  },
] as const satisfies readonly Threat[];

export type ThreatId = (typeof rows)[number]["id"];

export const THREATS: readonly (Threat & { readonly id: ThreatId })[] = rows;

/** Held by tests of their own, whose titles name them. */
export const HELD_BY_TESTS: readonly Pick<Threat, "id" | "title" | "promise">[] = [
  {
    id: "T24",
    title: "A text makes an expression slow",
    promise: "Every regular expression takes time in proportion to its text",
  },
  {
    id: "T26",
    title: "An agent floods memory or disk",
    promise: "What agents print is read in bounded pieces, and the disk keeps its beginning and its end",
  },
  {
    id: "T27",
    title: "Processes outlive their agent",
    promise: "What an agent started ends with it, also what has left its session",
  },
  {
    id: "T28",
    title: "A stranger with a reused pid is signalled",
    promise: "A process is compared with its start before it is signalled",
  },
  {
    id: "T32",
    title: "Somebody stands between hosts and their store",
    promise:
      "With sslmode=verify-full a server with another certificate or without encryption is refused before anything is said, and what was said once cannot be said again",
  },
];
