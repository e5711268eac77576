import {
  useEffect,
  useId,
  useRef,
  useState,
  type FormEvent,
  type KeyboardEvent,
  type ReactElement,
} from "react";
import { en } from "../text/en.ts";

interface WordsFieldProps {
  readonly label: string;
  readonly send: string;
  readonly onSend: (words: string) => void;
  readonly onClose: () => void;
  readonly initial?: string;
  /** Whether it may be sent without words. */
  readonly isOptional?: boolean;
}

/** Words of a person, asked for in the place: Enter sends, Shift+Enter makes a line, Escape closes. */
export function WordsField(props: WordsFieldProps): ReactElement {
  const { label, send, onSend, onClose, initial = "", isOptional = false } = props;
  const [words, setWords] = useState(initial);
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const canSend = isOptional || words.trim() !== "";
  const submit = (event?: FormEvent): void => {
    event?.preventDefault();
    if (canSend) onSend(words.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") onClose();
    else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form className="words" onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        ref={field}
        rows={2}
        value={words}
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="action-row">
        <button type="submit" className="button button-main" disabled={!canSend}>
          {send}
        </button>
        <button type="button" className="button button-normal" onClick={onClose}>
          {en.act.cancel}
        </button>
      </div>
    </form>
  );
}
