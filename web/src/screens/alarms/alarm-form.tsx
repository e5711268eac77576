import { useState, type FormEvent, type ReactElement } from "react";
import { commandText } from "../../../../src/model/text/command-text.ts";
import { listedOf } from "../../data/documents.ts";
import { useAct } from "../../data/use-act.ts";
import { useApi } from "../../data/use-query.ts";
import { useStoreName } from "../../data/use-store-name.ts";
import { en } from "../../text/en.ts";
import { CommandText } from "../../ui/commands/command-text.tsx";
import { Panel } from "../../ui/panel.tsx";

const { alarms: words } = en;
const OPEN = "queued,running,pausing,paused,awaiting_approval,blocked";

/** The time in words that `--in` takes, or a moment that `--at` takes. */
const isSpan = (text: string): boolean => /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/.test(text.trim());

/** Sets an alarm, and shows the command that does the same while it is written. */
export function AlarmForm(): ReactElement {
  const { data } = useApi("listRuns", { query: { status: OPEN, limit: 200 } });
  const runs = listedOf(data);
  const store = useStoreName();
  const { isAsking, ask } = useAct();
  const [run, setRun] = useState("");
  const [when, setWhen] = useState("20m");
  const [note, setNote] = useState("");
  const chosen = run === "" ? (runs[0]?.run ?? "") : run;
  const time = isSpan(when) ? { in: when.trim() } : { at: when.trim() };
  const [option = "in", value = ""] = Object.entries(time)[0] ?? [];
  const command = commandText(["alarm", chosen, `--${option}`, value, "--note", note.trim()], store);
  const isReady = chosen !== "" && when.trim() !== "" && note.trim() !== "";
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (!isReady) return;
    const body = { kind: "alarm" as const, ...time, note: note.trim() };
    const { state } = await ask({
      route: "ask",
      input: { params: { run: chosen }, body },
      command,
      title: `alarm ${chosen}`,
    });
    if (state === "done" || state === "queued") setNote("");
  };
  return (
    <Panel title={words.set}>
      <form className="panel-body stack" onSubmit={(event) => void submit(event)}>
        <div className="row row-wrap">
          <label className="choice">
            <span className="muted small">{words.run}</span>
            <select aria-label={words.run} value={chosen} onChange={({ target }) => setRun(target.value)}>
              {runs.length === 0 && <option value="">{words.noRuns}</option>}
              {runs.map((one) => (
                <option key={one.run}>{one.run}</option>
              ))}
            </select>
          </label>
          <Words label={`${words.when} (${words.inHint}, 07:30)`} value={when} onChange={setWhen} />
          <Words label={words.note} value={note} onChange={setNote} isWide />
        </div>
        <div className="row row-wrap">
          <button type="submit" className="button button-main" disabled={!isReady} aria-busy={isAsking}>
            {words.submit}
          </button>
          {isReady && <CommandText command={command} />}
        </div>
      </form>
    </Panel>
  );
}

function Words(props: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isWide?: boolean;
}): ReactElement {
  const { label, value, onChange, isWide = false } = props;
  return (
    <label className={isWide ? "choice grow" : "choice"}>
      <span className="muted small">{label}</span>
      <input
        className={isWide ? "input input-wide" : "input"}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}
