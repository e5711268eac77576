import { z } from "zod";
import { nameSchema } from "../ids.ts";
import { hostLabels } from "../host/placement.ts";
import { channelSpecSchema } from "./notice.ts";
import { healthSettings, timeSettings } from "./health-settings.ts";
import { count, ms, section } from "./setting-kinds.ts";
import { gateSettings, planSettings, progressSettings, ruleSettings } from "./gate-settings.ts";
import { environmentSettings } from "./environment-settings.ts";
import { pricesSchema } from "./prices.ts";
import { sandboxSettings } from "./sandbox-settings.ts";
import { secretSettings } from "./secret-settings.ts";
import { workspaceSettings } from "./workspace-settings.ts";

/**
 * The numbers a run is assessed by. They are recorded with the run, so that decisions are a function of the journal.
 */
export const runSettingsSchema = z.strictObject({
  attempts: section({
    perStep: count(3, 10, "charged attempts of one step before the run asks a person"),
    sameFailure: count(2, 10, "the same failure so often in a row stops a step before its cap"),
    atOnce: count(4, 64, "live attempts of one run"),
    limitMs: ms(4 * 3_600_000, "time one attempt may take"),
  }),
  ...timeSettings,
  backoff: section({
    baseMs: ms(
      2_000,
      "longest wait before the second attempt; the wait is a random part of it (full jitter)",
    ),
    factor: z.number().min(1).max(10).default(2.5).describe("growth of the wait per further attempt"),
    capMs: ms(8_000, "longest wait ever"),
  }),
  startup: section({
    firstOutputMs: ms(180_000, "time to an agent's first output"),
    termGraceMs: ms(10_000, "time between a polite end and a firm one"),
  }),
  health: healthSettings,
  ladder: section({
    nudges: z.number().int().min(0).max(10).default(3).describe("nudges sent to a stuck agent"),
    nudgeMs: ms(30_000, "after the verdict before the first nudge; doubled for each further one"),
    interrupts: z
      .number()
      .int()
      .min(0)
      .max(10)
      .default(1)
      .describe("nudges of a step for which the turn of an agent is ended that accepts no messages at work"),
    strategyMs: ms(60_000, "after the last nudge before the agent is asked to change its strategy"),
    restarts: z.number().int().min(0).max(10).default(2).describe("restarts of a step's stuck sessions"),
    restartMs: ms(30_000, "after the last remedy before a restart; doubled for the next"),
    restartCapMs: ms(300_000, "longest wait before a restart"),
    operatorMs: ms(300_000, "time an operator has before other channels are notified"),
    calmMs: ms(
      600_000,
      "trouble that comes back so soon after a remedy helped goes on where the remedies stopped",
    ),
    helper: nameSchema
      .optional()
      .describe(
        "the agent that is given only the part that fails, once per step, before another takes it over",
      ),
    nextAgent: nameSchema
      .optional()
      .describe("the agent that takes a step over from one that cannot be helped; a step may name its own"),
  }),
  cooldown: section({
    resume: z
      .boolean()
      .default(true)
      .describe("go on by itself when a provider's limit is over; false: a person is asked instead"),
    priority: z
      .number()
      .int()
      .min(-100)
      .max(100)
      .default(0)
      .describe("runs of a higher one go first when an account opens again"),
    waits: count(20, 1_000, "limits waited for in a row, without getting on, before a person is asked"),
    restartAfter: count(4, 100, "so many limits met by one live session restart its agent"),
    decayMs: ms(3_600_000, "a limit met so long after the last one is waited for in full again"),
    probeMs: ms(60_000, "time the first run has to show that an account works again before others follow"),
    staggerMs: ms(30_000, "over how long the others are spread"),
    failures: count(5, 1_000, "failures of a provider in a row that open the circuit breaker of an account"),
    openMs: ms(300_000, "how long it stays open before one run may try"),
    successes: count(2, 100, "times it must have worked before the circuit breaker is closed"),
  }),
  crashes: section({
    count: count(3, 10, "crashes of a run's agents that trip its crash guard"),
    windowMs: ms(120_000, "within so long"),
    pauseMs: ms(120_000, "and then nothing is started for so long"),
    perRun: count(10, 10, "crashes of one run before an operator is asked"),
    perRunMs: ms(600_000, "within so long"),
    deaths: count(5, 50, "independent runs whose sessions die at once make their host suspect"),
    deathsMs: ms(30_000, "within so long"),
    hostPauseMs: ms(120_000, "and then nothing is started on it for so long"),
  }),
  incidents: section({
    runs: count(3, 1_000, "runs that suffer from one cause make it one incident"),
    windowMs: ms(600_000, "within so long"),
    pauseMs: ms(120_000, "what fails so in a repository is left alone for so long, then twice as long …"),
    pauses: count(5, 20, "so often in a row; then each run goes on as if it were alone"),
  }),
  triage: section({
    agent: nameSchema
      .optional()
      .describe(
        "the agent that is asked about a stuck one where the evidence is weak; none: nobody is asked",
      ),
    limitMs: ms(120_000, "time it has for its answer"),
    usd: z.number().positive().default(0.5).describe("it is ended when it has cost more dollars than this"),
    below: z
      .number()
      .min(0)
      .max(1)
      .default(0.85)
      .describe("evidence that is less sure than this is weak; 0 asks nobody"),
    trustMs: ms(600_000, "time that a stuck agent gets of which it says that it works"),
  }),
  checks: section({
    tries: count(3, 10, "times a step's work may fail its checks before a person is asked"),
    limitMs: ms(15 * 60_000, "time one check may take"),
    baseline: z
      .boolean()
      .default(true)
      .describe("run a step's checks once before its first attempt, so that those green before are known"),
    outputBytesMax: count(1_048_576, 1_073_741_824, "bytes of a check's output that are looked at"),
  }),
  conflict: section({
    times: count(3, 100, "so often a run's work may meet changes of others before somebody has to decide"),
    everyMs: ms(60_000, "changes of runs in worktrees are compared so often while agents work"),
    overlapPct: count(
      50,
      100,
      "below this share of common files the advice is to work it again, else to merge",
    ),
  }),
  stale: section({
    pause: z
      .boolean()
      .default(true)
      .describe("put a run whose provider stays silent to rest as stale, before an operator is asked"),
    quietMs: ms(600_000, "such silence must last so long"),
    beyondLimitMs: ms(60_000, "and so much longer than a step's own limit"),
    quietApiMs: ms(300_000, "the same where functions are at work, which call their provider themselves"),
    resumeMs: ms(20 * 60_000, "a stale run is tried again within so long"),
    resumes: z.number().int().min(0).max(100).default(2).describe("times it is tried again by itself"),
  }),
  alarms: section({
    pending: count(20, 1_000, "alarms of one run that wait to ring"),
    perRun: count(500, 100_000, "alarms that may ever be set in one run"),
    longestMs: ms(7 * 24 * 3_600_000, "how far ahead an alarm may be set"),
    noteChars: count(2_000, 4_000, "characters of an alarm's note"),
  }),
  commit: section({
    when: z
      .enum(["auto", "step", "asked"])
      .default("auto")
      .describe("step: work is committed when a step is done; asked: on request; auto: step in a worktree"),
    author: z
      .string()
      .regex(/^[^<>\n]+ <[^<>\s]+>$/, 'expected "Name <address>"')
      .optional()
      .describe("who commits, as Name <address>; default: you, as git knows you"),
    signOff: z.boolean().default(false).describe("add a Signed-off-by line"),
    subject: z
      .string()
      .min(1)
      .max(200)
      .default("{step}: {goal}")
      .describe("the first line of a message; {step}, {goal} and {run} are filled in"),
    subjectMax: count(72, 1_000, "characters of the first line"),
    conventional: z
      .boolean()
      .default(false)
      .describe("the first line must begin with a type, such as feat: or fix(parser):"),
    everyMs: ms(30 * 60_000, "work in a worktree is committed so often while agents are at it"),
    featureBranch: z
      .boolean()
      .default(false)
      .describe("refuse to commit on one of mainBranches, outside of a worktree"),
    mainBranches: z.array(z.string().min(1)).max(20).default(["main", "master"]).describe("not for features"),
    goodTag: z
      .string()
      .max(200)
      .default("good/{run}/{step}")
      .describe("the tag of a commit whose step has passed its checks; empty for none"),
  }),
  notify: section({
    channels: z
      .record(nameSchema, channelSpecSchema)
      .default({})
      .describe("where notices go, by name: a command or a signed webhook"),
    external: z
      .array(nameSchema)
      .max(20)
      .default([])
      .describe("channels that are used only when no operator has answered about a stuck agent in time"),
    dashboard: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe(
        "where people reach the dashboard; notices link there, and to the server of this machine else",
      ),
    remindMs: ms(24 * 3_600_000, "people are reminded of an open escalation after this long"),
    retryMs: ms(
      30_000,
      "longest wait before a notice is sent again; the wait is a random part of it (full jitter)",
    ),
    retryCapMs: ms(3_600_000, "longest wait between two tries ever"),
    tries: count(100, 10_000, "tries at one notice before it is left undelivered, and shown so"),
  }),
  mirrors: section({
    humanTasks: z
      .boolean()
      .default(false)
      .describe("keep what waits for people in HUMAN_TASKS.md, in the folder the run works in"),
    status: z
      .boolean()
      .default(false)
      .describe("keep what `status --json` prints in .holdfast/status/RUN.json, in the same folder"),
    shared: z
      .boolean()
      .default(false)
      .describe("true: these files may be read by everybody whom your umask lets; otherwise by you alone"),
  }),
  prices: pricesSchema
    .default({})
    .describe("what models cost, by patterns for their names; rows of yours come before the shipped ones"),
  ...gateSettings,
  ...planSettings,
  ...progressSettings,
  ...workspaceSettings,
  ...ruleSettings,
});
export type RunSettings = z.infer<typeof runSettingsSchema>;

