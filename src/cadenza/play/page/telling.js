/** Single happenings inside a reply, as sentences. */
import { isNamed, named, say, seconds, whole } from "cadenza/words_inside.js";

const LONGEST = 160; // units of a text that is quoted within a sentence

/**
 * *words* on one line, with white space made visible, and not too long.
 * @param {string} words
 */
export function quoted(words, longest = LONGEST) {
  return say("inside.quoted", { text: inOneLine(words, longest) });
}

/** *words* on one line, as `quoted`, but without marks around it. */
export function inOneLine(words, longest = LONGEST) {
  const line = visible(words);
  return line.length > longest ? `${cutAt(line, longest)}…` : line;
}

/** White space, made visible. */
export function visible(words) {
  return String(words ?? "").replaceAll("\n", "↵").replaceAll("\t", "⇥");
}

/** The first *size* units of *words*, without half a character at the end. */
function cutAt(words, size) {
  const code = words.charCodeAt(size - 1);
  return words.slice(0, code >= 0xd800 && code < 0xdc00 ? size - 1 : size);
}

/** What an opening mark opens. */
const OPENERS = [
  [/^[([{（［｛【]/u, "bracket"], [/^["'“”‘„«「『]/u, "quote"], [/^\*\*/u, "bold"], [/^__/u, "underline"], [/^[*_]/u, "italic"],
  [/^~~/u, "strike"], [/^\|\|/u, "spoiler"], [/^`/u, "code"],
];

/** Why text is held, in half a sentence. */
export function holdReason(hold) {
  const opener = OPENERS.find(([pattern]) => pattern.test(hold.mark ?? ""))?.[1] ?? "other";
  if (hold.why === "rule") return say("hold.rule", { rule: hold.mark });
  return named("hold", hold.why, { mark: say(`opener.${opener}`, { mark: hold.mark || "?" }) });
}

/** The error, without its full stop, for use within a sentence. */
function errorText(error) {
  if (typeof error !== "object" || error === null) return "?";
  return String(error.text || error.type || "?").replace(/[.。]$/u, "");
}

/** How something ended: `{kind, reason, error}`. */
export function outcomeText(outcome) {
  const kind = named("outcome", outcome?.kind ?? "?");
  const isUsual = outcome?.kind === "completed" || !outcome?.reason; // why a model ended by itself is of no interest
  const why = outcome?.error ? errorText(outcome.error) : isUsual ? "" : named("stop", outcome.reason);
  return why ? say("outcome.why", { outcome: kind, why }) : kind;
}

/** What is special about some steps; the others are told with their own fields. */
const VALUES = {
  passed_over: (about) => ({ why: named("why", about.why) }),
  try: (about) => ({ why: named("why", about.why) }),
  request: (about) => ({ turns: whole(about.turns ?? 0), bytes: whole(about.bytes ?? 0) }),
  aside: (about) => ({ kind: named("aside", about.kind) }),
  halt: (about) => ({ reason: named("stop", about.reason) }),
  stop: (about) => ({ reason: named("stop", about.reason) }),
  back_pressure: (about) => ({ seconds: seconds(about.seconds) }),
  stall: (about) => ({ seconds: seconds(about.seconds) }),
  merged: (about) => ({ n: about.posts?.length ?? 0, why: named("why", about.why) }),
  left_out: (about) => ({ why: named("why", about.why) }),
  unsent: (about) => ({ error: errorText(about.error) }),
  cut: (about) => ({ n: about.dropped?.length ?? 0, keep: named("keep", about.keep) }),
  withdrawn: (about) => ({ n: about.posts?.length ?? 0 }),
  brought_back: (about) => ({ n: about.posts?.length ?? 0 }),
  superseded: (about) => ({ n: about.messages?.length ?? 0 }),
  spared: (about) => ({ n: about.messages?.length ?? 0 }),
  deleted: (about) => ({ error: errorText(about.error) }),
  tool: (about) => ({ seconds: seconds(about.seconds) }),
  round: (about) => ({ outcome: outcomeText(about.outcome) }),
  tried: (about) => ({ outcome: outcomeText(about.outcome) }),
  end: (about) => ({ outcome: outcomeText(about.outcome) }),
  chunk_call: (about) => ({ name: about.detail?.name ?? "?" }),
};

/** Steps that are told with other words in some cases. */
function wordsFor(step, about) {
  if (step === "tool" && about.remembered) return "tool_remembered";
  if (step === "tool" && about.is_error) return "tool_failed";
  if (step === "deleted" && about.error) return "not_deleted";
  return step;
}

/**
 * A step between messages as a sentence; an unknown one as it is.
 * @param {{step: string, about: object}} event
 */
export function eventText({ step, about }) {
  const key = wordsFor(step, about);
  if (!isNamed("event", key)) return say("event.unknown", { step, about: JSON.stringify(about).slice(0, LONGEST) });
  const values = Object.hasOwn(VALUES, step) ? VALUES[step](about) : {};
  return named("event", key, { ...about, ...values });
}

/** Whether something is a trouble that one looks for. */
export function isTrouble({ step, about }) {
  return ["unsent", "stall", "halt", "stop", "cut", "chunk_failed"].includes(step) || Boolean(about?.is_error || about?.error);
}

/** Whether Discord did not simply take it. */
export function isRefused(call) {
  return call.status === null || call.status === undefined || call.status >= 400;
}

/** What the bot asked of Discord, and what came of it. */
export function callText(call) {
  const { route, status } = call;
  const code = call.code ? ` (${say("call.code", { code: call.code })})` : "";
  if (status === null || status === undefined) return say("call.lost", { route });
  if (status === 429) return say("call.limit", { route, seconds: seconds(call.retry_after ?? 0) });
  return say(status >= 400 ? "call.refused" : "call.ok", { route, status }) + code;
}
