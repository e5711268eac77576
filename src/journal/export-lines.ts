import { type Blob, chainHash, type StoredEvent } from "./chain.ts";
import type { Journal } from "./journal.ts";
import { digestOf, placesIn } from "./large-values.ts";
import { Fault } from "../model/fault.ts";

/**
 * The lines of an exported run: a header, every event with the large values that it names first, a closing line; each
 * is a JSON object and ends with a line break. The one that has the lines can check them without the store: an event's
 * hash covers its predecessor's, its run, place, time, type and the text of its data (`chainHash`), and header and
 * closing line name the last one.
 *
 * The hash covers the data's text as it was stored, which `JSON.stringify` wrote. Parsing such text and writing it
 * again gives the same text, so `data` stands in the line as it is; text of which that is not true, no matter who wrote
 * it, is carried beside it as `text`.
 */
export const EXPORT_FORMAT = "holdfast-run";
/** 2: large values stand on lines of their own, each before the first event that names it. */
export const EXPORT_VERSION = 2;

export interface ExportHead {
  readonly seq: number;
  readonly hash: string;
}

export interface ExportHeader {
  readonly run: string;
  readonly head: ExportHead;
  readonly exportedAt: string;
}

/** Characters on which a terminal would act, and which JSON may as well spell out. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const spelledOut = (json: string): string =>
  json.replaceAll(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

const line = (json: string): string => `${spelledOut(json)}\n`;

const headerLine = ({ run, head, exportedAt }: ExportHeader): string =>
  line(
    JSON.stringify({
      format: EXPORT_FORMAT,
      version: EXPORT_VERSION,
      run,
      head: { seq: head.seq, hash: head.hash },
      exportedAt,
    }),
  );

function eventLine({ run, seq, at, type, data, hash }: StoredEvent): string {
  const place = `"run":${JSON.stringify(run)},"seq":${String(seq)},"at":${String(at)},"type":${JSON.stringify(type)}`;
  const text = isRestored(data) ? "" : `,"text":${JSON.stringify(data)}`;
  return line(`{${place},"data":${data.replaceAll(/[\r\n]/g, " ")}${text},"hash":"${hash}"}`);
}

const blobLine = ({ digest, text }: Blob): string => line(JSON.stringify({ blob: digest, text }));

/** The large value in a line; or what is wrong with the line. */
export function blobIn(value: Readonly<Record<string, unknown>>): Blob | string {
  const { blob: digest, text, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) return `it holds "${other.slice(0, 40)}", which no large value has`;
  if (typeof digest !== "string" || typeof text !== "string") return "its digest or text is missing";
  return digestOf(text) === digest ? { digest, text } : "the large value does not match its digest";
}

const closingLine = (run: string, head: ExportHead): string =>
  line(JSON.stringify({ end: EXPORT_FORMAT, run, seq: head.seq, hash: head.hash }));

/** Whether reading the text and writing it again gives the text. */
const isRestored = (data: string): boolean => JSON.stringify(JSON.parse(data)) === data;

/** What an event's line says, with the exact text that its hash covers; or what is wrong with the line. */
export function eventIn(value: Readonly<Record<string, unknown>>): StoredEvent | string {
  const { run, seq, at, type, data, text, hash, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) return `it holds "${other.slice(0, 40)}", which no event has`;
  if (typeof run !== "string" || typeof type !== "string" || typeof hash !== "string")
    return "its run, type or hash is missing or no text";
  if (!Number.isSafeInteger(seq) || !Number.isSafeInteger(at))
    return "its seq or time is missing or no whole number";
  if (data === undefined) return "its data is missing";
  const written = JSON.stringify(data);
  if (text !== undefined && !spellsOut(text, written)) return "its text is not that of its data";
  return {
    run,
    seq: seq as number,
    at: at as number,
    type,
    data: typeof text === "string" ? text : written,
    hash,
  };
}

function spellsOut(text: unknown, written: string): boolean {
  if (typeof text !== "string") return false;
  try {
    return JSON.stringify(JSON.parse(text)) === written;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

export const fitsHash = (previous: string, event: StoredEvent): boolean =>
  event.hash === chainHash(previous, event);

const PAGE_EVENTS = 200;

interface ExportOrder {
  readonly run: string;
  /** The last event to be exported: what is appended meanwhile is left out. */
  readonly head: ExportHead;
  readonly exportedAt: string;
}

/** The lines of a run's export, page by page. */
export async function* exportRun(journal: Journal, order: ExportOrder): AsyncGenerator<string> {
  const { run, head } = order;
  const carried = new Set<string>();
  yield headerLine(order);
  for (let seq = 0; seq < head.seq;) {
    const limit = Math.min(PAGE_EVENTS, head.seq - seq);
    const events = await journal.readStored(run, { after: seq, limit });
    if (events.length === 0) throw goneMeanwhile(run);
    for (const event of events) {
      const digests = placesIn(event.data).map(({ digest }) => digest);
      const missing = [...new Set(digests)].filter((digest) => !carried.has(digest));
      for (const [index, text] of (missing.length === 0
        ? []
        : await journal.readApart(event, missing)
      ).entries()) {
        const digest = missing[index] ?? "";
        carried.add(digest);
        yield blobLine({ digest, text });
      }
      yield eventLine(event);
    }
    seq += events.length;
  }
  yield closingLine(run, head);
}

const goneMeanwhile = (run: string): Fault =>
  new Fault(
    "not_found",
    `the run ${run} was removed from the store while it was exported; look for its archive`,
  );