/** The numbers a supervisor works by; they are its own and in no journal. */
export const hostSettingsSchema = z.strictObject({
  limits: section({
    runsAtOnce: count(8, 1_000, "runs that one supervisor works at once"),
  }),
  host: section({ labels: hostLabels }),
  lease: section({
    ms: ms(
      30_000,
      "a silent owner is treated as gone after this long, and beats come at a third of it; 10000 unless set where hosts share the store",
    ),
  }),
  supervisor: section({
    idleExitMs: ms(60_000, "a detached supervisor without work ends after this long"),
    scanMs: ms(1_000, "how often the store is searched for runs that nobody owns"),
    outputBytesMax: count(
      256 * 1024 * 1024,
      2 ** 40,
      "all of what an agent prints is read and kept up to here, of more only what comes last",
    ),
    agentNice: z
      .number()
      .int()
      .min(0)
      .max(19)
      .default(5)
      .describe(
        "agents and checks give way to the supervisor for the processor by this much (`nice`); 0: they do not",
      ),
    keepAwake: z
      .boolean()
      .default(true)
      .describe("the machine is kept from sleeping while agents work (systemd-inhibit, caffeinate)"),
    handOver: z
      .boolean()
      .default(true)
      .describe(
        "`run` in the foreground that ends, or whose terminal is closed, leaves what is still due to a background supervisor",
      ),
    stayForMs: ms(
      48 * 3_600_000,
      "a detached supervisor without other work stays for what is due within this time: reminders, expiries, alarms",
    ),
  }),
  ...sandboxSettings,
  ...environmentSettings,
  ...secretSettings,
  watchdog: section({
    sibling: z
      .boolean()
      .default(true)
      .describe("a sibling process watches the supervisor, and it the sibling"),
    lookMs: ms(60_000, "each looks for the other's progress so often"),
    silentMs: ms(600_000, "one that makes no progress for this long is asked to end, and replaced"),
    graceMs: ms(30_000, "and is killed if it has not ended so long after"),
    checkMs: ms(300_000, "systemd looks so often whether it has given the supervisor up (`up --install`)"),
  }),
  requests: section({
    answerWaitMs: ms(10_000, "how long a command waits for the answer to its request"),
  }),
});
export type HostSettings = z.infer<typeof hostSettingsSchema>;
