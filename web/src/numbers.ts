/** Numbers as people read them. */
import type { Color, Unit, Value } from "./protocol";
import { text } from "./text";

export const percent = (chance: number, digits = 0): string =>
  `${(100 * chance).toFixed(digits)}\u00a0%`;

export function signed(number: number, digits = 1): string {
  const rounded = number.toFixed(digits);
  const isZero = Number(rounded) === 0;
  return isZero ? rounded.replace("-", "") : number > 0 ? `+${rounded}` : rounded.replace("-", "−");
}

/** "B+3.5": who leads and by how much. */
export function leadText(lead: number): string {
  const size = Math.abs(lead).toFixed(1);
  return Number(size) === 0 ? "0" : `${lead > 0 ? "B" : "W"}+${size}`;
}

/** The value for the player who moves: a share of games, or points. */
export const forMover = (value: Value, mover: Color): Value => ({
  win_rate: value.win_rate === null ? null : mover === "black" ? value.win_rate : 1 - value.win_rate,
  lead: value.lead === null ? null : mover === "black" ? value.lead : -value.lead,
});

export function lossText(loss: number, unit: Unit): string {
  if (loss < (unit === "points" ? 0.05 : 0.0005)) return "0";
  return unit === "points" ? `−${loss.toFixed(1)}` : `−${(100 * loss).toFixed(1)}\u00a0%`;
}

/** The value of the player who moves: "19 % · −9.5 points". */
export function moverText(value: Value, mover: Color): string {
  const { win_rate, lead } = forMover(value, mover);
  const parts = [];
  if (win_rate !== null) parts.push(percent(win_rate));
  if (lead !== null) parts.push(text.points(signed(lead)));
  return parts.join(" · ") || "–";
}

/** Black's value: "19 % · W+9.5". */
export function valueText(value: Value): string {
  const parts = [];
  if (value.win_rate !== null) parts.push(percent(value.win_rate));
  if (value.lead !== null) parts.push(leadText(value.lead));
  return parts.join(" · ") || "–";
}

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export const count = (number: number): string =>
  number < 10000 ? String(Math.round(number)) : compact.format(number);

/** "4:05" from seconds. */
export function clockText(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const rest = String(whole % 60).padStart(2, "0");
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/** A number for an axis or a table: as many digits as it needs. */
export function short(number: number): string {
  const size = Math.abs(number);
  if (size >= 10000) return compact.format(number);
  if (size >= 100 || Number.isInteger(number)) return String(Math.round(number));
  return number.toFixed(size >= 10 ? 1 : size >= 0.1 ? 2 : 3);
}
