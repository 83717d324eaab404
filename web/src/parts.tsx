/** Small pieces that every tab uses. */
import type { ComponentChildren } from "preact";
import { text } from "./text";

interface CardProps {
  title?: string;
  test?: string;
  action?: ComponentChildren;
  children: ComponentChildren;
}

export function Card({ title, test, action, children }: CardProps) {
  return (
    <section class="card" data-test={test}>
      {title && (
        <header>
          <h2>{title}</h2>
          {action}
        </header>
      )}
      {children}
    </section>
  );
}

interface SegmentsProps<T extends string | number> {
  label: string;
  test: string;
  options: { value: T; name: string; isOff?: boolean }[];
  value: T;
  onChange: (value: T) => void;
}

/** A row of choices, one of them taken. */
export function Segments<T extends string | number>(props: SegmentsProps<T>) {
  return (
    <fieldset class="segments" data-test={props.test}>
      <legend class="hidden">{props.label}</legend>
      {props.options.map(({ value, name, isOff }) => (
        <label key={String(value)} class={value === props.value ? "on" : ""}>
          <input
            type="radio"
            name={props.test}
            data-test={`${props.test}-${value}`}
            checked={value === props.value}
            disabled={isOff}
            onChange={() => props.onChange(value)}
          />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface ChoiceProps {
  label: string;
  test: string;
  value: string;
  onChange: (value: string) => void;
  children: ComponentChildren;
  isLabelHidden?: boolean;
}

export function Choice(props: ChoiceProps) {
  return (
    <label class="field">
      <span class={props.isLabelHidden ? "hidden" : ""}>{props.label}</span>
      <select
        data-test={props.test}
        value={props.value}
        onChange={(event) => props.onChange(event.currentTarget.value)}
      >
        {props.children}
      </select>
    </label>
  );
}

export function Switch(props: {
  label: string;
  test: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        data-test={props.test}
        checked={props.isOn}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span>{props.label}</span>
    </label>
  );
}

export function Fault({ line }: { line: string }) {
  return line ? (
    <p class="fault" role="alert" data-test="fault">
      {line}
    </p>
  ) : null;
}

export function Waiting({ line = text.waiting }: { line?: string }) {
  return <p class="waiting">{line}</p>;
}

export function Bar({ done, of, label }: { done: number; of: number; label: string }) {
  return <progress max={of || 1} value={done} aria-label={label} data-test="progress" />;
}

export function download(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: "application/x-go-sgf" }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export const isTyping = (event: KeyboardEvent): boolean => {
  const target = event.target as HTMLElement | null;
  return (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    !!target?.closest("input:not([type=radio]):not([type=checkbox]), select, textarea, dialog")
  );
};
