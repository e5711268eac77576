import { useEffect, useRef, useState, type ReactElement } from "react";
import { en } from "../text/en.ts";
import { KEY_MAP, type KeyEntry } from "./key-map.ts";

/** All keys, found by a word. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  const wanted = words.trim().toLowerCase();
  const areas = KEY_MAP.map(({ area, keys }) => ({
    area,
    keys: keys.filter((entry) => fits(entry, wanted)),
  }));
  const shown = areas.filter(({ keys }) => keys.length > 0);
  return (
    <dialog className="help" ref={dialog} onClose={onClose} aria-labelledby="help-title">
      <header className="row">
        <h2 id="help-title" className="grow">
          {en.help.title}
        </h2>
        <input
          type="search"
          className="input"
          aria-label={en.help.filter}
          placeholder={en.help.filter}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
        <button type="button" className="button button-normal" onClick={() => dialog.current?.close()}>
          {en.help.close}
        </button>
      </header>
      {shown.length === 0 && <p className="muted">{en.help.none}</p>}
      <div className="help-areas">
        {shown.map(({ area, keys }) => (
          <section key={area}>
            <h3>{area}</h3>
            <dl>
              {keys.map((entry) => (
                <KeyLine key={entry.keys.join(" ")} entry={entry} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  );
}

const fits = ({ keys, does }: KeyEntry, wanted: string): boolean =>
  wanted === "" || does.toLowerCase().includes(wanted) || keys.join(" ").toLowerCase().includes(wanted);

function KeyLine({ entry: { keys, does } }: { readonly entry: KeyEntry }): ReactElement {
  return (
    <div className="help-line">
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </div>
  );
}
