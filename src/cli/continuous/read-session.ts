import { statSync } from "node:fs";
import path from "node:path";
import {
  CONTINUOUS_NAME,
  continuousPoliciesSchema,
  type ContinuousSpec,
  type Intake,
} from "../../model/continuous/continuous-spec.ts";
import { Fault } from "../../model/fault.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { readDocument } from "../config/read-document.ts";

/** What a person asked of `continuous`. */
export interface SessionWish {
  readonly file: string | undefined;
  readonly source?: string;
  readonly name?: string;
  readonly agent?: string;
  readonly flow?: string;
  readonly check?: readonly string[];
  readonly concurrency?: string;
  readonly onBlocked?: string;
  readonly onFailed?: string;
  readonly idle?: string;
  readonly vision?: string;
  readonly inPlace?: boolean;
}

/** A session by its file and the options that go before it. */
export function readSession(
  wish: SessionWish,
  cwd: string,
  { file: config, config: { notify } }: Pick<LoadedConfig, "file" | "config">,
): { readonly name: string; readonly spec: ContinuousSpec } {
  const written = wish.file === undefined ? {} : settingsIn(path.resolve(cwd, wish.file));
  const intake = intakeOf(wish, cwd);
  const document = { ...written, ...askedOf(wish), idle: idleOf(written, wish, cwd) };
  const { error, data } = continuousPoliciesSchema.safeParse(document);
  if (error !== undefined) {
    const list = error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
    throw new Fault("config_invalid", `${wish.file ?? "the options"}: ${list}`, {
      details: { problems: list },
    });
  }
  const name = wish.name ?? nameOf(intake);
  if (!CONTINUOUS_NAME.test(name))
    throw new Fault(
      "usage",
      `"${name}" cannot be the name of a session: expected at most 40 letters, digits and _ -; choose one with --name`,
    );
  return {
    name,
    spec: { ...data, intake, cwd, ...(config === null ? {} : { config }), ...channelsOf(notify) },
  };
}

/** Those that are for every day, and not only for when nobody answers. */
function channelsOf(notify: LoadedConfig["config"]["notify"]): Pick<ContinuousSpec, "notify"> {
  const { channels, external, tries, retryMs, retryCapMs } = notify;
  const daily = Object.entries(channels).filter(([name]) => !external.includes(name));
  return daily.length === 0
    ? {}
    : { notify: { channels: Object.fromEntries(daily), tries, retryMs, retryCapMs } };
}

/** Everything of a file but its goals, which are read again and again. */
function settingsIn(file: string): Record<string, unknown> {
  const { value } = readDocument(file, "the goals");
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== "goals"));
}

const askedOf = ({ agent, flow, check, concurrency, onBlocked, onFailed, inPlace }: SessionWish) => ({
  ...(agent === undefined ? {} : { agent }),
  ...(flow === undefined ? {} : { flow }),
  ...(check === undefined ? {} : { checks: [...check] }),
  ...(concurrency === undefined ? {} : { concurrency: Number(concurrency) }),
  ...(onBlocked === undefined ? {} : { onBlocked }),
  ...(onFailed === undefined ? {} : { onFailed }),
  ...(inPlace === undefined ? {} : { inPlace }),
});

/** A vision that is named is what a planner goes by. Its file is read again and again, wherever that is done. */
function idleOf({ idle: written }: Record<string, unknown>, wish: SessionWish, cwd: string): unknown {
  const policy = wish.idle ?? (wish.vision === undefined ? undefined : "plan");
  if (written !== undefined && (typeof written !== "object" || written === null)) return written;
  const idle: Record<string, unknown> = { ...written, ...(policy === undefined ? {} : { policy }) };
  const vision = wish.vision ?? idle["vision"];
  return typeof vision === "string" ? { ...idle, vision: path.resolve(cwd, vision) } : idle;
}

const COMMAND = "command:";

function intakeOf({ file, source }: SessionWish, cwd: string): Intake {
  if (source?.startsWith(COMMAND) === true) return { kind: "command", command: source.slice(COMMAND.length) };
  const named = source ?? file;
  if (named === undefined)
    throw new Fault(
      "usage",
      "no goals are named; expected a FILE, or --source FOLDER, or --source command:COMMAND",
    );
  const place = path.resolve(cwd, named);
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined)
    throw new Fault("not_found", `there is no file or folder ${place}; expected a list of goals`);
  return { kind: found.isDirectory() ? "folder" : "file", path: place };
}

const nameOf = (intake: Intake): string =>
  intake.kind === "command"
    ? "goals"
    : path
        .basename(intake.path, path.extname(intake.path))
        .replaceAll(/[^A-Za-z0-9_-]/g, "-")
        .slice(0, 40);
